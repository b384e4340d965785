/** Offsets in UTF-16 units. */
interface Placed {
  readonly start: number;
  /** The offset after the node's own text. A mapping or list without brackets ends with its last item. */
  end: number;
}

export interface ScalarNode extends Placed {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
  /** The source text of a plain scalar, letter by letter. A number keeps its digits here. */
  readonly written: string;
}

export interface MappingNode extends Placed {
  readonly type: 'mapping';
  readonly flow: boolean;
  readonly pairs: readonly Pair[];
}

/** Null for a missing value. */
export interface Pair {
  readonly key: SyntaxNode | null;
  readonly value: SyntaxNode | null;
}

export interface ListNode extends Placed {
  readonly type: 'list';
  readonly items: readonly (SyntaxNode | null)[];
}

export interface AliasNode extends Placed {
  readonly type: 'alias';
  readonly name: string;
  /** The last earlier node with that anchor, possibly an enclosing one. */
  readonly anchored: SyntaxNode | undefined;
}

/** A document as it is written, from either parser (composed.ts and quick.ts). */
export type SyntaxNode = ScalarNode | MappingNode | ListNode | AliasNode;

/** The end of a mapping without braces. An empty value has no text. */
export function endOfPairs(pairs: readonly Pair[], start: number): number {
  const { key, value } = pairs.at(-1) ?? { key: null, value: null };
  return value !== null && value.end > value.start ? value.end : (key?.end ?? start);
}

/** The end of a list without brackets. */
export function endOfItems(items: readonly (SyntaxNode | null)[], start: number): number {
  return items.at(-1)?.end ?? start;
}
