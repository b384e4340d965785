import { createHash } from 'node:crypto';

/** What a page of ours is made of, with the attributes that each element has. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  html: ['lang'],
  head: [],
  meta: ['charset', 'name', 'content', 'http-equiv'],
  title: [],
  style: [],
  body: [],
  header: ['class'],
  main: [],
  footer: [],
  section: ['class', 'data-kept'],
  form: ['id', 'role', 'hidden'],
  script: [],
  table: ['class'],
  th: ['scope'],
  td: ['class'],
  svg: ['class', 'viewBox', 'preserveAspectRatio', 'aria-hidden'],
  rect: ['class', 'x', 'y', 'width', 'height'],
  li: ['class', 'data-kept', 'data-action', 'data-kind', 'data-label', 'data-provenance', 'data-account'],
  ...Object.fromEntries(
    ['p', 'ul', 'div', 'span', 'b', 'details', 'summary', 'strong'].map((name) => [name, ['class']]),
  ),
  ...Object.fromEntries(
    [
      'h1',
      'h2',
      'h3',
      'h4',
      'i',
      'kbd',
      'code',
      'del',
      'ins',
      'small',
      'caption',
      'thead',
      'tbody',
      'tr',
    ].map((name) => [name, []]),
  ),
};
const EMPTY = new Set(['meta', 'rect']);
const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?: [a-zA-Z-]+(?:="[^"<>]*")?)*)(\/?)>/g;
/** Text of others may hold none of these; a page has line breaks of its own. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** What of a page a browser would take for anything but our own elements, in our own order, and text; empty where nothing is. */
export function strangersInPage(page: string): readonly string[] {
  const { style, script, rest } = partsOf(page);
  const found: string[] = [];
  const open: string[] = [];
  let at = 0;
  const textUntil = (end: number) => {
    const text = rest.slice(at, end);
    if (/[<>]/.test(text)) found.push(`markup in ${text.slice(0, 80)}`);
    if (HIDDEN.test(text.replaceAll('\n', '')))
      found.push(`a hidden character in ${JSON.stringify(text.slice(0, 80))}`);
  };
  for (const match of rest.matchAll(TAG)) {
    const [whole, closes, name = '', attributes = ''] = match;
    textUntil(match.index);
    at = match.index + whole.length;
    if (closes === '/') {
      const last = open.pop();
      if (last !== name) found.push(`</${name}> closes ${last}`);
      continue;
    }
    const known = Object.hasOwn(OURS, name) ? OURS[name] : undefined;
    const names = [...attributes.matchAll(/ ([a-zA-Z-]+)(?:="[^"]*")?/g)].map(([, one = '']) => one);
    if (known === undefined || names.some((one) => !known.includes(one))) found.push(whole);
    if (HIDDEN.test(attributes.replaceAll('\n', ''))) found.push(`a hidden character in ${whole}`);
    if (!EMPTY.has(name)) open.push(name);
  }
  textUntil(rest.length);
  if (open.length > 0) found.push(`left open: ${open.join(' ')}`);
  if (/url\(|@import|https?:/.test(style)) found.push('the style loads something');
  if (/https?:|fetch|XMLHttp|import\(|innerHTML|eval/.test(script))
    found.push('the script does more than it should');
  return found;
}

/** The policy of a page as a browser reads it, and the one that its style and script need. */
export function policiesOf(page: string): { readonly written: string; readonly needed: string } {
  const { style, script } = partsOf(page);
  const [, content = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  const written = content.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const needed = `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; base-uri 'none'; form-action 'none'`;
  return { written, needed };
}

/** A browser ends each at the first end tag, whatever stands before it. */
function partsOf(page: string) {
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
  const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '';
  const rest = page
    .replace(/^<!doctype html>\n/, '')
    .replace(style, () => '')
    .replace(script, () => '');
  return { style, script, rest };
}

/** What a reader sees, without its layout. */
export function textOf(page: string): string {
  return partsOf(page)
    .rest.replace(TAG, ' ')
    .replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');
}
