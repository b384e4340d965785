import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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
 * needs nothing beside itself. npm does both at once where the links to a folder are installed. `npm test` builds first;
 * nothing is built here, since other tests use dist/ meanwhile.
 */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tradeform-packed-'));
  npm(
    folder,
    'install',
    '--prefix',
    folder,
    '--install-links',
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ROOT,
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
