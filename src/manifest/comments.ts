import { isCollection, isMap, isNode, isScalar, isSeq, Lexer, type Node, type Pair } from 'yaml';

/** Marks a scalar: this token precedes the scalar's text among the lexer's tokens. */
const SCALAR_MARK = '\u001f';
/** From the end of a key to a comment on its line. */
const BEHIND_KEY = /\s*:[^\S\n]*(?:&\S+[^\S\n]*)?#/y;

export function commentsIn(text: string): string[] {
  const comments: string[] = [];
  let previous = '';
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && previous !== SCALAR_MARK) comments.push(token.trimEnd());
    previous = token;
  }
  return comments;
}

/** A mapping or list around a node, and the node that follows in it. */
interface Around {
  readonly node: Node;
  readonly column: number;
  readonly next: Node | undefined;
}

/**
 * Moves comments to the nodes that they describe. The parser attaches all comment lines at the end of a block to that block,
 * even lines with less indentation. Those lines belong to the next node of an outer block, or to the end of that block. `around`:
 * what the node lies in, the nearest one first.
 */
export function placeComments(node: Node | null, text: string, around: readonly Around[] = []): void {
  const column = columnOf(text, node?.range?.[0] ?? 0);
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      const following = node.items[index + 1];
      const next = isNode(following) ? following : undefined;
      placeComments(item as Node | null, text, [{ node, column, next }, ...around]);
    }
  } else if (isMap(node)) {
    for (const [index, pair] of node.items.entries()) {
      if (node.flow !== true) keepBehindKey(pair, text);
      const following = node.items[index + 1]?.key;
      const next = isScalar(following) ? following : undefined;
      placeComments(pair.value as Node | null, text, [{ node, column, next }, ...around]);
    }
  }
  if (isCollection(node) && node.comment?.includes('\n') === true) giveBack(node, column, text, around);
}

/** The parser attaches a comment between a key and the lines of its value to the value. It stays on the line of the key. */
function keepBehindKey(pair: Pair, text: string): void {
  const { key, value } = pair;
  if (!isScalar(key) || !isNode(value) || value.commentBefore == null) return;
  BEHIND_KEY.lastIndex = key.range?.[1] ?? 0;
  const block = isCollection(value) && value.flow !== true;
  // A line holds one comment.
  if ((value.comment != null && !block) || !BEHIND_KEY.test(text)) return;
  const [comment, ...below] = value.commentBefore.split('\n');
  value.commentBefore = below.join('\n').replace(/^\n+/, '') || null;
  const write = pair.toString.bind(pair);
  pair.toString = (...context) => write(...context).replace(/$/m, () => ` #${comment}`);
}

function giveBack(node: Node, column: number, text: string, around: readonly Around[]): void {
  const lines = (node.comment ?? '').split('\n');
  const indents = indentsBefore(text, node.range?.[2] ?? 0, lines.filter((line) => line !== '').length);
  const parts: { place: Around | undefined; lines: string[] }[] = [{ place: undefined, lines: [] }];
  let seen = 0;
  for (const line of lines) {
    const part = parts.at(-1);
    const indent = line === '' ? undefined : indents[seen++];
    const now = part?.place?.column ?? column;
    const place =
      indent === undefined || indent >= now ? part?.place : around.find((one) => one.column <= indent);
    if (place === part?.place) part?.lines.push(line);
    else parts.push({ place, lines: [line] });
  }
  const [kept, ...moved] = parts;
  if (moved.length === 0) return;
  node.comment = withoutEnd(kept?.lines ?? []);
  for (const [index, { place, lines: own }] of moved.entries()) {
    const gap = parts[index]?.lines.at(-1) === '';
    if (place?.next !== undefined) {
      const { next } = place;
      next.commentBefore = joined(own, next.commentBefore);
      if (gap) next.spaceBefore = true;
    } else if (place !== undefined) {
      place.node.comment = joined([withoutEnd(own)], place.node.comment);
    }
  }
}

function joined(lines: readonly string[], more: string | null | undefined): string {
  return [...lines, ...(more == null ? [] : [more])].join('\n');
}

function withoutEnd(lines: readonly string[]): string {
  return lines.join('\n').replace(/\n+$/, '');
}

/** The indentation of the last `count` comment lines before an offset, in their order. */
function indentsBefore(text: string, end: number, count: number): readonly number[] {
  const found: number[] = [];
  const lines = text.slice(0, end).split('\n');
  for (let line = lines.pop(); line !== undefined && found.length < count; line = lines.pop()) {
    if (/^\s*#/.test(line)) found.unshift(line.length - line.trimStart().length);
    else if (line.trim() !== '') break;
  }
  return found;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}
