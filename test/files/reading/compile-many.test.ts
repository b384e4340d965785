import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compile } from '../../../src/desired/compile.ts';
import { manifestsDigest } from '../../../src/desired/digest.ts';
import { diskTree } from '../../../src/files/disk.ts';
import { compileProject, type Project } from '../../../src/files/project.ts';
import { compileMany } from '../../../src/files/reading/compile-many.ts';
import { compileAll, type Read } from '../../../src/files/reading/compile-work.ts';
import { partsOf, resultOf } from '../../../src/files/reading/compiled.ts';
import { type FilesRead, filesOf } from '../../../src/files/reading/manifest-files.ts';
import type { FileTree } from '../../../src/files/tree.ts';
import { readManifests } from '../../../src/manifest/read.ts';
import { SETTINGS, sniper, sniperTemplate, WALLETS } from '../../manifest/samples.ts';
import { textsIn } from '../../support/texts.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tradeform-compiled-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const PROJECT = `apiVersion: tradeform/v1
kind: Project
metadata: { name: desk }
spec:
  environments:
    main: {}
    test: {}
`;
const [, OTHER, THIRD] = WALLETS;
const FILES = {
  'tradeform.yaml': PROJECT,
  // With a warning.
  'manifests/a.yaml': sniper({ name: 'a', config: '    dex_source: global\n' }),
  'manifests/b.yaml': `${sniper({ name: 'b', amount: '0.25', wallet: OTHER })}---\n${sniper({ name: 'c', amount: '0.75', wallet: THIRD })}`,
};
/** A task more, which takes no other's target. */
const another = (options: Parameters<typeof sniper>[0]) => sniper({ kind: 'TransferSnipeTask', ...options });

function write(files: Readonly<Record<string, string | null>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(base, 'project', name);
    mkdirSync(dirname(path), { recursive: true });
    if (text === null) rmSync(path);
    else writeFileSync(path, text);
  }
}

interface Run {
  readonly project: Project;
  /** How often manifests were compiled until now. */
  compiled(): number;
}

interface RunOptions {
  readonly environment?: string | undefined;
  readonly build?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly ofCommit?: boolean;
  readonly tree?: FileTree;
}

async function run({
  build = 'one',
  env = {},
  ofCommit = false,
  tree = diskTree(join(base, 'project')),
  ...rest
}: RunOptions = {}): Promise<Run> {
  const environment = 'environment' in rest ? rest.environment : 'main';
  let compiled = 0;
  const project = await compileProject(tree, {
    projectDir: join(base, 'project'),
    projectFile: 'tradeform.yaml',
    environment,
    env,
    ofCommit,
    compiler: (work) => {
      const compile: typeof work.compile = (...args) => {
        compiled += 1;
        return work.compile(...args);
      };
      const request = {
        projectDir: join(base, 'project'),
        env: { XDG_CACHE_HOME: join(base, 'caches') },
        build,
      };
      return compileMany({ ...work, compile }, request);
    },
  });
  return { project, compiled: () => compiled };
}

/** The first run reads, the second one keeps what it compiled. */
async function kept(files: Readonly<Record<string, string>> = FILES): Promise<Project> {
  write(files);
  await run();
  const { project, compiled } = await run();
  expect(compiled()).toBe(1);
  return project;
}

describe('what a run compiled from known texts', () => {
  test('is not compiled by the next, and is the same', async () => {
    const before = await kept();
    const { project, compiled } = await run();
    expect(compiled()).toBe(0);
    expect(JSON.stringify(project.state)).toBe(JSON.stringify(before.state));
    expect(manifestsDigest(project.state ?? fail())).toBe(manifestsDigest(before.state ?? fail()));
    expect(project.diagnostics).toEqual(before.diagnostics);
    expect(project.diagnostics.length).toBeGreaterThan(0);
    expect([...project.kinds]).toEqual([['SniperTask', 3]]);
    expect(textsIn(project.sources)).toEqual(textsIn(before.sources));
  });

  test('says where values stand without compiling anew', async () => {
    const before = await kept();
    const { project, compiled } = await run();
    const places = (state: Project['state']) =>
      state?.tasks.map(({ origin }) => [origin('config.buy_amount'), origin('id'), origin('remark')]);
    expect(places(project.state)).toEqual(places(before.state));
    expect(places(project.state)?.[2]?.[0]).toMatchObject({ file: 'manifests/b.yaml' });
    expect(compiled()).toBe(0);
  });

  test('reads a file of many manifests once, when places in it are asked for', async () => {
    write(FILES);
    const { compiled: _, project } = await run();
    const names = [...project.sources.keys()].filter((file) => file !== 'tradeform.yaml');
    const files = filesOf(diskTree(join(base, 'project')), names);
    const work = {
      files,
      variant: [],
      rest: [],
      compile: ({ sources }: FilesRead, read: Read) =>
        compile({ settings: SETTINGS, sources, allRead: true, read }),
      askedElsewhere: () => false,
    };
    const result = compileAll(work, readManifests);
    const parts = JSON.parse(JSON.stringify([...partsOf(result, readManifests, result.state ?? fail())]));
    const reads: string[] = [];
    const again = resultOf(parts, work, (source) => {
      reads.push(source.file);
      return readManifests(source);
    });
    expect(reads).toEqual([]);
    for (const { origin } of again.state?.tasks ?? []) expect(origin('config.buy_amount')).toBeDefined();
    expect(reads.sort()).toEqual(['manifests/a.yaml', 'manifests/b.yaml']);
  });

  test('is compiled again, once, where several documents made a value and its place is asked for', async () => {
    const preset = `apiVersion: tradeform/v1
kind: Preset
metadata: { name: base }
spec:
  for: transfer-snipe
  config: { buy_amount: "0.9" }
`;
    const extended = (name: string, wallet: string) =>
      another({ name, wallet })
        .replace('spec:\n', 'spec:\n  extends: [base]\n')
        .replace(/^ *buy_amount:.*\n/m, '');
    const before = await kept({
      ...FILES,
      'manifests/base.yaml': preset,
      'manifests/d.yaml': extended('d', OTHER),
      'manifests/e.yaml': extended('e', THIRD),
    });
    const { project, compiled } = await run();
    const places = (state: Project['state']) => state?.tasks.map(({ origin }) => origin('config.buy_amount'));
    expect(places(project.state)).toEqual(places(before.state));
    expect(places(project.state)?.at(-1)?.file).toBe('manifests/base.yaml');
    expect(compiled()).toBe(1);
    expect(project.manifests().map(({ address }) => address)).toEqual(
      before.manifests().map(({ address }) => address),
    );
    expect(compiled()).toBe(1);
  });

  test('says where the values of few files stand, and of many', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `manifests/base-${index}.yaml`,
        `${'# a line\n'.repeat(index)}${sniperTemplate(`base-${index}`)}`,
      ]),
    );
    const before = await kept({ ...FILES, ...many });
    const { project, compiled } = await run();
    const lines = (state: Project['state']) =>
      state?.templates.map(({ origin }) => origin('config.buy_amount')?.line);
    expect(lines(project.state)).toEqual(lines(before.state));
    expect(new Set(lines(project.state)).size).toBe(60);
    expect(compiled()).toBe(0);
  });

  test('also the places of a Removal', async () => {
    const removal = `apiVersion: tradeform/v1
kind: Removal
metadata: { name: old }
spec:
  resources: [label/Old]
`;
    const before = await kept({ ...FILES, 'manifests/old.yaml': removal });
    const { project, compiled } = await run();
    expect(compiled()).toBe(0);
    expect(project.state?.removals.map(({ origin }) => origin())).toEqual(
      before.state?.removals.map(({ origin }) => origin()),
    );
    expect(before.state?.removals).toHaveLength(1);
    expect(compiled()).toBe(1);
  });
});

describe('files that are read only where their text is wanted', () => {
  const names = ['manifests/a.yaml', 'manifests/b.yaml'];

  /** A run that finds what was kept, and the files that it read. */
  async function watched(): Promise<Run & { readonly reads: readonly string[] }> {
    const reads: string[] = [];
    const tree = diskTree(join(base, 'project'));
    const watching = {
      ...tree,
      read: (file: string) => {
        reads.push(file);
        return tree.read(file);
      },
    };
    return { ...(await run({ tree: watching })), reads };
  }

  test('are not read by a run that finds all in the cache, and one is when a text is asked for', async () => {
    await kept();
    const { project, reads } = await watched();
    expect(reads).toEqual(['tradeform.yaml']);
    expect([...project.sources.keys()]).toEqual(['tradeform.yaml', ...names]);
    expect(project.sources.has('manifests/b.yaml')).toBe(true);
    for (const _ of [1, 2]) expect(project.sources.get('manifests/b.yaml')).toBe(FILES['manifests/b.yaml']);
    expect(reads).toEqual(['tradeform.yaml', 'manifests/b.yaml']);
  });

  test('give places as they stand now', async () => {
    await kept();
    const { project } = await watched();
    write({ 'manifests/a.yaml': `# one line more\n${FILES['manifests/a.yaml']}` });
    const [task] = project.state?.tasks ?? [];
    const at = (text: string) => text.split('\n').findIndex((line) => line.includes('buy_amount')) + 1;
    expect(task?.origin('config.buy_amount')?.line).toBe(at(FILES['manifests/a.yaml']) + 1);
  });

  test.each<[string, string | null]>([
    ['is gone', null],
    ['is no YAML any more', 'a: [\n'],
    ['has another task', sniper({ name: 'other' })],
    ['is empty', ''],
  ])('give no place in a file that meanwhile %s', async (_, text) => {
    const before = await kept();
    const { project } = await watched();
    write({ 'manifests/a.yaml': text });
    const { tasks = [] } = project.state ?? {};
    expect(tasks.map(({ config }) => config)).toEqual(before.state?.tasks.map(({ config }) => config));
    expect(tasks[0]?.origin('config.buy_amount')).toBeUndefined();
    expect(tasks[1]?.origin('config.buy_amount')).toBeDefined();
  });

  test('and no place of a Removal that is gone', async () => {
    const removal =
      'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: old }\nspec: { resources: [label/Old] }\n';
    await kept({ ...FILES, 'manifests/old.yaml': removal });
    const { project } = await watched();
    write({ 'manifests/old.yaml': null });
    expect(project.state?.removals.map(({ address, origin }) => [address, origin()])).toEqual([
      ['label/Old', undefined],
    ]);
  });
});

describe('is compiled anew', () => {
  const twice = sniper({ name: 'a', amount: '0.6' });
  test.each<[string, Readonly<Record<string, string | null>>]>([
    ['after an edit', { 'manifests/a.yaml': twice }],
    [
      'after an edit that keeps the length',
      { 'manifests/a.yaml': FILES['manifests/a.yaml'].replace('0.5', '0.4') },
    ],
    ['with a file more', { 'manifests/z.yaml': another({ name: 'z' }) }],
    ['with a file less', { 'manifests/a.yaml': null }],
    [
      'with another name of a file',
      { 'manifests/a.yaml': null, 'manifests/0.yaml': FILES['manifests/a.yaml'] },
    ],
    ['with another project file', { 'tradeform.yaml': PROJECT.replace('desk', 'desk-2') }],
    ['with a file that cannot be read', { 'manifests/z.yml': another({ name: 'z' }) }],
  ])('%s', async (_, change) => {
    await kept();
    write(change);
    const { project, compiled } = await run();
    expect(compiled()).toBe(1);
    const plain = await compileProject(diskTree(join(base, 'project')), {
      projectDir: join(base, 'project'),
      projectFile: 'tradeform.yaml',
      environment: 'main',
      env: {},
      compiler: async (work) => compileAll(work, readManifests),
    });
    expect(JSON.stringify(project.state)).toBe(JSON.stringify(plain.state));
    expect(project.diagnostics).toEqual(plain.diagnostics);
  });

  test('by another build, and for another environment, which keeps its own', async () => {
    await kept();
    expect((await run({ build: 'two' })).compiled()).toBe(1);
    expect((await run({ environment: 'test' })).compiled()).toBe(1);
    expect((await run({ environment: 'test' })).compiled()).toBe(0);
    expect((await run()).compiled()).toBe(0);
  });

  test('of a commit, which leaves alone what is kept of the files on disk', async () => {
    await kept();
    const former = FILES['manifests/a.yaml'];
    write({ 'manifests/a.yaml': former.replace('0.5', '0.4') });
    for (const times of [1, 1, 0]) expect((await run({ ofCommit: true })).compiled()).toBe(times);
    write({ 'manifests/a.yaml': former });
    expect((await run()).compiled()).toBe(0);
  });

  test('where what was kept of another environment stands under its name', async () => {
    await kept();
    const keptFiles = () => {
      const folder = join(base, 'caches', 'tradeform');
      const paths = readdirSync(folder).map((name) => join(folder, name));
      return paths.filter((path) => readFileSync(path, 'utf8').includes('"digest"'));
    };
    const [main = fail()] = keptFiles();
    await run({ environment: 'test' });
    const [other = fail()] = keptFiles().filter((path) => path !== main);
    writeFileSync(other, readFileSync(main));
    const { project, compiled } = await run({ environment: 'test' });
    expect(compiled()).toBe(1);
    expect(project.state?.environment).toBe('test');
  });

  test('where a byte of what was kept is another', async () => {
    await kept();
    const folder = join(base, 'caches', 'tradeform');
    const file = readdirSync(folder)
      .map((name) => join(folder, name))
      .find((path) => readFileSync(path, 'utf8').includes('"digest"'));
    const bytes = readFileSync(file ?? fail());
    const at = bytes.indexOf('0.25');
    expect(at).toBeGreaterThan(0);
    bytes[at + 2] = '9'.charCodeAt(0);
    writeFileSync(file ?? fail(), bytes);
    const { project, compiled } = await run();
    expect(compiled()).toBe(1);
    expect(project.state?.tasks.map(({ config }) => config.buy_amount)).toEqual(['0.5', '0.25', '0.75']);
  });
});

describe('nothing is kept', () => {
  test('of what a variable of the process says', async () => {
    write({ ...FILES, 'manifests/v.yaml': another({ name: 'v', amount: '${env.SIZE}' }) });
    const amounts = async (size: string) => {
      const { project, compiled } = await run({ env: { SIZE: size } });
      expect(compiled()).toBe(1);
      return project.state?.tasks.at(-1)?.config.buy_amount;
    };
    for (const size of ['0.1', '0.1', '0.1', '0.2']) expect(await amounts(size)).toBe(size);
  });

  test('of what a table says', async () => {
    cpSync('examples/concepts/task-set-csv', join(base, 'project'), { recursive: true });
    const states: string[] = [];
    for (const _ of [1, 2, 3]) {
      const { project, compiled } = await run({ environment: undefined });
      expect(compiled()).toBe(1);
      states.push(JSON.stringify(project.state));
    }
    expect(new Set(states).size).toBe(1);
    const table = join(base, 'project/manifests/followers.csv');
    writeFileSync(table, readFileSync(table, 'utf8').split('\n').slice(0, 2).join('\n'));
    const { project } = await run({ environment: undefined });
    expect(project.state?.tasks).toHaveLength(1);
  });

  test('of a project with an error', async () => {
    write({ ...FILES, 'manifests/a2.yaml': sniper({ name: 'a' }) });
    for (const _ of [1, 2, 3]) {
      const { project, compiled } = await run();
      expect(compiled()).toBe(1);
      expect(project.state).toBeUndefined();
    }
  });
});

function fail(): never {
  throw new Error('nothing is there');
}
