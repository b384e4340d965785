import { type Alias, isAlias, isMap, isNode, isSeq, type Node } from 'yaml';

/**
 * What each alias of a document stands for: the last node before it with that anchor. Taken in the order of the text and
 * without recursion.
 */
export function aliasTargets(root: Node): ReadonlyMap<Alias, Node> {
  const targets = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  const stack: unknown[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
      continue;
    }
    if (!isNode(node)) continue;
    if (node.anchor !== undefined && node.anchor !== '') anchors.set(node.anchor, node);
    if (isSeq(node)) for (const item of [...node.items].reverse()) push(stack, item);
    if (isMap(node)) {
      for (const { key, value } of [...node.items].reverse()) {
        push(stack, value);
        push(stack, key);
      }
    }
  }
  return targets;
}

function push(stack: unknown[], item: unknown): void {
  if (item !== null && item !== undefined) stack.push(item);
}
