import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningSandbox, startSandbox, tradeform } from '../cmd/run.ts';
import { commit, git, write } from './building.ts';
import {
  leavePointer,
  manifestOf,
  moveIntoSubmodule,
  OTHER_NAMES,
  PARTIAL_CHECKOUTS,
  renameBeta,
  twoDesks,
} from './checkouts.ts';

let sandbox: RunningSandbox;
let root: string;
let folder: string;

const MINUTES = { timeout: 5 * 60_000 };

beforeAll(async () => {
  sandbox = await startSandbox();
  const first = realpathSync(mkdtempSync(join(tmpdir(), 'tradeform-checkout-')));
  twoDesks(first);
  const { code } = await run(['apply', '--auto-approve', '--first-apply'], first);
  expect(code).toBe(0);
  rmSync(first, { recursive: true });
});
afterAll(() => sandbox.stop());
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tradeform-checkout-')));
  folder = join(root, 'repository');
  twoDesks(folder);
});
afterEach(async () => {
  // No test of this file changes a task: whatever was lost is seen here, and not by the next test.
  const there = await names();
  rmSync(root, { recursive: true, force: true });
  expect(there).toEqual(['Early launches [git:core/alpha', 'Early launches [git:core/beta']);
});

function run(args: readonly string[], cwd = folder) {
  return tradeform(args, {
    cwd,
    env: { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token },
  });
}

/** The running tasks on the service, as the beginning of their remarks. */
async function names(): Promise<readonly string[]> {
  const url = `${sandbox.baseUrl}/sniper/configs?limit=100`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${sandbox.token}` } });
  const { data } = (await answer.json()) as { data: { items: { remark: string; is_active: boolean }[] } };
  return data.items
    .flatMap(({ remark, is_active }) => (is_active ? [remark.split('@')[0] ?? ''] : []))
    .sort();
}

interface Said {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly hint?: string;
  readonly address?: string;
}

/** What a command says as JSON. */
async function diagnosed(...args: readonly string[]) {
  const { code, stdout } = await run([...args, '-o', 'json']);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Said[] };
  return { code, diagnostics };
}

const DECIDING = [
  ['plan'],
  ['plan', '--only', 'pending'],
  ['apply', '--auto-approve'],
  ['apply', '--auto-approve', '--only', 'pending'],
  ['drift'],
  ['status'],
  ['render'],
  ['export'],
  ['rollback', 'main', '--auto-approve'],
] as const;

describe.each(PARTIAL_CHECKOUTS)('$name', ({ hide, says }) => {
  test(
    'what the commit has and the checkout lacks ends every command that decides about it',
    MINUTES,
    async () => {
      hide(folder);
      for (const args of DECIDING) {
        const { code, diagnostics } = await diagnosed(...args);
        const found = diagnostics.filter((one) => one.code === 'checkout-incomplete');
        expect({ code, errors: found.map(({ severity }) => severity) }, args.join(' ')).toEqual({
          code: 3,
          errors: ['error'],
        });
        for (const text of says)
          expect(`${found[0]?.message} ${found[0]?.hint}`, args.join(' ')).toMatch(text);
      }
    },
  );

  test('a fleet does not go on with the unit', MINUTES, async () => {
    hide(folder);
    const unit = {
      name: 'one',
      project: 'repository',
      base_url: sandbox.baseUrl,
      token_env: 'TRADEFORM_TOKEN',
    };
    const spec = JSON.stringify({ units: [unit] });
    const fleet = `apiVersion: tradeform/v1\nkind: Fleet\nmetadata:\n  name: desk\nspec: ${spec}\n`;
    writeFileSync(join(root, 'fleet.yaml'), fleet);
    const { code, stdout } = await run(['fleet', 'apply', '--auto-approve', '-o', 'json'], root);
    expect(code).not.toBe(0);
    expect(stdout).toContain('checkout-incomplete');
  });

  test('the switch works without the manifests', MINUTES, async () => {
    hide(folder);
    expect((await run(['pause', '--all', '--dry-run'])).code).toBe(0);
  });
});

describe('names', () => {
  test.each(OTHER_NAMES)('%s is an error, and its task is not deleted', MINUTES, async (name) => {
    renameBeta(folder, name);
    for (const args of [['plan'], ['apply', '--auto-approve'], ['validate']]) {
      const { code, diagnostics } = await diagnosed(...args);
      const found = diagnostics.filter((one) => one.code === 'file-passed-over');
      expect({ code, found }, args.join(' ')).toMatchObject({
        code: 3,
        found: [{ severity: 'error', location: { file: name } }],
      });
    }
  });

  test(
    'a JSON file without a manifest is named in a warning; one that the project reads and a hidden file are not',
    MINUTES,
    async () => {
      const policy = { name: 'ours', message: 'No.', file: 'manifests/policy.json' };
      write(folder, {
        'manifests/notes.json': '{}',
        'manifests/.lint.yaml': 'rules: {}\n',
        'manifests/policy.json': '{}',
        'tradeform.yaml': `apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\nspec:\n  guardrails:\n    policies: [${JSON.stringify(policy)}]\n`,
      });
      commit(folder, 'json');
      const { code, diagnostics } = await diagnosed('plan', '--detailed-exitcode');
      expect({ code, diagnostics }).toMatchObject({
        code: 0,
        diagnostics: [
          { severity: 'warning', code: 'file-passed-over', location: { file: 'manifests/notes.json' } },
        ],
      });
    },
  );
});

test('an LFS pointer is named, and nothing is decided', MINUTES, async () => {
  leavePointer(folder);
  for (const args of [['plan'], ['apply', '--auto-approve'], ['drift'], ['validate']]) {
    const { code, diagnostics } = await diagnosed(...args);
    expect({ code, diagnostics }, args.join(' ')).toMatchObject({
      code: 3,
      diagnostics: [
        { code: 'lfs-pointer', severity: 'error', location: { file: 'manifests/desk-b/beta.yaml' } },
      ],
    });
  }
});

describe('a removal in an uncommitted change', () => {
  const plan = async () => {
    const { code, diagnostics } = await diagnosed('plan');
    return { code, diagnostics: diagnostics.filter((one) => /removal|checkout/.test(one.code)) };
  };

  test('of a file is planned, and named as such', MINUTES, async () => {
    rmSync(join(folder, 'manifests/desk-b'), { recursive: true });
    expect(await plan()).toMatchObject({
      code: 0,
      diagnostics: [{ code: 'removal-uncommitted', severity: 'warning', address: 'sniper/beta' }],
    });
    git(folder, 'rm', '--quiet', '-r', 'manifests/desk-b');
    expect((await plan()).diagnostics).toHaveLength(1);
    commit(folder, 'removed');
    expect(await plan()).toEqual({ code: 0, diagnostics: [] });
  });

  test('of a submodule that is only staged is named, and --only pending is refused', MINUTES, async () => {
    moveIntoSubmodule(folder);
    git(folder, 'rm', '--quiet', '--cached', 'manifests/desk-b');
    rmSync(join(folder, 'manifests/desk-b'), { recursive: true });
    expect(await plan()).toMatchObject({
      code: 0,
      diagnostics: [{ code: 'removal-uncommitted', severity: 'warning', address: 'sniper/beta' }],
    });
    const { code, diagnostics } = await diagnosed('apply', '--auto-approve', '--only', 'pending');
    expect([code, diagnostics.map((one) => one.code)]).toEqual([4, ['only-refused']]);
  });

  test('of a document in a file is named as well', MINUTES, async () => {
    const both = `${manifestOf('alpha')}---\n${manifestOf('beta')}`;
    rmSync(join(folder, 'manifests/desk-b'), { recursive: true });
    write(folder, { 'manifests/desk-a/alpha.yaml': both });
    commit(folder, 'both');
    expect((await plan()).diagnostics).toEqual([]);
    write(folder, { 'manifests/desk-a/alpha.yaml': manifestOf('alpha') });
    expect(await plan()).toMatchObject({
      code: 0,
      diagnostics: [{ code: 'removal-uncommitted', address: 'sniper/beta' }],
    });
  });

  test.each(['--skip-worktree', '--assume-unchanged'])(
    'that git does not see (%s) is an error',
    MINUTES,
    async (mark) => {
      const both = `${manifestOf('alpha')}---\n${manifestOf('beta')}`;
      rmSync(join(folder, 'manifests/desk-b'), { recursive: true });
      write(folder, { 'manifests/desk-a/alpha.yaml': both });
      commit(folder, 'both');
      git(folder, 'update-index', mark, 'manifests/desk-a/alpha.yaml');
      write(folder, { 'manifests/desk-a/alpha.yaml': manifestOf('alpha') });
      expect(git(folder, 'status', '--porcelain')).toBe('');
      expect(await plan()).toMatchObject({
        code: 3,
        diagnostics: [
          {
            code: 'checkout-incomplete',
            message: expect.stringMatching(/sniper\/beta.*manifests\/desk-a\/alpha\.yaml/),
          },
        ],
      });
    },
  );
});

describe('a submodule that is checked out', () => {
  beforeEach(() => moveIntoSubmodule(folder));

  test('counts as the files of the commit that the repository names', MINUTES, async () => {
    for (const args of [['plan', '--detailed-exitcode'], ['drift'], ['plan', '--only', 'pending']]) {
      const { code, diagnostics } = await diagnosed(...args);
      expect(
        { code, errors: diagnostics.filter(({ severity }) => severity !== 'info') },
        args.join(' '),
      ).toEqual({
        code: 0,
        errors: [],
      });
    }
  });

  test(
    'a removal in it is an uncommitted change until the repository names its commit',
    MINUTES,
    async () => {
      const submodule = join(folder, 'manifests/desk-b');
      write(submodule, {
        'other.yaml': 'apiVersion: tradeform/v1\nkind: Label\nmetadata:\n  name: hot\nspec: {}\n',
      });
      rmSync(join(submodule, 'beta.yaml'));
      expect((await diagnosed('plan')).diagnostics).toContainEqual(
        expect.objectContaining({ code: 'removal-uncommitted', address: 'sniper/beta' }),
      );
      commit(submodule, 'removed');
      expect(await diagnosed('plan')).toMatchObject({
        code: 3,
        diagnostics: [{ code: 'checkout-incomplete' }],
      });
      git(folder, 'add', 'manifests/desk-b');
      expect((await diagnosed('plan')).diagnostics).toContainEqual(
        expect.objectContaining({ code: 'removal-uncommitted', address: 'sniper/beta' }),
      );
    },
  );
});

test('a submodule that no pattern reaches needs not be here', MINUTES, async () => {
  const library = join(root, 'library');
  mkdirSync(library);
  git(library, 'init', '--quiet', '--initial-branch=main');
  write(library, { 'x.yaml': manifestOf('gamma') });
  commit(library);
  git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'vendor/library');
  commit(folder, 'library');
  git(folder, 'submodule', 'deinit', '--force', '--quiet', '--all');
  expect((await diagnosed('plan', '--detailed-exitcode')).code).toBe(0);
});

test(
  'a checkout of all that the patterns reach is complete, whatever else it leaves out',
  MINUTES,
  async () => {
    write(folder, { 'docs/a.md': 'a', 'docs/b.yaml': 'b' });
    commit(folder, 'docs');
    git(folder, 'sparse-checkout', 'set', 'manifests');
    expect((await diagnosed('plan', '--detailed-exitcode')).code).toBe(0);
  },
);

test('an index that git cannot read ends the plan', MINUTES, async () => {
  writeFileSync(join(folder, '.git/index'), 'nothing');
  expect(await diagnosed('plan')).toMatchObject({ code: 3, diagnostics: [{ code: 'checkout-incomplete' }] });
});

test('a project in a folder of the repository is compared by its own paths', MINUTES, async () => {
  const outer = join(root, 'outer');
  cpSync(folder, join(outer, 'p'), { recursive: true, filter: (path) => !path.endsWith('.git') });
  git(outer, 'init', '--quiet', '--initial-branch=main');
  commit(outer);
  git(outer, 'update-index', '--skip-worktree', 'p/manifests/desk-b/beta.yaml');
  rmSync(join(outer, 'p/manifests/desk-b/beta.yaml'));
  const { code, stdout } = await run(['plan', '-o', 'json'], join(outer, 'p'));
  expect({ code, diagnostics: JSON.parse(stdout).diagnostics }).toMatchObject({
    code: 3,
    diagnostics: [{ code: 'checkout-incomplete', location: { file: 'manifests/desk-b/beta.yaml' } }],
  });
});
