/** One point that the interface leaves open, with every answer that the sandbox can give. */
export interface Choice<V extends string | number> {
  /** The first is the default. */
  readonly values: readonly [V, ...V[]];
  /** What is left open, and where the interface says so. */
  readonly why: string;
  /**
   * Answers under which some input that the interface calls valid is refused, changed or forgotten, or reading takes far
   * more requests. A client has to stay safe under them, but cannot always converge; random combinations usually leave them
   * out.
   */
  readonly harsh: readonly V[];
}

export function choice<const V extends string | number>(
  values: readonly [V, ...V[]],
  why: string,
  harsh: readonly NoInfer<V>[] = [],
): Choice<V> {
  return { values, why, harsh };
}
