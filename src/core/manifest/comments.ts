import type { YAMLMap, YAMLSeq } from 'yaml';
import { isCollection, isMap, isNode, isPair, isScalar, isSeq, Lexer, type Node, type Pair } from 'yaml';

/** Marks a scalar: this token precedes the scalar's text among the lexer's tokens. */
const SCALAR_MARK = '\u001f';
/** From the end of a key to a comment on its line, perhaps behind the bracket that opens the value. */
const BEHIND_KEY = /\s*:[^\S\n]*(?:&\S+[^\S\n]*)?([{[][^\S\n]*)?#/y;
/** A comment behind the dash of an item, and the lines below it, up to the item. */
const BEHIND_DASH = /-[^\S\n]*((?:#[^\n]*\n\s*)+)$/;
const BEHIND_BRACKET = /[{[][^\S\n]*#/y;

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
  const start = node?.range?.[0] ?? 0;
  const column = start - text.lastIndexOf('\n', start - 1) - 1;
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      const following = node.items[index + 1];
      const next = isNode(following) ? following : undefined;
      const before = node.items[index - 1];
      const from = (isNode(before) ? before.range?.[2] : node.range?.[0]) ?? 0;
      if (node.flow !== true && isCollection(item)) keepBehindDash(item, from, text);
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

/**
 * The parser attaches a comment between a key and the lines of its value to the value, or to what is first in its brackets. It stays
 * on the line of the key.
 */
function keepBehindKey(pair: Pair, text: string): void {
  const { key, value } = pair;
  if (!isScalar(key) || !isNode(value)) return;
  BEHIND_KEY.lastIndex = key.range?.[1] ?? 0;
  const found = BEHIND_KEY.exec(text);
  const block = isCollection(value) && value.flow !== true;
  // A line holds one comment.
  if (found === null || (value.comment != null && !block)) return;
  const holder = found[1] === undefined ? value : firstIn(value);
  if (holder?.commentBefore == null) return;
  const [comment, ...below] = holder.commentBefore.split('\n');
  holder.commentBefore = below.join('\n').replace(/^\n+/, '') || null;
  const write = pair.toString.bind(pair);
  pair.toString = (...context) => write(...context).replace(/$/m, () => ` #${comment}`);
}

function firstIn(node: Node): Node | undefined {
  const [first] = isCollection(node) ? node.items : [];
  const item = isPair(first) ? first.key : first;
  return isNode(item) ? item : undefined;
}

/** A comment behind the dash of an item, or behind the bracket that follows, stays on that line. */
function keepBehindDash(item: YAMLMap | YAMLSeq, from: number, text: string): void {
  const start = item.range?.[0] ?? 0;
  BEHIND_BRACKET.lastIndex = start;
  const inside = item.flow === true && BEHIND_BRACKET.test(text);
  const behind = BEHIND_DASH.exec(text.slice(from, start))?.[1]?.match(/^\s*#/gm)?.length ?? 0;
  const holder = inside ? firstIn(item) : item;
  const lines = holder?.commentBefore?.split('\n') ?? [];
  const kept = inside ? lines.splice(0, 1) : lines.splice(behind === 0 ? lines.length : -behind);
  if (holder === undefined || kept.length === 0) return;
  holder.commentBefore = lines.join('\n') || null;
  const write = item.toString.bind(item);
  item.toString = (context, ...rest) =>
    [...kept.map((line) => `#${line}`), write(context, ...rest)].join(`\n${context?.indent ?? ''}`);
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
