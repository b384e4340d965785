import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, projectFiles, type Ran, type RunOptions, tradeform } from '../run.ts';

const SECRET = 'canary-of-another-file';
/** Reads as YAML, as a project file with an unknown field does: whoever reads it shows its lines. */
const HOSTILE = `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n${SECRET}: ${SECRET}\n`;

/** A repository with a project in `desk`, and a folder outside of it with files that hold a secret. */
function place() {
  const top = folder({
    'outside/secret': `password ${SECRET}\n`,
    'outside/desk/tradeform.yaml': HOSTILE,
    ...Object.fromEntries(
      Object.entries(projectFiles()).map(([name, text]) => [`repository/desk/${name}`, text]),
    ),
  });
  const repository = join(top.path, 'repository');
  execFileSync('git', ['init', '-q', repository]);
  const desk = join(repository, 'desk');
  return {
    top: top.path,
    outside: join(top.path, 'outside'),
    repository,
    desk,
    link(target: string, path: string) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      symlinkSync(target, join(repository, path));
    },
    write(path: string, text: string) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    },
  };
}

/** Every command that reads a project, as far as it comes without a service. */
const COMMANDS: readonly (readonly string[])[] = [
  ['validate'],
  ['validate', '-o', 'json'],
  ['validate', '-o', 'github'],
  ['fmt', '--check'],
  ['render'],
  ['render', '--diff', 'HEAD'],
  ['plan'],
  ['apply', '--auto-approve'],
  ['drift'],
  ['status'],
  ['doctor'],
  ['export', '--out', '.'],
  ['pause', '--all'],
  ['resume', '--all'],
  ['init', '--ci', 'github'],
  ['__complete', '--', 'plan', '--environment', ''],
  ['__complete', '--', 'render', ''],
];
const SERVICE = {
  TRADEFORM_BASE_URL: 'http://127.0.0.1:9/v1',
  TRADEFORM_TOKEN: 'svc_live_0ca9a21e.canary-secret-4f8b1d',
};

function all(options: RunOptions): Promise<readonly { command: string; ran: Ran }[]> {
  return Promise.all(
    COMMANDS.map(async (args) => ({
      command: args.join(' '),
      ran: await tradeform(args, { ...options, env: { ...SERVICE, ...options.env } }),
    })),
  );
}

function expectNothingOf(secret: string, runs: readonly { command: string; ran: Ran }[]) {
  const shown = runs.filter(({ ran }) => `${ran.stdout}${ran.stderr}`.includes(secret));
  expect(shown.map(({ command, ran }) => ({ command, ...ran }))).toEqual([]);
}

describe('a project file that is a link out of the project', () => {
  it('is refused by every command, and none of its lines is shown', async () => {
    const { desk, outside, link } = place();
    renameSync(join(desk, 'tradeform.yaml'), join(desk, 'was.txt'));
    link(join(outside, 'secret'), 'desk/tradeform.yaml');
    const runs = await all({ cwd: desk });
    expectNothingOf(SECRET, runs);
    for (const { command, ran } of runs.filter(({ command }) => !/^(?:__complete|status)/.test(command)))
      expect([command, ran.code, `${ran.stdout}${ran.stderr}`]).toEqual([
        command,
        3,
        expect.stringMatching(
          /file-outside-project|project {5}the file is a link that leads outside the project/,
        ),
      ]);
  }, 60_000);

  it.skipIf(process.platform !== 'linux')(
    'is refused where it leads to /proc, by a link or by its name',
    async () => {
      const { desk, repository, link } = place();
      const env = { CANARY_OF_ENVIRONMENT: 'in-the-environment-4711' };
      renameSync(join(desk, 'tradeform.yaml'), join(desk, 'was.txt'));
      link('/proc/self/environ', 'desk/tradeform.yaml');
      link('/proc/self', 'own');
      expectNothingOf('4711', await all({ cwd: desk, env }));
      for (const named of [
        ['--project', '/proc/self/environ', 'validate'],
        ['--project', join(repository, 'own/environ'), 'validate'],
        ['--project', '/dev/zero', 'validate'],
        ['fmt', '/proc/self/environ'],
        ['fmt', join(repository, 'own/environ')],
      ]) {
        const ran = await tradeform(named, { cwd: desk, env });
        expect([named, ran.code]).toEqual([named, 3]);
        expectNothingOf('4711', [{ command: named.join(' '), ran }]);
      }
    },
    60_000,
  );

  it('is refused where --project or --chdir names a link of the repository', async () => {
    const { top, outside, repository, link } = place();
    link(join(outside, 'desk'), 'away');
    link(join(outside, 'secret'), 'core.yaml');
    for (const args of [
      ['--chdir', 'repository/away', 'validate'],
      ['--project', 'repository/away/tradeform.yaml', 'validate'],
      ['--project', 'repository/core.yaml', 'validate'],
      ['fmt', 'repository/away/tradeform.yaml'],
      ['fmt', 'repository/core.yaml'],
    ]) {
      const ran = await tradeform(args, { cwd: top });
      expect([args, ran.code, ran.stderr]).toEqual([
        args,
        3,
        expect.stringContaining('file-outside-project'),
      ]);
      expectNothingOf(SECRET, [{ command: args.join(' '), ran }]);
    }
    // What the user names plainly is his own word, and so is a link that stands in no repository.
    symlinkSync(join(repository, 'desk'), join(top, 'my-way'));
    for (const args of [
      ['--chdir', 'my-way', 'validate'],
      ['--project', 'my-way/tradeform.yaml', 'validate'],
    ])
      expect([args, (await tradeform(args, { cwd: top })).code]).toEqual([args, 0]);
  }, 60_000);
});

describe('the search for the project file', () => {
  it('ends at the top of the repository', async () => {
    const { repository, top } = place();
    writeFileSync(join(top, 'tradeform.yaml'), HOSTILE);
    const { code, stderr } = await tradeform(['validate'], { cwd: repository });
    expect([code, stderr]).toEqual([3, expect.stringContaining('no-project-file')]);
    expectNothingOf(SECRET, await all({ cwd: repository }));
  }, 60_000);

  it('finds it there from a folder below', async () => {
    const { desk } = place();
    expect((await tradeform(['validate'], { cwd: join(desk, 'manifests') })).code).toBe(0);
  });
});

describe('a .git folder', () => {
  const PATTERNS = (pattern: string) =>
    `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { manifests: ["manifests/*.yaml", "${pattern}"] }\n`;

  it.each([
    ['.git/*', undefined],
    ['.GIT/*', undefined],
    ['.git./*', undefined],
    ['{.git,x}/*', undefined],
    ['git~1/*', undefined],
    ['.g\u200cit/*', undefined],
    ['own/*', '.git'],
    ['own/x.yaml', '../.git/x.yaml'],
  ])('is outside the project for the pattern %s', async (pattern, target) => {
    const { desk, repository, write, link } = place();
    renameSync(join(repository, '.git'), join(desk, '.git'));
    for (const name of ['.git', '.GIT', '.git.', 'git~1', '.g\u200cit'])
      write(`desk/${name}/x.yaml`, `extraheader: ${SECRET}\n`);
    if (target !== undefined) link(target, pattern.endsWith('/*') ? 'desk/own' : 'desk/own/x.yaml');
    write('desk/tradeform.yaml', PATTERNS(pattern));
    const ran = await tradeform(['validate'], { cwd: desk });
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('file-outside-project')]);
    expectNothingOf(SECRET, [{ command: 'validate', ran }]);
  });

  it.each(['.*/*.yaml', '.gi{t,x}/*'])('is not matched by %s', async (pattern) => {
    const { desk, repository, write } = place();
    renameSync(join(repository, '.git'), join(desk, '.git'));
    write('desk/.git/x.yaml', `extraheader: ${SECRET}\n`);
    write('desk/tradeform.yaml', PATTERNS(pattern));
    const ran = await tradeform(['validate'], { cwd: desk });
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('no-manifests')]);
    expectNothingOf(SECRET, [{ command: 'validate', ran }]);
  });

  it('is outside for tables and policies', async () => {
    const { desk, repository, write } = place();
    renameSync(join(repository, '.git'), join(desk, '.git'));
    write('desk/.git/x.csv', `a,"${SECRET}\n`);
    write('desk/.git/x.json', `{ "${SECRET}": 1 }\n`);
    write(
      'desk/manifests/set.yaml',
      'apiVersion: tradeform/v1\nkind: TaskSet\nmetadata: { name: set }\nspec:\n  for: sniper\n  rows_from: ../.git/x.csv\n  config: {}\n',
    );
    const table = await tradeform(['validate'], { cwd: desk });
    expect(table.stderr).toContain('file-outside-project');
    write('desk/manifests/set.yaml', 'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: other }\n');
    write(
      'desk/tradeform.yaml',
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec:\n  guardrails:\n    policies:\n      - { name: own, file: .git/x.json, message: no }\n',
    );
    const policy = await tradeform(['validate'], { cwd: desk });
    expect(policy.stderr).toContain('file-outside-project');
    expectNothingOf(SECRET, [
      { command: 'table', ran: table },
      { command: 'policy', ran: policy },
    ]);
  });
});
