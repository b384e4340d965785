import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FULL } from '../support/sample.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = 'src/kit/explain/explain.ts';
const PATIENCE = 300_000;

/** A checkout with an older dist/. Building it takes long: `npm run night` does. */
let checkout: string;
beforeAll(() => {
  if (!FULL) return;
  checkout = mkdtempSync(join(tmpdir(), 'checkout-'));
  const listed = [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '-z',
    ':!test',
    ':!docs',
    ':!examples',
  ];
  const files = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  // A help page is read while the program is built.
  for (const file of [...files, 'docs/reference', 'examples/ci'].filter((name) => name !== '')) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    cpSync(join(ROOT, file), join(checkout, file), { recursive: true });
  }
  mkdirSync(join(checkout, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(checkout, 'node_modules', name));
  mkdirSync(join(checkout, 'dist/types/src'), { recursive: true });
  for (const name of ['dist/main.cjs', 'dist/tradeform.cjs', 'dist/types/src/gone.d.ts'])
    writeFileSync(join(checkout, name), 'console.log("older")\n');
});
afterAll(() => {
  if (FULL) rmSync(checkout, { recursive: true, force: true });
});

function pack() {
  return spawnSync('npm', ['pack', '--silent'], {
    cwd: checkout,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
}

function change(from: string, to: string): void {
  const text = readFileSync(join(checkout, SOURCE), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(checkout, SOURCE), text.replace(from, to));
}

it.runIf(FULL)('npm pack packs the program as its sources are now', { timeout: PATIENCE }, () => {
  change('name something to explain', 'name what was packed');
  const whole = readFileSync(join(checkout, 'package.json'), 'utf8');
  const { status, stdout, stderr } = pack();
  expect(status, stderr).toBe(0);
  execFileSync('tar', ['-xzf', stdout.trim().split('\n').at(-1) ?? ''], { cwd: checkout });
  const ran = spawnSync(process.execPath, [join(checkout, 'package/dist/tradeform.cjs'), 'explain'], {
    encoding: 'utf8',
  });
  expect(ran.stderr).toContain('name what was packed');
  expect(readdirSync(join(checkout, 'package/dist/types/src'))).not.toContain('gone.d.ts');
  const packed = JSON.parse(readFileSync(join(checkout, 'package/package.json'), 'utf8'));
  for (const name of ['scripts', 'devDependencies', 'allowScripts']) expect(packed).not.toHaveProperty(name);
  expect(readFileSync(join(checkout, 'package.json'), 'utf8')).toBe(whole);
});

it.runIf(FULL)('npm pack packs nothing where the program cannot be built', { timeout: PATIENCE }, () => {
  for (const name of readdirSync(checkout)) if (name.endsWith('.tgz')) rmSync(join(checkout, name));
  change('export async function runExplain(', 'export async function runExplain((');
  expect(pack().status).not.toBe(0);
  expect(readdirSync(checkout).filter((name) => name.endsWith('.tgz'))).toEqual([]);
});
