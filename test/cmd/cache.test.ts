import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { copyTrade } from '../manifest/samples.ts';
import { folder, projectFiles, startSandbox, tradeform } from './run.ts';

/** A base58 text of 32 bytes for each number: zeros, and then the number. */
function wallet(number: number): string {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const [high = '', low = ''] = [Math.floor(number / 58), number % 58].map((digit) => letters[digit]);
  return `5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge${high}${low}1`;
}

const SECRET = wallet(2_000);
/** Enough that several threads read, and that it is kept for the next run. */
const MANY = 90;
const PADDING = '# What this task is for, who asked for it, and when it may go.\n'.repeat(110);

const made: { remove(): void }[] = [];
afterEach(() => {
  for (const one of made.splice(0)) one.remove();
});

function project(more: Readonly<Record<string, string>> = {}) {
  const files: Record<string, string> = { ...projectFiles(), ...more };
  for (let index = 0; index < MANY; index += 1)
    files[`manifests/many/${index}.yaml`] = PADDING + copyTrade({ name: `n${index}`, wallet: wallet(index) });
  const one = folder(files);
  made.push(one);
  return one.path;
}

/** Outside of the project: a cache within it could have come with a commit, and is not used. */
function cachesOutside(): string {
  const one = folder({});
  made.push(one);
  return join(one.path, 'caches');
}

it('a large project is validated the same without the cache, without anything in it, and with all in it', async () => {
  const path = project({ 'manifests/secret.yaml': copyTrade({ name: 'secret', wallet: '${env.HOT}' }) });
  const caches = cachesOutside();
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

const PRESET = `apiVersion: tradeform/v1
kind: Preset
metadata: { name: small }
spec:
  for: sniper
  config: { buy_amount: "0.1" }
`;

it('what was compiled in an earlier run is planned, shown and applied as if it was compiled now', async () => {
  const alpha = projectFiles()['manifests/alpha.yaml'] ?? '';
  const beta = alpha.replace('name: alpha', 'name: beta').replace('7xKXtg2CW87d97TX', '7xKXtg2CW87d97TY');
  const path = project({
    'manifests/preset.yaml': PRESET,
    'manifests/beta.yaml': beta
      .replace('spec:', 'spec:\n  extends: [small]')
      .replace('    buy_amount: "0.5"\n', ''),
  });
  const sandbox = await startSandbox();
  made.push({ remove: () => void sandbox.stop() });
  const caches = cachesOutside();
  const service = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token };
  const outputs = async (cache: Readonly<Record<string, string>>) => {
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await tradeform(args, { cwd: path, env: { ...service, ...cache } });
      return { args, code, stderr, stdout: stdout.replace(/"(created_at|integrity)": "[^"]*"/g, '') };
    };
    return [
      await run('validate'),
      await run('plan', '--no-color'),
      await run('plan', '-o', 'json'),
      await run('render', '--origin'),
    ];
  };
  const on = { XDG_CACHE_HOME: caches };
  const without = await outputs({ ...on, TRADEFORM_CACHE: 'off' });
  expect(without.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(without[2]?.stdout).toContain('"file": "manifests/preset.yaml"');

  // Its first command reads, the second keeps what it compiled, the others find that.
  expect(await outputs(on)).toEqual(without);
  expect(readdirSync(join(caches, 'tradeform'))).toHaveLength(2);
  expect(await outputs(on)).toEqual(without);

  const apply = ['apply', '--auto-approve', '--first-apply'];
  const applied = await tradeform(apply, { cwd: path, env: { ...service, ...on } });
  expect(applied).toMatchObject({ code: 0 });
  const empty = await tradeform(['plan', '--detailed-exitcode'], { cwd: path, env: { ...service, ...on } });
  expect(empty).toMatchObject({ code: 0 });
}, 180_000);
