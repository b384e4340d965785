import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { git } from '../hostile/building.ts';
import { repository as embedded } from '../hostile/repositories/embedded-bare-repository.ts';
import { repository as withMain } from '../hostile/repositories/embedded-repository-with-main.ts';
import { repository as gitFile } from '../hostile/repositories/git-file-into-project.ts';
import { repository as settings } from '../hostile/repositories/hostile-git-settings.ts';
import { repository as submodule } from '../hostile/repositories/submodule-with-filters.ts';
import type { HostileRepository } from '../hostile/repository.ts';
import { type RunningSandbox, startSandbox, tradeform } from './run.ts';

let sandbox: RunningSandbox;
let root: string;
let folder: string;
let outside: string;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tradeform-attack-')));
  folder = join(root, 'repository');
  outside = join(root, 'outside');
  for (const each of [folder, outside, join(root, 'home')]) mkdirSync(each);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Builds a hostile repository; the folder of its project. */
function built(repository: HostileRepository): string {
  const place = { folder, outside, canary: 'canary', elsewhere: 'http://127.0.0.1:1/v1' };
  return join(folder, repository.build(place)?.project ?? '');
}

function run(cwd: string, args: readonly string[], path = process.env.PATH ?? '') {
  const env = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token, PATH: path };
  return tradeform(args, { cwd, env: { ...env, HOME: join(root, 'home') } });
}

const head = () => git(folder, 'rev-parse', 'HEAD');
const ran = () => existsSync(join(outside, 'ran'));

interface PlanSeen {
  readonly source: { readonly commit: string | null; readonly dirty: boolean };
  readonly changes: readonly { readonly address: string }[];
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

async function planOf(cwd: string, args: readonly string[] = [], path?: string): Promise<PlanSeen> {
  const { stdout } = await run(cwd, ['plan', '-o', 'json', ...args], path);
  return JSON.parse(stdout) as PlanSeen;
}

const COMMANDS = [
  ['plan'],
  ['apply', '--auto-approve', '--first-apply'],
  ['drift'],
  ['status'],
  ['doctor'],
  ['rehearse'],
];

describe.each([
  ['embedded-bare-repository', embedded],
  ['embedded-repository-with-main', withMain],
  ['git-file-into-project', gitFile],
  ['hostile-git-settings', settings],
  ['submodule-with-filters', submodule],
] as const)('%s', (_name, repository) => {
  test('no command runs what it brings', async () => {
    const project = built(repository);
    for (const args of COMMANDS) {
      const { code } = await run(project, args);
      expect([0, 2], args.join(' ')).toContain(code);
      expect(ran(), args.join(' ')).toBe(false);
    }
  });
});

test('a folder that looks like a bare repository is none: commit and cleanliness are those of the real one', async () => {
  const project = built(embedded);
  expect((await planOf(project)).source).toMatchObject({ commit: head(), dirty: false });
});
