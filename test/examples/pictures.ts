import type { Nodes, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Pictures of what tradeform prints, for the README: SVG that follows the light or dark scheme of whoever looks. */

const STYLE = `
:root{--bg:#fff;--fg:#1f2328;--dim:#59636e;--line:#d1d9e0;--bar:#f6f8fa;--red:#b31d28;--green:#1a7f37;--yellow:#7d4e00}
@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;--bar:#151b23;--red:#ff8182;--green:#56d364;--yellow:#e3b341}}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--fg);white-space:pre}
.strong{font-weight:bold}.dim{fill:var(--dim)}.red{fill:var(--red)}.green{fill:var(--green)}.yellow{fill:var(--yellow)}
.frame{fill:var(--bg);stroke:var(--line)}.bar{fill:var(--bar)}
`;
const BAR = 34;
const MARGIN = 16;

function svg(width: number, height: number, title: string, body: string, style = ''): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}${style}</style>
<rect class="frame" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6"/>
<path class="bar" d="M1 ${BAR}V7a6 6 0 0 1 6-6h${width - 14}a6 6 0 0 1 6 6v${BAR - 7}z"/>
${body}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const CELL = 8.4;
const ROW = 20;
/** Select graphic rendition: which class a code sets, and which ends one. */
const CLASSES: Readonly<Record<string, string>> = {
  1: 'strong',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
};
const ENDS: Readonly<Record<string, readonly string[]>> = {
  0: Object.values(CLASSES),
  22: ['strong', 'dim'],
  39: ['red', 'green', 'yellow'],
};

/** A screen of a terminal: a command, and what it printed with colours. */
export function screenOf(command: string, printed: string): string {
  const lines = printed.trimEnd().split('\n');
  const on = new Set<string>();
  const rows = lines.map((line, row) => {
    let column = 0;
    const runs = [...line.matchAll(/\x1b\[(\d+)m|[^\x1b]+/g)].map(([text, code]) => {
      if (code === undefined) {
        const from = column;
        column += [...text].length;
        if (text.trim() === '') return '';
        return `<text x="${at(MARGIN + from * CELL)}" y="${BAR + MARGIN + 8 + row * ROW}" textLength="${at((column - from) * CELL)}"${on.size === 0 ? '' : ` class="${[...on].join(' ')}"`}>${escaped(text)}</text>`;
      }
      if (CLASSES[code] !== undefined) on.add(CLASSES[code]);
      for (const ended of ENDS[code] ?? []) on.delete(ended);
      return '';
    });
    return runs.join('');
  });
  const width = Math.ceil(80 * CELL + 2 * MARGIN);
  const head = `<text x="${MARGIN}" y="22" class="dim">$ ${escaped(command)}</text>`;
  const body = [head, ...rows.filter((row) => row !== '')].join('\n');
  return svg(width, BAR + 2 * MARGIN + lines.length * ROW - 4, `$ ${command}`, body);
}

function at(pixels: number): string {
  return String(Math.round(pixels * 10) / 10);
}

const PAGE = `
.comment{font:14px -apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,"DejaVu Sans",sans-serif;line-height:20px;color:var(--fg)}
.comment h2{font-size:20px;line-height:26px;margin:0 0 10px}.comment h3{font-size:16px;margin:0 0 8px}.comment p{margin:0 0 10px}.comment sub{color:var(--dim)}
.comment code{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;background:var(--bar);padding:1px 4px;border-radius:4px}
.comment ul{margin:0 0 10px;padding-left:24px}.comment li p{margin:0}
.comment table{border-collapse:collapse;width:100%;table-layout:fixed;margin:0 0 10px}.comment td,.comment th{border:1px solid var(--line);padding:4px 8px;text-align:left;vertical-align:top}
.comment th:nth-child(1){width:84px}.comment th:nth-child(2){width:200px}.comment th:nth-child(4){width:110px}.comment :is(td,th):nth-child(4){text-align:right}
`;
const COMMENT_WIDTH = 860;

/** A comment as a forge shows it: what is folded has its title alone. */
export function commentOf(title: string, markdown: string): string {
  const tree: Root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const shown: string[] = [];
  let folded = false;
  let height = 0;
  for (const node of tree.children) {
    const summary =
      node.type === 'html' ? /^<details><summary>(.*)<\/summary>/.exec(node.value)?.[1] : undefined;
    if (summary !== undefined) {
      shown.push(`<p>▸ ${summary}</p>`);
      height += 30;
      folded = true;
    } else if (node.type === 'html') folded &&= !node.value.includes('</details>');
    else if (!folded) {
      shown.push(xhtmlOf(node));
      height += heightOf(node);
    }
  }
  const head = `<text x="${MARGIN}" y="22" class="dim">${escaped(title)}</text>`;
  const body = `${head}
<foreignObject x="${MARGIN}" y="${BAR + MARGIN}" width="${COMMENT_WIDTH - 2 * MARGIN}" height="${height}"><div xmlns="http://www.w3.org/1999/xhtml" class="comment">
${shown.join('\n')}
</div></foreignObject>`;
  return svg(COMMENT_WIDTH, BAR + 2 * MARGIN + height, title, body, PAGE);
}

/** Enough for a font of usual width. */
function heightOf(node: RootContent): number {
  const rows = (text: string, width: number) => Math.ceil((text.length * 7) / width);
  if (node.type === 'heading') return node.depth === 2 ? 36 : 28;
  if (node.type === 'list') return node.children.reduce((sum, item) => sum + heightOf(item), 10);
  if (node.type !== 'table') return 10 + 20 * rows(textOf(node), COMMENT_WIDTH - 2 * MARGIN);
  const widths = [68, 184, COMMENT_WIDTH - 2 * MARGIN - 460, 94];
  const lines = node.children.map(({ children }) =>
    Math.max(...children.map((cell, index) => rows(textOf(cell), widths[index] ?? 100))),
  );
  return 10 + lines.reduce((sum, count) => sum + count * 20 + 9, 0);
}

function textOf(node: Nodes): string {
  if ('children' in node) return node.children.map(textOf).join('');
  return 'value' in node ? node.value : '';
}

function xhtmlOf(node: Nodes): string {
  const inner = () => ('children' in node ? node.children.map(xhtmlOf).join('') : '');
  const within = (tag: string) => `<${tag}>${inner()}</${tag}>`;
  switch (node.type) {
    case 'text':
      return escaped(node.value);
    case 'inlineCode':
      return `<code>${escaped(node.value)}</code>`;
    case 'html':
      return node.value;
    case 'heading':
      return within(`h${node.depth}`);
    case 'paragraph':
      return within('p');
    case 'strong':
      return within('strong');
    case 'list':
      return within('ul');
    case 'listItem':
      return within('li');
    case 'table':
      return `<table>${node.children.map((row, index) => `<tr>${row.children.map((cell) => `<t${index === 0 ? 'h' : 'd'}>${cell.children.map(xhtmlOf).join('')}</t${index === 0 ? 'h' : 'd'}>`).join('')}</tr>`).join('\n')}</table>`;
    default:
      throw new Error(`a ${node.type} has no picture yet`);
  }
}
