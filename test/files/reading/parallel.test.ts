import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readInParallel } from '../../../src/files/reading/parallel.ts';
import { readManifests } from '../../../src/manifest/read.ts';
import { recordOf } from '../../../src/manifest/record.ts';
import { Source } from '../../../src/manifest/source.ts';
import { sniper } from '../../manifest/samples.ts';
import { caseTexts } from './cases.ts';

let folder: string;
let sources: readonly Source[];
/** What one thread makes of each. */
let expected: ReadonlyMap<Source, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradeform-threads-'));
  await build({
    entryPoints: [join(import.meta.dirname, '../../../src/files/reading/read-thread.ts')],
    outfile: join(folder, 'thread.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  sources = [
    ...caseTexts(),
    ...Array.from(
      { length: 250 },
      (_, index) => new Source(`many/${index}.yaml`, sniper({ name: `n${index}` })),
    ),
  ];
  expected = new Map(sources.map((source) => [source, recordOf(readManifests(source)).json]));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A thread with more code before its own. */
function thread(name: string, before: string, code = './thread.cjs'): string {
  const path = join(folder, `${name}.cjs`);
  writeFileSync(
    path,
    `const { parentPort } = require('node:worker_threads');\n${before}\nrequire('${code}');\n`,
  );
  return path;
}

async function read(file: string | undefined, most = 2): Promise<void> {
  const found = new Map<Source, string>();
  await readInParallel(sources, { most, each: 1024, file }, (source, result, record) => {
    expect(found.has(source)).toBe(false);
    // Both the result and what would be kept of it.
    expect(recordOf(result).json).toBe(record().json);
    expect(result.manifests.every((one) => one.location([]).file === source.file)).toBe(true);
    found.set(source, record().json);
  });
  expect(found).toEqual(expected);
}

describe('each file is read once, with the result of one thread', () => {
  test('without another thread', () => read(undefined));

  test('while the next ones are yet to be taken', async () => {
    let taken = 0;
    function* oneByOne(): Iterable<Source> {
      for (const source of sources) {
        taken += 1;
        yield source;
      }
    }
    const takenBefore: number[] = [];
    await readInParallel(oneByOne(), { most: 0, each: 1024, file: undefined }, () => takenBefore.push(taken));
    expect(takenBefore).toHaveLength(sources.length);
    expect(takenBefore[0]).toBeLessThan(sources.length / 2);
    expect(takenBefore.at(-1)).toBe(sources.length);
  });

  test('with two more, which do read', async () => {
    const marker = join(folder, 'asked');
    const tell = `parentPort.on('message', () => require('node:fs').appendFileSync(${JSON.stringify(marker)}, 'x'));`;
    await read(thread('telling', tell));
    expect(readFileSync(marker, 'utf8').length).toBeGreaterThan(0);
  });

  test('with one that does not start', () => read(join(folder, 'missing.cjs')));

  test('with one that fails at once', () => read(thread('failing', 'throw new Error("no");')));

  test('with one that ends by itself', () => read(thread('ending', 'process.exit(0);')));

  test('with one that dies in the middle', async () => {
    const marker = join(folder, 'died');
    const die = `let count = 0;
parentPort.on('message', () => {
  count += 1;
  if (count < 2) return;
  require('node:fs').writeFileSync(${JSON.stringify(marker)}, '');
  throw new Error('out of memory, say');
});`;
    await read(thread('dying', die));
    expect(existsSync(marker)).toBe(true);
  });

  test('with one of another build, which is not asked', async () => {
    const marker = join(folder, 'answered');
    const code = readFileSync(join(folder, 'thread.cjs'), 'utf8');
    const changed = code.replace(
      /typeof TRADEFORM_BUILD === "string" \? TRADEFORM_BUILD : void 0/,
      '"another"',
    );
    expect(changed).not.toBe(code);
    const tell = `const post = parentPort.postMessage.bind(parentPort);
parentPort.postMessage = (...all) => {
  require('node:fs').writeFileSync(${JSON.stringify(marker)}, '');
  post(...all);
};`;
    writeFileSync(join(folder, 'changed.cjs'), changed);
    await read(thread('same', tell), 2);
    expect(existsSync(marker)).toBe(true);
    rmSync(marker);
    await read(thread('another', tell, './changed.cjs'), 2);
    expect(existsSync(marker)).toBe(false);
  });
});
