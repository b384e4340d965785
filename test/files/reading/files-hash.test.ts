import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diskTree } from '../../../src/files/disk.ts';
import { hashOfFiles, hashOfTexts } from '../../../src/files/reading/files-hash.ts';
import { hashInThread } from '../../../src/files/reading/hash-in-thread.ts';
import { Source } from '../../../src/manifest/source.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradeform-hash-'));
  await build({
    entryPoints: [join(import.meta.dirname, '../../../src/files/reading/hash-thread.ts')],
    outfile: join(folder, 'thread.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(files: readonly (readonly [string, string | Buffer])[]): readonly string[] {
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  return files.map(([name]) => name);
}

const NAMES = ['a.yaml', 'b.yaml', 'c.yaml'];
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\ufeff', '\ufeffa: 1\n', 'a: 1\r\n', 'é'.repeat(50_000), 'x'.repeat(64 * 1024)),
);
const files = fc
  .array(text, { maxLength: NAMES.length })
  .map((texts) => texts.map((content, index) => [NAMES[index] ?? '', content] as const));

describe('the hash of files', () => {
  test('is that of their texts', () => {
    fc.assert(
      fc.property(files, (written) => {
        const names = write(written);
        const sources = names.map((name) => {
          const result = diskTree(folder).read(name);
          return 'source' in result ? result.source : new Source(name, '');
        });
        expect(hashOfFiles({ folder, names })).toBe(hashOfTexts(sources));
      }),
    );
  });

  test('is another where a text, a name, the order or the border between two files is another', () => {
    const hash = (...written: (readonly [string, string])[]) =>
      hashOfFiles({ folder, names: write(written) });
    const hashes = [
      hash(['a.yaml', 'x'], ['b.yaml', 'y']),
      hash(['a.yaml', 'x'], ['b.yaml', 'z']),
      hash(['a.yaml', 'x'], ['c.yaml', 'y']),
      hash(['b.yaml', 'y'], ['a.yaml', 'x']),
      hash(['a.yaml', 'x']),
      hash(['a.yaml', 'xy'], ['b.yaml', '']),
      hash(['a.yaml', 'x\n"b.yaml" 1\ny']),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('is none where one of them is no file that can be read', () => {
    const names = write([['a.yaml', 'x']]);
    mkdirSync(join(folder, 'folder'), { recursive: true });
    write([['large.yaml', Buffer.alloc(16 * 1024 * 1024 + 1, 'x')]]);
    for (const other of ['missing.yaml', 'folder', 'large.yaml'])
      expect(hashOfFiles({ folder, names: [...names, other] })).toBeUndefined();
  });
});

describe('in another thread', () => {
  const ask = (
    program: string | undefined,
    names = write([
      ['a.yaml', 'x'],
      ['b.yaml', 'y'],
    ]),
  ) => hashInThread({ folder, names }, program);
  const program = (code: string) => {
    writeFileSync(join(folder, 'other.cjs'), code);
    return join(folder, 'other.cjs');
  };

  test('it is the same, or none', async () => {
    expect(await ask(join(folder, 'thread.cjs'))).toBe(await ask(undefined));
    expect(await ask(join(folder, 'thread.cjs'), ['missing.yaml'])).toBeUndefined();
  });

  test('it is what the thread says', async () => {
    const says = "require('node:worker_threads').parentPort.postMessage({ hash: 'said' });";
    expect(await ask(program(says))).toBe('said');
  });

  test.each([
    ['does not start', undefined],
    ['fails', 'throw new Error("no");'],
    ['ends without a word', 'process.exit(0);'],
  ])('it is made here where the thread %s', async (_, code) => {
    const path = code === undefined ? join(folder, 'missing.cjs') : program(code);
    expect(await ask(path)).toBe(await ask(undefined));
  });
});
