/**
 * Builds docs/ as a site, in dist-docs/.
 *
 *   npm run docs               builds; a dead link or a warning fails
 *   npm run docs -- --serve    builds, and serves the site on loopback
 *   npm run docs -- --test     builds, and tests the site in Chromium
 *
 * With DOCS_SOURCE_URL, such as https://git.example.invalid/desk/tradeform/blob/main, links to files that are no pages lead there;
 * without, they are plain text. What it needs is installed in site/node_modules when it is missing or older than the lock file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptOptions } from '../test/support/script-options.mjs';

const SITE = fileURLToPath(new URL('.', import.meta.url));
const { values } = scriptOptions({ options: { serve: { type: 'boolean' }, test: { type: 'boolean' } } });

const installed = join(SITE, 'node_modules/.package-lock.json');
const lock = join(SITE, 'package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs)
  run('npm', ['ci', '--prefix', SITE, '--ignore-scripts', '--no-audit', '--no-fund']);

const vitepress = [join(SITE, 'node_modules/vitepress/bin/vitepress.js')];
const said = run(process.execPath, [...vitepress, 'build', SITE]);
if (/warn/i.test(said)) fail('the build warned');
if (values.test) run(process.execPath, ['--test', join(SITE, 'test/site.test.mjs')]);
if (values.serve)
  spawnSync(process.execPath, [...vitepress, 'preview', SITE, '--host', '127.0.0.1'], { stdio: 'inherit' });

/** Runs a program, shows what it prints, and ends with it when it fails. */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (error !== undefined) fail(error.message);
  process.stderr.write(stderr);
  process.stdout.write(stdout);
  if (status !== 0) process.exit(1);
  return stdout + stderr;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
