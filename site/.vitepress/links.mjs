import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

/** Where files of the repository are shown: DOCS_SOURCE_URL. */
const SOURCE = process.env.DOCS_SOURCE_URL;

/** The path of a page on the site: README.md is the first page of its folder. */
export function sitePath(page) {
  return page.replace(/(^|\/)README\.md\b/, '$1index.md');
}

/** A plugin of markdown-it: the first page of the site is the README of the repository. The sidebar lists what docs/README.md does. */
export function readmeFirst(md) {
  md.core.ruler.before('normalize', 'readme-first', (state) => {
    if (sitePath(state.env.relativePath) === 'index.md') state.src = readme();
  });
}

function readme() {
  return readFileSync(`${DOCS}../README.md`, 'utf8')
    .replace(/^\[All pages\].*$/m, '')
    .replaceAll(/\]\((?![a-z]+:|docs\/)/g, '](../')
    .replaceAll('](docs/', '](');
}

/** Anchors of headings as GitHub makes them, so that a link works in both places. */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * A plugin of markdown-it: links to README.md lead to the page that it is on the site. A link to a file of the repository that is no
 * page of the site leads to SOURCE; without SOURCE it becomes text, with the path of the file as its tooltip.
 */
export function repositoryLinks(md) {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const { children } of tokens) if (children) resolveLinks(children, posix.dirname(env.relativePath));
  });
  // Vue takes two braces for an expression.
  const { text } = md.renderer.rules;
  md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
}

function resolveLinks(children, folder) {
  let outside = false;
  for (const token of children) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? '';
      const file = posix.join('docs', folder, href);
      const foreign = !/^(#|[a-z]+:)/.test(href) && !file.startsWith('docs/');
      outside = foreign && SOURCE === undefined;
      if (!outside) token.attrSet('href', foreign ? `${SOURCE}/${file}` : sitePath(href));
      else replaceBy(token, 'span_open', [['title', `In the repository: ${file}`]]);
    } else if (token.type === 'link_close' && outside) {
      replaceBy(token, 'span_close', null);
      outside = false;
    }
  }
}

function replaceBy(token, type, attrs) {
  token.type = type;
  token.tag = 'span';
  token.attrs = attrs;
}

/** A plugin of markdown-it: an empty cell in the head of a table is no heading of a column. */
export function plainHeaders(md) {
  md.core.ruler.push('plain-headers', ({ tokens }) => {
    for (const [index, { content, type }] of tokens.entries()) {
      if (type !== 'inline' || content !== '' || tokens[index - 1].type !== 'th_open') continue;
      tokens[index - 1].tag = 'td';
      tokens[index + 1].tag = 'td';
    }
  });
}
