// A commit, built and packed in a clone of its own.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesBelow, nodeOf, npm } from './tools.mjs';

const NPM = 11;

/** Clones the commit into the folder, gives its files this time, and packs it. Resolves with what was made. */
export function buildClone({ root, commit, folder, node, time, env }) {
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
  mkdirSync(folder, { recursive: true });
  git('clone', '--quiet', '--no-hardlinks', '--no-checkout', root, '.');
  git('checkout', '--quiet', '--detach', commit);
  for (const file of git('ls-files', '-z').split('\0').slice(0, -1))
    utimesSync(join(folder, file), time, time);
  const npmHere = (...args) => npm(NPM, nodeOf(node), args, { cwd: folder, env });
  npmHere('ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  npmHere('pack', '--silent');
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  return { folder, dist: filesBelow(join(folder, 'dist')), file: join(folder, file), name: basename(file) };
}
