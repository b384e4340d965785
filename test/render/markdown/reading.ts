import type { Nodes, Parents } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Markdown as GitHub reads it. */
export function read(markdown: string): Nodes {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

export function allNodes(node: Nodes): Nodes[] {
  return [node, ...('children' in node ? (node as Parents).children.flatMap(allNodes) : [])];
}

/** What our documents are made of. No link, image, footnote, definition, strike-through, rule or line break is among it. */
const OURS: ReadonlySet<Nodes['type']> = new Set([
  'root',
  'heading',
  'paragraph',
  'text',
  'strong',
  'emphasis',
  'inlineCode',
  'code',
  'html',
  'list',
  'listItem',
  'table',
  'tableRow',
  'tableCell',
  'blockquote',
]);

/** Signs that Markdown or a forge gives a meaning to: none is needed outside of code. */
const SIGNS = /[@#$~&^*_`<>|\\{}[\]=/]/;
/** References and names that need none of these signs. */
const REFERENCES: readonly RegExp[] = [
  /\b(?=[0-9a-f]*\d|[a-f]{7})[0-9a-f]{7,40}\b/i,
  /\b[A-Z]{2,}-\d/,
  /:[\w+-]+:/,
  /\b(?:www\.|https?:|mailto:|xmpp:)/i,
  /[\w-]+\.[a-z]{2,}/i,
  /![\d[]/,
];
const HEADER =
  /^<!-- tradeform:(?:changes(?: [A-Za-z0-9%._~/-]+:[a-z+-]+(?::[0-9a-f]{32}){1,2})+(?: order:[0-9a-f]{32})?|[a-z]+(?: [a-z]+=[A-Za-z0-9%._~-]*){3}) -->$/;
const SUMMARY = /^<details><summary>([^\n]*)<\/summary>$/;

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/** Where the links of a test lead to; no other link is ours. */
export const FILES = 'https://forge.invalid/desk/tasks/blob/0123abc/';
const LINK = /^https:\/\/forge\.invalid\/desk\/tasks\/blob\/0123abc\/[A-Za-z0-9%._~/-]+#L\d+$/;

/** What in the document is not ours: each a sentence. Empty is what every document has to give. */
export function strangers(markdown: string): string[] {
  const nodes = allNodes(read(markdown));
  const html = nodes.flatMap((node) => (node.type === 'html' ? [node.value] : []));
  const opened = html.filter((tag) => SUMMARY.test(tag)).length;
  const closed = html.filter((tag) => tag === '</details>').length;
  return [
    ...nodes.flatMap(strange),
    ...(opened === closed ? [] : [`${opened} details are opened, ${closed} closed`]),
    ...markdown.split('\n').flatMap(commands),
    ...(INVISIBLE.test(markdown.replaceAll('\n', '')) ? ['an invisible character'] : []),
  ];
}

function strange(node: Nodes): string[] {
  if (node.type === 'link' && LINK.test(node.url) && node.title == null)
    return node.children.every(({ type }) => type === 'inlineCode')
      ? []
      : ['a link that is no piece of code'];
  if (!OURS.has(node.type)) return [`${node.type}: ${JSON.stringify(node)}`];
  if (node.type === 'listItem' && node.checked != null) return ['a task list'];
  if (node.type === 'heading' && (node.depth < 2 || node.depth > 3))
    return [`a heading of depth ${node.depth}`];
  if (node.type === 'text') return plain(node.value);
  if (node.type === 'code') {
    const lines = node.value.split('\n').filter((line) => !/^[-+] |^ {2}… /.test(line));
    return [
      ...(node.lang === 'diff' ? [] : [`a fence of ${node.lang}`]),
      ...lines.map((line) => `in a diff: ${line}`),
    ];
  }
  if (node.type !== 'html' || HEADER.test(node.value) || /^<\/(?:details|sub)>$|^<sub>$/.test(node.value))
    return [];
  const summary = SUMMARY.exec(node.value)?.[1];
  if (summary === undefined) return [`HTML: ${node.value}`];
  return plain(summary.replace(/<code>[^<>]*<\/code>/g, '').replace(/^<b>([^<>]*)<\/b>/, '$1'));
}

function plain(text: string): string[] {
  const found = [SIGNS, ...REFERENCES].flatMap((sign) => sign.exec(text)?.[0] ?? []);
  return found.map((sign) => `${JSON.stringify(sign)} in ${JSON.stringify(text)}`);
}

/** Quick actions of GitLab, commands of chat bots and of workflow runners begin a line; some runners look anywhere. */
function commands(line: string): string[] {
  return /^\s*(?:\/|::)|##(?:\[|vso\[)/.test(line) ? [`a command: ${line}`] : [];
}

/** The blocks of the document, without what stands in them: no text may add one or take one away. */
export function skeleton(markdown: string): string {
  const inline = new Set(['text', 'inlineCode', 'strong', 'emphasis', 'link']);
  const of = (node: Nodes): string => {
    if (inline.has(node.type)) return '';
    const children = 'children' in node ? (node as Parents).children.map(of).join('') : '';
    const tag = node.type === 'html' ? node.value.slice(0, 9) : '';
    return `(${node.type}${tag}${children})`;
  };
  return of(read(markdown));
}

/** The text of code spans and of fences, as a reader sees it. */
export function codes(markdown: string): string[] {
  return allNodes(read(markdown)).flatMap((node) =>
    node.type === 'inlineCode' ? [node.value] : node.type === 'code' ? [node.value] : [],
  );
}
