import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { markerOf } from '../../src/core/model/marker.ts';
import { tradeform } from '../cmd/run.ts';
import { task } from '../features/drift/drift-run.ts';
import { commitAll, testRepository } from '../support/repository.ts';
import { killLeftovers } from './program.ts';
import { type Service, startService } from './service.ts';

/** A is applied, B raises ten times and lags, C takes B back and runs first: the late job of B writes nothing. */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(killLeftovers);

let repository: ReturnType<typeof testRepository>;
beforeEach(() => {
  service.reset({});
  repository = testRepository();
  repository.write('tradeform.yaml', PROJECT);
});

const PROJECT = `apiVersion: tradeform/v1
kind: Project
metadata: { name: core }
spec: { settle: { update: 0s, replace: 0s }, guardrails: { max_factor: 1000 } }
`;

function committed(...documents: readonly string[]): string {
  repository.write('manifests/all.yaml', documents.join('---\n'));
  return commitAll(repository.git, 'all');
}

function begin(): string {
  return committed('apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: hot }\nspec: {}\n');
}

/** Two documents of one file. */
function commit(whale: string, keep = '0.5', words = ''): string {
  return committed(words + task('whale', { buy: whale }), task('keep', { target: 1, buy: keep }));
}

async function apply(...options: readonly string[]): Promise<string> {
  const args = ['apply', '--auto-approve', '--first-apply', '--no-color', ...options];
  const { code, stdout, stderr } = await tradeform(args, { cwd: repository.path, env: service.env });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

const PENDING = ['--only', 'pending'];

function stored(name: string): readonly [amount: unknown, number: number | undefined] {
  const found = [...service.sandbox.state.tasks.values()].find((one) => markerOf(one)?.name === name);
  return [found?.config.buy_amount, found && markerOf(found)?.version?.number];
}

describe.each<[string, readonly string[]]>([
  ['with a number', PENDING],
  ['without a number', []],
])('A was applied %s', (_title, first) => {
  it.each<[string, (b: string) => readonly string[]]>([
    ['all', () => []],
    ['all, with --base', (b) => ['--base', b]],
    ['a part, with --target', () => ['--target', 'sniper/whale']],
    ['a part, with --exclude', () => ['--exclude', 'sniper/keep']],
    ['a part, with --target and --base', (b) => ['--target', 'sniper/whale', '--base', b]],
  ])('C looks at %s', async (_what, options) => {
    const before = begin();
    commit('0.1');
    await apply(...first, ...(first.length === 0 ? [] : ['--base', before]));
    const b = commit('1');
    commit('0.1');
    expect(await apply(...PENDING, ...options(b))).toContain('whale');
    expect(stored('whale')).toEqual(['0.1', 4]);
    expect(stored('keep')).toEqual(['0.5', first.length === 0 ? 0 : 2]);
    repository.git('checkout', '-q', b);
    expect(await apply(...PENDING)).toContain('newer commit');
    expect(stored('whale')).toEqual(['0.1', 4]);
  });
});

it('what no commit since had otherwise is not written again', async () => {
  begin();
  commit('0.1');
  await apply();
  for (const keep of ['0.6', '0.7']) {
    commit('0.1', keep);
    await apply(...PENDING);
  }
  commit('0.10', '0.7', '# Words\n');
  const { writes } = service;
  await apply(...PENDING);
  expect([stored('whale'), stored('keep'), service.writes - writes]).toEqual([['0.1', 0], ['0.7', 4], 0]);
});
