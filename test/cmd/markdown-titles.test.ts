import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { sniper } from '../manifest/samples.ts';
import { commitAll, gitIn } from '../support/repository.ts';
import { CANARY, folder, tradeform } from './run.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

let sandbox: Sandbox;
let host: string;
let stop: () => Promise<void>;
let place: ReturnType<typeof folder>;

/** A project file of one environment; JSON is YAML. */
function projectFile({ baseUrl = `http://${host}/v1`, login = 'whales', guardrails = {} } = {}): string {
  const production = { base_url: baseUrl, account: { login_username: login }, guardrails };
  const document = { apiVersion: 'tradeform/v1', kind: 'Project', metadata: { name: 'core' } };
  return JSON.stringify({ ...document, spec: { environments: { production } } });
}

beforeAll(async () => {
  sandbox = createSandbox({
    seed: { accounts: [{ login_username: 'whales', tokens: [{ token: CANARY }] }] },
  });
  const server = await startServer(sandbox, 0);
  host = new URL(server.baseUrl).host;
  stop = () => server.close();
  place = folder({
    'good/tradeform.yaml': projectFile(),
    'good/manifests/dawn.yaml': sniper({ name: 'dawn' }),
    'invalid/tradeform.yaml': projectFile(),
    'invalid/manifests/dawn.yaml': sniper({ name: 'dawn', amount: 'much' }),
    'refused/tradeform.yaml': projectFile({ guardrails: { max_buy_amount: '0.1' } }),
    'refused/manifests/dawn.yaml': sniper({ name: 'dawn' }),
    'mismatch/tradeform.yaml': projectFile({ login: 'minnows' }),
    'mismatch/manifests/dawn.yaml': sniper({ name: 'dawn' }),
    'broken/tradeform.yaml': 'kind: [',
    'moved/tradeform.yaml': projectFile(),
    'moved/manifests/dawn.yaml': sniper({ name: 'dawn' }),
  });
  const git = gitIn(join(place.path, 'moved'));
  git('init', '-q', '-b', 'main');
  commitAll(git);
});
afterAll(() => stop());

async function titleOf(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const cwd = join(place.path, name);
  const all = { TRADEFORM_TOKEN: CANARY, ...env };
  const ran = await tradeform([...args, '-o', 'markdown', '--report', 'markdown=out.md'], { cwd, env: all });
  expect(readFileSync(join(cwd, 'out.md'), 'utf8')).toBe(ran.stdout);
  const [header = '', title] = ran.stdout
    .split('\n')
    .filter((line) => !line.startsWith('<!-- tradeform:changes '));
  const [verdict = '', about] = (title ?? '').slice('## '.length).split(' — ');
  const [, small] = /^<sub>(.*)<\/sub>$/m.exec(ran.stdout) ?? [];
  const said = [about, ...(small === undefined ? [] : [small])].join(' · ');
  return { code: ran.code, title: said, verdict, header, stderr: ran.stderr };
}

const where = (account: string) => `\`core\` · \`production\` · ${account} on \`${host}\``;
const HEADER = '<!-- tradeform:plan project=core environment=production digest=- -->';

test('a plan, a refused plan, and their applies', async () => {
  const plan = where('`whales`');
  expect(await titleOf('good', ['plan'])).toMatchObject({ code: 0, title: plan });
  expect(await titleOf('refused', ['plan'])).toMatchObject({
    code: 4,
    title: plan,
    header: HEADER,
    verdict: 'Refused: `max_buy_amount`',
  });
  expect(await titleOf('good', ['drift'])).toMatchObject({ title: `drift of ${where('`whales`')}` });
  const applied = await titleOf('good', ['apply', '--auto-approve']);
  expect(applied).toMatchObject({ code: 0, title: `apply of ${where('`whales`')}` });
});

test('manifests that are invalid', async () => {
  const pinned = where('`whales` (as pinned)');
  const failed = { code: 3, title: `\`tradeform plan\` for ${pinned}`, header: HEADER };
  expect(await titleOf('invalid', ['plan'])).toMatchObject(failed);
  const title = `\`tradeform validate\` for ${pinned}`;
  expect(await titleOf('invalid', ['validate'])).toMatchObject({ code: 3, title });
});

test('a service that refuses the token, or an account other than the pinned one', async () => {
  const wrong = { TRADEFORM_TOKEN: 'svc_live_00000000.wrong' };
  expect(await titleOf('good', ['plan'], wrong)).toMatchObject({
    code: 1,
    title: `\`tradeform plan\` for ${where('`whales` (as pinned)')}`,
  });
  expect(await titleOf('mismatch', ['plan'])).toMatchObject({
    code: 4,
    title: `\`tradeform plan\` for ${where('`minnows` (as pinned)')}`,
  });
});

test('the host comes from the command line or the environment', async () => {
  const title = '`tradeform plan` for `core` · `production` · `whales` (as pinned) on ';
  const other = 'https://other.invalid/v1';
  expect(await titleOf('invalid', ['plan', '--base-url', other])).toMatchObject({
    title: `${title}\`other.invalid\``,
  });
  const named = await titleOf('invalid', ['plan', '-eproduction'], { TRADEFORM_BASE_URL: other });
  expect(named).toMatchObject({ title: `${title}\`other.invalid\`` });
});

test('a host that only the change names', async () => {
  const baseUrl = 'https://new.invalid/v1';
  const folderOf = join(place.path, 'moved');
  writeFileSync(join(folderOf, 'tradeform.yaml'), projectFile({ baseUrl }));
  const { code, title } = await titleOf('moved', ['plan', '--base', 'main']);
  expect(code).toBe(4);
  expect(title).toMatch(/^`tradeform plan` for `core`.* on `new\.invalid`$/);
});

test('an unreadable project file, and an unknown environment', async () => {
  expect(await titleOf('broken', ['plan', '--environment', 'production'])).toMatchObject({
    code: 3,
    title: '`tradeform plan` for `production`',
  });
  expect(await titleOf('broken', ['plan'])).toMatchObject({ title: '`tradeform plan`' });
});
