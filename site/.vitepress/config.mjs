// The documentation as a site: `npm run docs` writes it to dist-docs/. It asks nobody for anything: the search is local.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

/** A copy of docs/ (see the script in package.json): VitePress looks for its packages above the pages. */
const DOCS = fileURLToPath(new URL('../pages', import.meta.url));
/** Where files of the repository are shown, such as https://git.example.invalid/desk/tradeform/blob/main; links to them otherwise lose their target. */
const SOURCE = process.env.DOCS_SOURCE_URL;

/** The name of a language in a contrast that can be read, and no key in the search button, whose name does not have it. */
const READABLE =
  '.vp-doc [class*="language-"] > span.lang { color: var(--vp-c-text-1) } .DocSearch-Button-Keys { display: none !important }';

export default defineConfig({
  title: 'tradeform',
  description: 'Trading tasks as code: plan, review and apply from YAML in git.',
  lang: 'en',
  srcDir: DOCS,
  outDir: fileURLToPath(new URL('../../dist-docs', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../.cache', import.meta.url)),
  head: [['style', {}, READABLE]],
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => markdown.core.ruler.push('files of the repository', leaveTheSite),
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar(),
    outline: [2, 3],
  },
});

/** The lists of docs/README.md, section by section. */
function sidebar() {
  const sections = readFileSync(`${DOCS}/README.md`, 'utf8').split(/^## /m).slice(1);
  return sections.map((section) => {
    const [text, ...lines] = section.split('\n');
    const links = [...lines.join(' ').matchAll(/\[([^\]]+)\]\(([^)\s]+\.md)\)/g)];
    return {
      text,
      items: links
        .filter(([, , target]) => !target.startsWith('..'))
        .map(([, label, target]) => ({
          text: label.replaceAll('`', ''),
          link: `/${target.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '')}`,
        })),
    };
  });
}

/** Links to files outside of docs/ lead to the repository, where it is known, and are plain text otherwise. */
function leaveTheSite(state) {
  for (const { children } of state.tokens) {
    const open = [];
    for (const token of children ?? []) {
      if (token.type === 'link_open') {
        const outside = targetOutside(state.env.relativePath ?? '', token.attrGet('href'));
        open.push(outside !== undefined && SOURCE === undefined);
        if (outside === undefined) continue;
        if (SOURCE === undefined) plain(token, 'span');
        else token.attrSet('href', `${SOURCE}/${outside}`);
      } else if (token.type === 'link_close' && open.pop()) plain(token, 'span');
    }
  }
}

function plain(token, tag) {
  token.tag = tag;
  token.type = token.nesting === 1 ? 'span_open' : 'span_close';
  token.attrs = null;
}

/** The path in the repository; undefined for pages of the site, anchors and other hosts. */
function targetOutside(page, href) {
  if (/^(?:[a-z]+:|#)/.test(href)) return undefined;
  const path = posix.join('docs', posix.dirname(page), href);
  return path.startsWith('docs/') ? undefined : path;
}
