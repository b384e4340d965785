import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { executable, folder, projectFiles, type RunningSandbox, startSandbox, tradeform } from '../run.ts';

const SUMMARY = 'before\n';
let sandbox: RunningSandbox;
let top: ReturnType<typeof folder>;

beforeAll(async () => {
  sandbox = await startSandbox();
});

/** A repository with a project in `desk`, beside it what belongs to somebody else. */
beforeEach(() => {
  const files = Object.entries(projectFiles()).map(([name, text]) => [`repository/desk/${name}`, text]);
  top = folder({
    ...Object.fromEntries(files),
    'outside/empty.json': '',
    'outside/tidy.yaml': 'kind: Label # one\nmetadata: {name: loose}\napiVersion: tradeform/v1\n',
    'outside/summary.md': SUMMARY,
  });
  execFileSync('git', ['init', '-q', at('repository')]);
});

const at = (path: string) => join(top.path, path);
const link = (target: string, path: string) => {
  mkdirSync(dirname(at(`repository/desk/${path}`)), { recursive: true });
  symlinkSync(target, at(`repository/desk/${path}`));
};
const run = (args: readonly string[], cwd = 'repository/desk', env: Readonly<Record<string, string>> = {}) =>
  tradeform(args, {
    cwd: at(cwd),
    env: { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token, ...env },
  });
/** All that lies outside, and in .git. */
const elsewhere = () =>
  ['outside', 'repository/.git', 'repository/.git/hooks'].flatMap((name) =>
    readdirSync(at(name), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [name, entry.name, readFileSync(join(at(name), entry.name), 'latin1')]),
  );

const REFUSED = expect.stringContaining('error[file-outside-project]');

describe('nothing is written through a link of the repository that leads out of the project', () => {
  it.each([
    ['a file', '../../outside/empty.json', 'out.json', 'out.json'],
    ['a file that is not there', '../../outside/new.json', 'out.json', 'out.json'],
    ['a folder', '../../outside', 'out', 'out/new.json'],
    ['a folder by its absolute path', '/', 'out', () => `out${at('outside/new.json')}`],
    ['a link to a link', 'second', 'out', 'out/new.json', ['../../outside', 'second']],
    ['the hooks of the repository', '../.git/hooks', 'out', 'out/pre-commit'],
    ['another folder of the repository', '..', 'out', 'out/new.json'],
  ] as const)(
    '%s: --report, --out and the data of the sandbox',
    async (_name, target, path, named, more?) => {
      link(target, path);
      if (more !== undefined) link(more[0], more[1]);
      const file = typeof named === 'function' ? named() : named;
      const before = elsewhere();
      for (const args of [
        ['validate', '--report', `json=${file}`],
        ['plan', '--report', `markdown=${file}`],
        ['plan', '--out', file],
        ['sandbox', '--data', file],
      ])
        expect([args, await run(args)]).toEqual([
          args,
          expect.objectContaining({ code: 3, stderr: REFUSED }),
        ]);
      expect(elsewhere()).toEqual(before);
      expect(existsSync(at('repository/new.json'))).toBe(false);
    },
    60_000,
  );

  it('fmt', async () => {
    link('../../../outside/tidy.yaml', 'manifests/loose.yaml');
    link('../../outside', 'away');
    const before = elsewhere();
    for (const args of [['fmt'], ['fmt', 'manifests/loose.yaml'], ['fmt', 'away/tidy.yaml']])
      expect([args, await run(args)]).toEqual([args, expect.objectContaining({ code: 3, stderr: REFUSED })]);
    expect(elsewhere()).toEqual(before);
  }, 30_000);

  it('export', async () => {
    rmSync(at('repository/desk/manifests'), { recursive: true });
    link('../../outside', 'manifests');
    const before = elsewhere();
    expect(await run(['export', '--out', '.'])).toMatchObject({ code: 3 });
    expect(await run(['export', '--out', 'manifests'])).toMatchObject({ code: 3 });
    expect(elsewhere()).toEqual(before);
  }, 30_000);

  it.each([
    ['a project that begins', 'new', ['init', '--project-name', 'core', 'new']],
    ['a project in no repository', '../../new', ['init', '--project-name', 'core', '../../new']],
  ])(
    'init: %s',
    async (_name, path, args) => {
      for (const [target, name] of [
        [at('outside'), 'manifests'],
        [at('outside/new.yaml'), 'tradeform.yaml'],
        [at('outside/summary.md'), '.gitignore'],
      ] as const) {
        rmSync(at(`repository/desk/${path}`), { recursive: true, force: true });
        link(target, `${path}/${name}`);
        const before = elsewhere();
        expect([name, await run(args)]).toEqual([
          name,
          expect.objectContaining({ code: 3, stderr: REFUSED }),
        ]);
        expect(elsewhere()).toEqual(before);
      }
    },
    60_000,
  );

  it('in the folder of git, where the top of the repository is the project', async () => {
    symlinkSync('.git/hooks', at('repository/out'));
    const before = elsewhere();
    const args = ['validate', '--project', 'desk/tradeform.yaml', '--report', 'json=out/pre-commit'];
    expect(await run(args, 'repository')).toMatchObject({ code: 3, stderr: REFUSED });
    expect(elsewhere()).toEqual(before);
  });

  it('init --ci, at the top of the repository', async () => {
    symlinkSync(at('outside'), at('repository/.github'));
    const before = elsewhere();
    expect(await run(['init', '--ci', 'github'])).toMatchObject({ code: 3, stderr: REFUSED });
    expect(elsewhere()).toEqual(before);
  });

  it('the step summary, which is only a warning', async () => {
    link('../../outside/summary.md', 'summary.md');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: at('repository/desk/summary.md') };
    const { code, stdout, stderr } = await run(['validate'], 'repository/desk', env);
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('leads outside')]);
    expect(readFileSync(at('outside/summary.md'), 'utf8')).toBe(SUMMARY);
  });

  it('the temporary file of the sandbox’s data', async () => {
    writeFileSync(at('outside/victim'), 'kept');
    const { code } = await executable(['sandbox', '--data', 'state.jsonl', '-q'], {
      cwd: at('repository/desk'),
      during: (child) => {
        link('../../outside/victim', `state.jsonl.${child.pid}.tmp`);
        child.stdout?.once('data', () => child.kill('SIGTERM'));
      },
    });
    expect([code, readFileSync(at('outside/victim'), 'utf8')]).toEqual([130, 'kept']);
    expect(readFileSync(at('repository/desk/state.jsonl'), 'utf8')).toContain('tradeform.sandbox-data/');
  }, 30_000);
});

describe('what the user names is written', () => {
  it('to places outside, through links of no repository, and through links within the project', async () => {
    symlinkSync(at('outside'), at('my-way'));
    mkdirSync(at('repository/desk/reports'));
    link('reports', 'latest');
    for (const file of [
      '../../outside/a.json',
      '../../my-way/b.json',
      'latest/c.json',
      at('my-way/empty.json'),
    ])
      expect([file, (await run(['validate', '--report', `json=${file}`])).code]).toEqual([file, 0]);
    expect(await run(['plan', '--out', at('my-way/saved.plan')])).toMatchObject({ code: 0 });
    const written = ['outside/a.json', 'outside/b.json', 'outside/empty.json', 'outside/saved.plan'];
    for (const file of [...written, 'repository/desk/reports/c.json'])
      expect(readFileSync(at(file), 'utf8')).toContain('"format": "tradeform.');
  }, 30_000);
});
