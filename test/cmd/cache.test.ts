import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { copyTrade } from '../manifest/samples.ts';
import { folder, projectFiles, tradeform } from './run.ts';

/** A base58 text of 32 bytes for each number: zeros, and then the number. */
function wallet(number: number): string {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const [high = '', low = ''] = [Math.floor(number / 58), number % 58].map((digit) => letters[digit]);
  return `5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge${high}${low}1`;
}

const SECRET = wallet(2_000);
/** Enough that several threads read, and that it is kept for the next run. */
const MANY = 120;
const PADDING = '# What this task is for, who asked for it, and when it may go.\n'.repeat(80);

const made: { remove(): void }[] = [];
afterEach(() => {
  for (const one of made.splice(0)) one.remove();
});

function project() {
  const files: Record<string, string> = { ...projectFiles() };
  for (let index = 0; index < MANY; index += 1)
    files[`manifests/many/${index}.yaml`] = PADDING + copyTrade({ name: `n${index}`, wallet: wallet(index) });
  files['manifests/secret.yaml'] = copyTrade({ name: 'secret', wallet: '${env.HOT}' });
  const one = folder(files);
  made.push(one);
  return one.path;
}

it('a large project is validated the same without the cache, without anything in it, and with all in it', async () => {
  const path = project();
  const caches = join(path, 'caches');
  const run = (cache: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    tradeform(['validate', ...args], { cwd: path, env: { HOT: SECRET, ...cache } });
  const on = { XDG_CACHE_HOME: caches };
  const off = { ...on, TRADEFORM_CACHE: 'off' };

  const without = await run(off, '-o', 'json');
  expect(without).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(without.stdout)).toMatchObject({ manifests: { CopyTradeTask: MANY + 1 } });
  expect(existsSync(caches)).toBe(false);

  expect(await run(on, '-o', 'json')).toEqual(without);
  const [name = '', ...others] = readdirSync(join(caches, 'tradeform'));
  expect(others).toEqual([]);
  const pack = join(caches, 'tradeform', name);
  expect(statSync(pack).mode & 0o077).toBe(0);
  const kept = readFileSync(pack, 'latin1');
  expect(kept).toContain('${env.HOT}');
  expect(kept).not.toContain(SECRET);
  expect(kept).not.toContain(path);
  expect(await run(on, '-o', 'json')).toEqual(without);
  expect(readFileSync(pack, 'latin1')).toBe(kept);

  const wrong = join(path, 'manifests/many/7.yaml');
  writeFileSync(wrong, readFileSync(wrong, 'utf8').replace('buy_once: false', 'buy_onse: false'));
  writeFileSync(join(path, 'manifests/many/8.yaml'), `${PADDING}a: [1, 2\nb: 3\n`);
  const told = await run(off);
  expect(told.code).toBe(3);
  expect(told.stderr).toContain('manifests/many/7.yaml:');
  expect(await run(on)).toEqual(told);
  expect(readFileSync(pack, 'latin1')).not.toBe(kept);
  expect(await run(on)).toEqual(told);
}, 180_000);
