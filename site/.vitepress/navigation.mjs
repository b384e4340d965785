import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { DOCS, sitePath } from './links.mjs';

/**
 * The sidebar: a group for each heading of docs/README.md with the pages that are linked below it, in their order. Titles are the
 * headings of the pages. A folder with a README.md of its own (codes/) is a closed group.
 */
export function sidebar() {
  const [, ...sections] = read('README.md').split(/^## /m);
  return sections.map((section) => ({
    text: section.slice(0, section.indexOf('\n')),
    items: [...new Set(pagesIn(section))].map(item),
  }));
}

function pagesIn(section) {
  return [...section.matchAll(/\]\(([^)#]+)[^)]*\)/g)]
    .map(([, target]) => target)
    .filter((target) => !target.startsWith('..'));
}

function item(page) {
  const folder = posix.dirname(page);
  const below =
    posix.basename(page) !== 'README.md'
      ? []
      : readdirSync(DOCS + folder).filter((file) => file !== 'README.md');
  return {
    text: titleOf(page),
    link: `/${sitePath(page)}`,
    ...(below.length === 0
      ? {}
      : { collapsed: true, items: below.sort().map((file) => item(posix.join(folder, file))) }),
  };
}

function titleOf(page) {
  const [, heading = page] = /^# (.*)$/m.exec(read(page)) ?? [];
  return heading.replaceAll('`', '');
}

function read(page) {
  return readFileSync(DOCS + page, 'utf8');
}
