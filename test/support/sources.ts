import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

interface Import {
  readonly from: string;
  readonly to: string;
}

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Without comments and without the contents of strings. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export const ROOT = resolve(import.meta.dirname, '../..');

/** What is written in TypeScript in a folder of the repository, and below it. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.d)\.ts$/.test(name))
    .map((name) => {
      const path = relative(ROOT, join(ROOT, folder, name)).replaceAll('\\', '/');
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, code: bare(text), imports: importsOf(path, text) };
    });
}

const FROM = /\b(?:import|export)\b[^;'"`]*?\bfrom\s*(['"])([^'"]+)\1/g;
const BARE = /\bimport\s*(['"])([^'"]+)\1/g;
const LATER = /\bimport\s*\(\s*(['"])([^'"]+)\1\s*[,)]/g;

/** Static, type and dynamic imports, and re-exports. */
export function importsOf(path: string, text: string, patterns = [FROM, BARE, LATER]): Import[] {
  const clean = withoutComments(text);
  return patterns.flatMap((pattern) =>
    [...clean.matchAll(pattern)].map((match) => {
      const specifier = match[2] ?? '';
      const to = specifier.startsWith('.')
        ? relative(ROOT, resolve(ROOT, dirname(path), specifier)).replaceAll('\\', '/')
        : specifier;
      return { from: path, to };
    }),
  );
}

/** The source files that are loaded together with one of them: values only, because types are erased, and no `import()`. */
export function loadedWith(start: readonly string[], all: readonly SourceFile[]): readonly SourceFile[] {
  const files = new Map(all.map((file) => [file.path, file]));
  const loaded = new Map<string, SourceFile>();
  const load = (path: string): void => {
    const file = files.get(path);
    if (file === undefined || loaded.has(path)) return;
    loaded.set(path, file);
    for (const { to } of importsOf(path, withoutTypes(file.text), [FROM, BARE])) load(to);
  };
  start.forEach(load);
  return [...loaded.values()];
}

function withoutTypes(text: string): string {
  return text.replace(/^(?:import|export) type\b[^;]*;/gm, '');
}

/** Not of every text, but of what is written here: a comment begins after no quote. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/[^\n]*/g, '$1');
}

function bare(text: string): string {
  return withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
}
