import { syntaxOf } from '../../../src/core/manifest/composed.ts';
import type { Finding } from '../../../src/core/manifest/source.ts';
import type { SyntaxNode } from '../../../src/core/manifest/syntax.ts';
import { composeDocuments } from '../../../src/core/manifest/yaml.ts';

/** The documents of a text as the `yaml` package reads them, in the form of the quick reading: null for what is empty. */
export function slowDocuments(text: string): {
  readonly findings: readonly Finding[];
  readonly roots: readonly (SyntaxNode | null)[];
} {
  const findings: Finding[] = [];
  const roots = composeDocuments(text, (finding) => findings.push(finding)).map(({ document }) =>
    withoutEmpty(syntaxOf(document)),
  );
  return { findings, roots: roots.filter((root) => root !== null) };
}

function withoutEmpty(node: SyntaxNode | null): SyntaxNode | null {
  if (node?.type === 'scalar') return node.value === null && node.written === '' ? null : node;
  if (node?.type === 'list') return { ...node, items: node.items.map(withoutEmpty) };
  if (node?.type !== 'mapping') return node;
  const pairs = node.pairs.map(({ key, value }) => ({ key: withoutEmpty(key), value: withoutEmpty(value) }));
  return { ...node, pairs };
}
