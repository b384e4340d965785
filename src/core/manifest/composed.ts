import { type Document, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import { endOfItems, endOfPairs, type Pair, type ScalarNode, type SyntaxNode } from './syntax.ts';

/** The document that the `yaml` package composed, in the order of the text. Its depth was checked before. */
export function syntaxOf({ contents }: Document.Parsed): SyntaxNode | null {
  /** The last node so far with each anchor. */
  const anchors = new Map<string, SyntaxNode>();
  const named = <T extends SyntaxNode>(made: T, { anchor }: Node): T => {
    if (anchor !== undefined && anchor !== '') anchors.set(anchor, made);
    return made;
  };
  const read = (node: unknown): SyntaxNode | null => {
    const start = (node as Node | null)?.range?.[0] ?? 0;
    const end = (node as Node | null)?.range?.[1] ?? start;
    if (isAlias(node))
      return { type: 'alias', name: node.source, anchored: anchors.get(node.source), start, end };
    if (isScalar(node)) {
      const value = plainValue(node.value);
      return named({ type: 'scalar', value, written: node.source ?? String(value), start, end }, node);
    }
    if (isMap(node)) {
      const pairs: Pair[] = [];
      const made = named({ type: 'mapping' as const, flow: node.flow === true, pairs, start, end }, node);
      for (const { key, value } of node.items) pairs.push({ key: read(key), value: read(value) });
      if (!made.flow) made.end = endOfPairs(pairs, start);
      return made;
    }
    if (!isSeq(node)) return null;
    const items: (SyntaxNode | null)[] = [];
    const made = named({ type: 'list' as const, items, start, end }, node);
    for (const item of node.items) items.push(read(item));
    if (node.flow !== true) made.end = endOfItems(items, start);
    return made;
  };
  return read(contents);
}

function plainValue(value: unknown): ScalarNode['value'] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
