import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { diskTree } from '../../../src/files/disk.ts';
import { compileProject, type Project } from '../../../src/files/project.ts';
import { openCache } from '../../../src/files/reading/cache.ts';
import { cacheFolder, keepSmall } from '../../../src/files/reading/cache-folder.ts';
import { compileMany } from '../../../src/files/reading/compile-many.ts';
import { compileAll } from '../../../src/files/reading/compile-work.ts';
import { readMany } from '../../../src/files/reading/read-many.ts';
import { readManifests } from '../../../src/manifest/read.ts';
import { recordOf } from '../../../src/manifest/record.ts';
import { Source } from '../../../src/manifest/source.ts';
import { label, sniper } from '../../manifest/samples.ts';
import { textsIn } from '../../support/texts.ts';
import { CASE_NAMES, CASES, caseTexts } from './cases.ts';

let base: string;
let project: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tradeform-cache-'));
  project = join(base, 'project');
  mkdirSync(project);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const folder = () => join(base, 'caches', 'tradeform');
const env = (more = {}) => ({ XDG_CACHE_HOME: join(base, 'caches'), ...more });
const open = (build = 'one', projectDir = project) => openCache(projectDir, env(), build);

function pack(): string {
  const [name, ...others] = readdirSync(folder());
  expect(others).toEqual([]);
  return join(folder(), name ?? '');
}

/** The texts that were not in the cache, of these. */
async function unknown(
  texts: readonly string[],
  build?: string,
  projectDir?: string,
): Promise<readonly string[]> {
  const cache = open(build, projectDir);
  if (cache === undefined) throw new Error('no cache');
  const added: string[] = [];
  const add = (source: Source, record: Parameters<typeof cache.add>[1]) => {
    added.push(source.text);
    cache.add(source, record);
  };
  const sources = texts.map((text, index) => new Source(`manifests/${index}.yaml`, text));
  const read = await readMany(sources, {
    cache: { ...cache, find: (one) => cache.find(one), save: () => cache.save(), add },
  });
  for (const source of sources)
    expect(recordOf(read(source)).json).toBe(recordOf(readManifests(source)).json);
  return added;
}

const A = sniper({ name: 'a' });
const B = sniper({ name: 'b', amount: '0.25' });

describe('what was read is known in the next run', () => {
  test('by its text, whatever the file', async () => {
    expect(await unknown([A, B])).toEqual([A, B]);
    expect(await unknown([B, A])).toEqual([]);
    const edited = A.replace('0.5', '0.6');
    expect(await unknown([edited, B])).toEqual([edited]);
  });

  test('also where it was put aside for a while', async () => {
    const many = Array.from({ length: 8 }, (_, index) => sniper({ name: `n${index}` }));
    await unknown([A, ...many]);
    await unknown([B, ...many]);
    expect(await unknown([A, ...many])).toEqual([]);
  });

  test('not of another build, and not of another project', async () => {
    await unknown([A]);
    expect(await unknown([A], 'two')).toEqual([A]);
    mkdirSync(join(base, 'elsewhere'));
    expect(await unknown([A], 'one', join(base, 'elsewhere'))).toEqual([A]);
    expect(await unknown([A])).toEqual([]);
  });

  test('not under the name of another build', async () => {
    await unknown([A]);
    const other = join(base, 'other.pack');
    writeFileSync(other, readFileSync(pack()));
    rmSync(pack());
    await unknown([B], 'two');
    writeFileSync(pack(), readFileSync(other));
    expect(await unknown([A], 'two')).toEqual([A]);
  });

  test('half a character is no text to go by', async () => {
    const half = label('hot', '  name: "H\ud800"\n');
    expect(await unknown([half])).toEqual([half]);
    expect(await unknown([half])).toEqual([half]);
    expect(await unknown([half.replace('\ud800', '\ufffd')])).toHaveLength(1);
    expect(await unknown([half])).toEqual([half]);
  });
});

describe('every case: the same without a cache, with an empty one and with a full one', () => {
  const SECRET = 'canary-of-the-environment';
  /** The third run keeps what it compiled, and the fourth finds it. */
  const FORMS = ['off', 'cold', 'warm', 'kept'] as const;

  test.each(CASE_NAMES)('%s', async (name) => {
    const projects: Project[] = [];
    for (const form of FORMS) {
      projects.push(
        await compileProject(diskTree(join(CASES, name)), {
          projectDir: join(CASES, name),
          projectFile: 'tradeform.yaml',
          environment: undefined,
          env: { SECRET, HOT_WALLET: SECRET },
          compiler: (work) =>
            form === 'off'
              ? Promise.resolve(compileAll(work, readManifests))
              : compileMany(work, { projectDir: project, env: env(), build: 'one' }),
        }),
      );
    }
    const [off, ...others] = projects.map(({ manifests, sources, ...rest }) => ({
      ...rest,
      sources: textsIn(sources),
      manifests: manifests().map((manifest) => [manifest.kindName, manifest.value, manifest.location([])]),
      origins: rest.state?.tasks.map(({ origin }) => [origin('config.buy_amount'), origin('target_wallet')]),
    }));
    for (const other of others) expect(plain(other)).toEqual(plain(off));
    for (const file of existsSync(folder()) ? readdirSync(folder()) : [])
      expect(readFileSync(join(folder(), file), 'latin1')).not.toContain(SECRET);
  });

  /** Without the functions, which are never equal. */
  function plain(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value ?? null)) as unknown;
  }
});

describe('never trusted', () => {
  test('one damaged byte anywhere, and all is read anew', async () => {
    const texts = caseTexts()
      .slice(0, 12)
      .map(({ text }) => text);
    await unknown(texts);
    const bytes = readFileSync(pack());
    for (let part = 0; part < 60; part += 1) {
      const damaged = Buffer.from(bytes);
      const at = Math.floor((part / 60) * bytes.length);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(pack(), damaged);
      expect(await unknown(texts.slice(0, 1))).toHaveLength(1);
    }
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['no cache', Buffer.from('what is this?\n'.repeat(50))],
  ])('%s', async (_, bytes) => {
    await unknown([A]);
    writeFileSync(pack(), bytes);
    expect(await unknown([A])).toEqual([A]);
    expect(await unknown([A])).toEqual([]);
  });

  test('cut off', async () => {
    await unknown([A]);
    const bytes = readFileSync(pack());
    for (const length of [1, 127, 128, 200, bytes.length - 1]) {
      writeFileSync(pack(), bytes.subarray(0, length));
      expect(await unknown([A])).toEqual([A]);
    }
  });

  test.runIf(process.getuid !== undefined)('nobody but the user can read it', async () => {
    await unknown([A]);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(statSync(pack()).mode & 0o777).toBe(0o600);
  });

  test.runIf(process.getuid !== undefined)('not where others may write', async () => {
    await unknown([A]);
    chmodSync(pack(), 0o620);
    expect(await unknown([A])).toEqual([A]);
    chmodSync(folder(), 0o777);
    expect(open()).toBeUndefined();
  });

  test('not through a link', async () => {
    await unknown([A]);
    writeFileSync(join(base, 'copy'), readFileSync(pack()));
    const path = pack();
    rmSync(path);
    symlinkSync(join(base, 'copy'), path);
    expect(await unknown([A])).toEqual([A]);
    rmSync(folder(), { recursive: true });
    symlinkSync(base, folder());
    expect(open()).toBeUndefined();
  });

  test('not in the repository of the project, where a commit can have put it, nor behind a link of it', async () => {
    await unknown([A]);
    mkdirSync(join(base, '.git'));
    expect(open()).toBeUndefined();
    rmSync(join(base, '.git'), { recursive: true });
    mkdirSync(join(project, '.git'));
    expect(open()).toBeDefined();
    symlinkSync(base, join(project, 'way'));
    expect(openCache(project, { XDG_CACHE_HOME: join(project, 'way/caches') }, 'one')).toBeUndefined();
  });

  test('a file in its place is left alone', () => {
    writeFileSync(join(base, 'caches'), 'mine');
    expect(open()).toBeUndefined();
    expect(readFileSync(join(base, 'caches'), 'utf8')).toBe('mine');
  });

  test('what cannot be written is not kept, and nothing is left behind', async () => {
    const cache = open();
    mkdirSync(join(folder(), 'x'));
    const source = new Source('a.yaml', A);
    cache?.find(source);
    cache?.add(source, recordOf(readManifests(source)));
    rmSync(folder(), { recursive: true });
    writeFileSync(folder(), '');
    cache?.save();
    expect(statSync(folder()).size).toBe(0);
  });
});

describe('where it is', () => {
  const home = { HOME: '/home/me', LOCALAPPDATA: '/local' };
  test.each([
    [{ ...home, XDG_CACHE_HOME: '/xdg' }, 'linux', '/xdg/tradeform'],
    [{ ...home, XDG_CACHE_HOME: 'relative' }, 'linux', '/home/me/.cache/tradeform'],
    [{ ...home, XDG_CACHE_HOME: '' }, 'linux', '/home/me/.cache/tradeform'],
    [home, 'darwin', '/home/me/Library/Caches/tradeform'],
    [home, 'win32', '/local/tradeform'],
    [{}, 'linux', undefined],
    [{ ...home, TRADEFORM_CACHE: 'off' }, 'linux', undefined],
    [{ ...home, TRADEFORM_CACHE: '0' }, 'linux', undefined],
    [{ ...home, TRADEFORM_CACHE: '' }, 'linux', '/home/me/.cache/tradeform'],
  ] as const)('%j on %s', (variables, platform, expected) => {
    expect(cacheFolder(variables, platform)).toBe(expected);
  });

  test('none without a build of its own: the source, unbundled, changes all the time', () => {
    expect(openCache(project, env())).toBeUndefined();
    expect(existsSync(folder())).toBe(false);
  });
});

test('all together stay within bounds: what was used longest ago goes first', () => {
  const used = (name: string, age: number) => {
    const path = join(base, name);
    writeFileSync(path, 'x'.repeat(100));
    const time = Date.now() / 1000 - age;
    utimesSync(path, time, time);
    return path;
  };
  const written = used('new.pack', 0);
  for (const [name, age] of [
    ['a.pack', 30],
    ['b.pack', 20],
    ['c.pack', 10],
    ['left.tmp', 7200],
    ['running.tmp', 5],
  ] as const)
    used(name, age);
  writeFileSync(join(base, 'mine.txt'), 'x');
  keepSmall(written, 350);
  expect(readdirSync(base).sort()).toEqual(['c.pack', 'mine.txt', 'new.pack', 'project', 'running.tmp']);
  keepSmall(written, 50);
  expect(readdirSync(base)).toContain('new.pack');
});
