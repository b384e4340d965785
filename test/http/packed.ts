import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The executable as `npm install` of the packed tarball leaves it. */
    tradeform: string;
  }
}

const ROOT = join(import.meta.dirname, '../..');

/**
 * Packs what is built, as `npm publish` would, and installs the tarball into a folder of its own, offline: the package
 * needs nothing beside itself. `npm test` builds first; nothing is built here, since other tests use dist/ meanwhile.
 */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tradeform-packed-'));
  npm(ROOT, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack left no tarball');
  npm(
    folder,
    'install',
    '--prefix',
    folder,
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    tarball,
  );
  project.provide('tradeform', join(folder, 'node_modules/tradeform/dist/tradeform.cjs'));
  return () => rmSync(folder, { recursive: true, force: true });
}

function npm(cwd: string, ...args: readonly string[]): void {
  execFileSync('npm', [...args, '--silent'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}
