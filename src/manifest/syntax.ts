/** Offsets in UTF-16 units. */
interface Placed {
  readonly start: number;
  /** After the node's own text. A mapping or list without brackets ends with its last item. */
  end: number;
}

export interface ScalarNode extends Placed {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
  /** The text of a plain scalar, letter by letter: a number has its digits here. */
  readonly written: string;
}

export interface MappingNode extends Placed {
  readonly type: 'mapping';
  readonly flow: boolean;
  readonly pairs: readonly Pair[];
}

/** Null where nothing is written. */
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
  /** The last node before it with that anchor, which may be one around it. */
  readonly anchored: SyntaxNode | undefined;
}

/** A document as it is written, whichever parser read it (composed.ts and quick.ts). */
export type SyntaxNode = ScalarNode | MappingNode | ListNode | AliasNode;

/** Where a mapping without braces ends: an empty value has no text of its own. */
export function endOfPairs(pairs: readonly Pair[], start: number): number {
  const { key, value } = pairs.at(-1) ?? { key: null, value: null };
  return value !== null && value.end > value.start ? value.end : (key?.end ?? start);
}

/** Where a list without brackets ends. */
export function endOfItems(items: readonly (SyntaxNode | null)[], start: number): number {
  return items.at(-1)?.end ?? start;
}
