import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './program.ts';

/** A file of the documentation, by its path in the repository. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

export function pageOf(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') };
}

/** The README and all pages below docs/. */
export const PAGES: readonly Page[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
].map(pageOf);

/** Blocks of code with their language. */
export function blocksOf(markdown: string) {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}
