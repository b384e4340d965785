import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { CANARY } from '../cmd/run.ts';
import { sniperConfig, walletOf } from '../support/builders.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { REPOSITORY } from './host.ts';
import { actionHere, checkOut } from './runner.ts';
import { inputVariables } from './step.ts';
import { onMain, pullRequest } from './workflow-event.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The host that a pull request of the same repository names, and nothing else: it notes the tokens that it gets. */
let elsewhere: Server;
let theirs = '';
const tokens: string[] = [];
let repository: TestRepository;
const shas = { headSha: '', baseSha: '', sha: '', unrelated: '' };

beforeAll(async () => {
  elsewhere = createServer(({ headers }, answer) => {
    tokens.push(String(headers.authorization));
    answer.writeHead(403, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  theirs = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1`;
  repository = testRepository();
  const { git, write, commit } = repository;
  git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const config = sniperConfig({ buy_amount: '0.1' });
  const spec = { state: 'active', remark: 'Note', target_wallet: walletOf('dawn'), config };
  write('manifests/dawn.yaml', document('SniperTask', 'dawn', spec));
  project('https://service.invalid/v1');
  shas.baseSha = commit();
  git('checkout', '-q', '-b', 'change');
  project(theirs);
  shas.headSha = commit();
  git('checkout', '-q', '--detach', 'main');
  git('merge', '-q', '--no-ff', '-m', 'Trial', 'change');
  shas.sha = git('rev-parse', 'HEAD');
  git('checkout', '-q', '--orphan', 'unrelated');
  project(theirs);
  shas.unrelated = commit();
});
beforeEach(() => {
  tokens.splice(0);
});
afterAll(async () => {
  for (const clone of clones.values()) rmSync(clone, { recursive: true, force: true });
  await new Promise((resolve) => elsewhere.close(resolve));
});

function project(baseUrl: string): void {
  const environments = { production: { base_url: baseUrl } };
  repository.write('tradeform.yaml', document('Project', 'core', { environments }));
}

function document(kind: string, name: string, spec: object): string {
  return `${JSON.stringify({ apiVersion: 'tradeform/v1', kind, metadata: { name }, spec }, null, 2)}\n`;
}

interface Options {
  readonly event?: string;
  /** Instead of the trial merge. */
  readonly checkout?: 'unrelated';
  /** `fetch-depth` of the checkout; 0 is all of the history. */
  readonly depth?: number;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Clones as actions/checkout makes them; a run of the action leaves them as they are. */
const clones = new Map<string, string>();

function cloneOf(commit: string, whole: boolean): string {
  const key = `${commit} ${whole}`;
  const known = clones.get(key);
  if (known !== undefined) return known;
  const clone = mkdtempSync(join(tmpdir(), 'tradeform-unnamed-'));
  checkOut(clone, repository.path, commit, whole);
  clones.set(key, clone);
  return clone;
}

/** The action in this process, with the built program, in a clone. */
async function run(command: string, options: Options = {}): Promise<{ code: number; log: string }> {
  const { event = 'pull_request', checkout, depth = 0, inputs = {}, env = {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tradeform-unnamed-'));
  const pulls = event.startsWith('pull_request');
  try {
    return await actionHere({
      PATH: process.env.PATH ?? '',
      HOME: folder,
      GITHUB_WORKSPACE: cloneOf(checkout === undefined ? shas.sha : shas[checkout], depth === 0),
      GITHUB_REPOSITORY: REPOSITORY,
      TRADEFORM_TOKEN: CANARY,
      ...(pulls ? pullRequest(folder, { event, ...shas }) : onMain(folder, event, shas.sha)),
      ...inputVariables({ command, comment: 'false', issue: 'false', ...inputs }),
      ...env,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CASES: readonly (readonly [string, string, Options])[] = [
  ['plan in a clone of one commit', 'plan', { depth: 1 }],
  ['plan with the base left out', 'plan', { inputs: { base: 'none' } }],
  ['plan of a checkout that is unrelated', 'plan', { checkout: 'unrelated' }],
  ['plan in a review', 'plan', { event: 'pull_request_review', depth: 1 }],
  ['plan with a variable that is not set', 'plan', { depth: 1, inputs: { 'base-url': '' } }],
  ['plan with an empty TRADEFORM_BASE_URL', 'plan', { depth: 1, env: { TRADEFORM_BASE_URL: ' ' } }],
  ['drift', 'drift', {}],
  ['drift in a clone of one commit', 'drift', { depth: 1 }],
  ['drift in a review', 'drift', { event: 'pull_request_review' }],
  ['drift in a comment on a review', 'drift', { event: 'pull_request_review_comment' }],
  ['drift with a base, of which it has no labels', 'drift', { inputs: { base: 'main' } }],
  ['drift with a variable that is not set', 'drift', { inputs: { 'base-url': '' } }],
  ['drift with an empty TRADEFORM_BASE_URL', 'drift', { env: { TRADEFORM_BASE_URL: '' } }],
];

it.each(CASES)('%s: a host that only a pull request names gets no token', async (_name, command, options) => {
  const { code, log } = await run(command, options);
  expect(tokens).toEqual([]);
  expect(code, log).toBe(4);
  expect(log).toMatch(
    /^::error .*which host gets the token: .*`base-url: \$\{\{ vars\.TRADEFORM_BASE_URL \}\}`/m,
  );
  if (command === 'plan') expect(log).toMatch(/^::error .*`fetch-depth: 0`/m);
  expect(log).not.toContain(CANARY);
});

it('a plan with the full history: the base shows that the host changed, so the host gets no token', async () => {
  const { code, log } = await run('plan');
  expect(tokens).toEqual([]);
  expect(code, log).toBe(4);
  expect(log).toContain('base-url-unconfirmed');
});

it.each([
  ['plan', { depth: 1, inputs: { only: 'all' } }],
  ['drift', { inputs: {} }],
])('%s sends the token where the settings say', async (command, options) => {
  const byInput = await run(command, { ...options, inputs: { ...options.inputs, 'base-url': theirs } });
  expect(tokens.length, byInput.log).toBeGreaterThan(0);
  tokens.splice(0);
  const byVariable = await run(command, { ...options, env: { TRADEFORM_BASE_URL: theirs } });
  expect(tokens.length, byVariable.log).toBeGreaterThan(0);
});

it.each(['schedule', 'push'])('drift on %s uses the project file, which is merged', async (event) => {
  const { log } = await run('drift', { event });
  expect(tokens[0], log).toContain(CANARY);
});
