import type { CST } from 'yaml';
import type { Finding } from './source.ts';
import { findToken } from './tokens.ts';

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}' };
const WHOLE: Readonly<Record<string, string>> = { '[': 'list', '{': 'mapping' };

/**
 * The brackets of a document that are not closed, each where it was opened: where the other one is missing nobody knows. One
 * that the wrong bracket closes leaves those around it open, too, so that it alone is told.
 */
export function openBrackets(document: CST.Token | undefined): readonly Finding[] {
  const open: CST.FlowCollection[] = [];
  findToken(document, (token) => {
    if (token.type === 'flow-collection' && closedBy(token) !== CLOSING[token.start.source]) open.push(token);
    return false;
  });
  const wrong = open.filter((token) => closedBy(token) !== undefined);
  return (wrong.length > 0 ? wrong : open)
    .sort((a, b) => a.offset - b.offset)
    .map((token) => {
      const { source, offset } = token.start;
      const closing = CLOSING[source];
      const by = closedBy(token);
      return {
        code: 'yaml-syntax',
        message: `a ${source} that ${by === undefined ? 'is not closed' : `${by} closes`}`,
        hint: `write ${closing} ${by === undefined ? `where the ${WHOLE[source]} ends` : `before the ${by}`}`,
        start: offset,
        end: offset + 1,
      };
    });
}

function closedBy({ end }: CST.FlowCollection): string | undefined {
  return end.find(({ type }) => type === 'flow-seq-end' || type === 'flow-map-end')?.source;
}
