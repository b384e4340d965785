import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/core/render/format.ts';
import { gitIn } from '../support/repository.ts';
import { FULL } from '../support/sample.ts';
import { expectNoTrace } from '../support/traces.ts';
import {
  CANARY,
  folder,
  projectFiles,
  type RunningSandbox,
  readText,
  startSandbox,
  tradeform,
} from './run.ts';

const SECRET = CANARY.slice(CANARY.indexOf('.') + 1);
const ENV = {
  NOTE: 'Quiet "harbour" é',
  WORD: 'whispering',
  AMOUNT: '7.6543219',
  TIP: '0.25',
};
/** Ways in which a service, or something before it, can write a token that it repeats. */
const TOKENS = [CANARY, SECRET].flatMap((text) => [
  text,
  btoa(text),
  btoa(`:${text}`),
  btoa(`a:${text}`).replace(/=+$/, ''),
  Buffer.from(text).toString('base64url'),
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('hex').toUpperCase(),
  encodeURIComponent(text),
]);
/** Of each a part that nothing else has. */
const TRACES = [
  ...TOKENS.map((text) => text.slice(-20, -4)),
  ...TOKENS.slice(1)
    .map((text) => text.slice(24, 40))
    .filter((text) => text.length === 16),
  'Quiet',
  'harbour',
  'whispering',
  '7.6543219',
  'tip of 0.25',
];
const SAID = `no ${ENV.NOTE}, ${ENV.WORD}; tip of ${ENV.TIP} and ${ENV.AMOUNT}: `;
/** Texts of the service are cut at 500 characters, and each has to be in one. */
const MESSAGES = TOKENS.map((text) => `${SAID}${text}.`);

type Mode = 'stores' | 'refuses writes' | 'refuses everything';
let mode: Mode = 'stores';
let asked = 0;
let sandbox: RunningSandbox;
let service: Server;
let baseUrl: string;

const project = folder({
  ...projectFiles(),
  'manifests/beta.yaml':
    projectFiles()
      ['manifests/alpha.yaml']?.replace('name: alpha', 'name: beta')
      .replace('remark: Early launches', 'remark: "${env.WORD}"')
      .replace(
        '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
        '9n4nbM75f5Ui33ZbPYXn59EwSgE8CGsHtAeTH5YFeJ9E',
      ) ?? '',
});

/** The sandbox, with a service before it that repeats what it knows wherever the interface has a text. */
function repeating(): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      asked += 1;
      const message = MESSAGES[asked % MESSAGES.length] ?? '';
      const id = TOKENS[asked % TOKENS.length] ?? '';
      const read = request.method === 'GET';
      if (mode === 'refuses everything' || (mode === 'refuses writes' && !read)) {
        const fields = [{ path: 'config.relay_mode.tip_amount', reason: message }];
        const error = { code: 'validation_error', message, fields };
        response.writeHead(400, { 'x-request-id': id }).end(JSON.stringify({ error, request_id: id }));
        return;
      }
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name]) => !['host', 'connection', 'content-length'].includes(name),
        ),
      ) as Record<string, string>;
      const answer = await fetch(`${sandbox.baseUrl}${(request.url ?? '').replace('/v1', '')}`, {
        method: request.method ?? 'GET',
        headers,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      const text = await answer.text();
      const etag = answer.headers.get('etag');
      response.writeHead(answer.status, { 'x-request-id': id, ...(etag === null ? {} : { etag }) }).end(text);
    });
  });
}

async function post(path: string, body: object): Promise<void> {
  const answer = await fetch(`${sandbox.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${CANARY}`,
      'content-type': 'application/json',
      'idempotency-key': `key-${path.length}-${JSON.stringify(body).length}`,
    },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.text()).toBe(201);
}

const SELL = {
  auto_sell: {
    enabled: false,
    expiry_time: '0',
    tp_orders: [],
    sl_orders: [],
    follow_sell: false,
    proportional_sell: false,
  },
  auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: '0' },
  timed_strategy: { enabled: false, orders: [] },
};
const ROUTE = { tip_amount: '0.001', priority_fee: '0.0005', slippage: '15' };

beforeAll(async () => {
  sandbox = await startSandbox();
  service = repeating();
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
  const alpha = readText(project.path, 'manifests/alpha.yaml')
    .replace('remark: Early launches', 'remark: "${env.NOTE}"')
    .replace('"0.5"', '"${env.AMOUNT}"')
    .replace('tip_amount: "0.001"', 'tip_amount: "${env.TIP}"');
  writeFileSync(join(project.path, 'manifests/alpha.yaml'), alpha);
  gitIn(project.path)('init', '-q', '-b', 'main');
  gitIn(project.path)('add', '.');
  gitIn(project.path)('commit', '-q', '-m', 'all');
  // What a person wrote, and what somebody named: as it is on the service.
  for (const name of [ENV.NOTE, btoa(SECRET)]) await post('/labels', { name, sort_order: 1 });
  const config = {
    buy_amount: '1',
    relay_mode: ROUTE,
    priority_mode: ROUTE,
    selected_dexes: ['pump-fun'],
    dex_source: 'config',
    buy_once: false,
    sol_slippage_mode: false,
    snipe_external: false,
    ...SELL,
  };
  const target_wallet = 'BRSpBrs5en3aQxiXznUyNwj8XejFfwV5ACUz77nycEqT';
  for (const remark of [`${ENV.NOTE} ${ENV.WORD}`, `is ${btoa(SECRET)}`])
    await post('/sniper/configs', { remark, target_wallet, config });
}, 60_000);
afterAll(async () => {
  service.closeAllConnections();
  service.close();
});

async function idOfBeta(): Promise<string> {
  const headers = { authorization: `Bearer ${CANARY}` };
  const answer = await fetch(`${sandbox.baseUrl}/sniper/configs?limit=100`, { headers });
  const { data } = (await answer.json()) as { data: { items: { id: string; remark: string }[] } };
  return (
    data.items.find(({ remark }) => remark.includes('/beta'))?.id ?? '5e0c1d2a-0000-4000-8000-0000000000aa'
  );
}

async function expectNothing(args: readonly string[]): Promise<string> {
  const env = { ...ENV, TRADEFORM_BASE_URL: baseUrl, TRADEFORM_TOKEN: CANARY, TRADEFORM_DEBUG: '1' };
  const beta = args.includes('BETA') ? await idOfBeta() : '';
  const words = args.map((arg) => (arg === 'BETA' ? beta : arg));
  const { stdout, stderr } = await tradeform(words, { cwd: project.path, env });
  const reports = readdirSync(project.path).filter((name) => name.startsWith('report-'));
  const said = [stdout, stderr, ...reports.map((name) => readText(project.path, name))].join('\n');
  for (const name of reports) rmSync(join(project.path, name));
  expectNoTrace(said, TRACES, args.join(' '));
  if (args.includes('json')) JSON.parse(stdout);
  return said;
}

const REPORTS = FORMATS.flatMap((format) => ['--report', `${format}=report-${format}`]);
const ALL = ['--all', '--include-unmanaged'];
const COMMANDS: readonly (readonly string[])[] = [
  ['validate', '-v', ...REPORTS],
  ['render'],
  ['render', '-o', 'json'],
  ['doctor'],
  ['doctor', '-o', 'json'],
  ['plan', '-v', '--base', 'HEAD', ...REPORTS],
  ...FORMATS.map((format) => ['plan', '-o', format]),
  ['drift', '-v', ...REPORTS],
  ['status'],
  ['status', '-o', 'json'],
  ['apply', '-v', '--auto-approve', '--first-apply', ...REPORTS],
  ...FORMATS.map((format) => ['apply', '--auto-approve', '--first-apply', '-o', format]),
  ['pause', '-v', ...ALL],
  ['pause', '-o', 'json', ...ALL],
  ['resume', '-v', '--all', '--auto-approve'],
  ['resume', '-o', 'json', '--all', '--auto-approve'],
  ['release', '--id', 'BETA', '--dry-run', '-o', 'json'],
  ['release', '--id', 'BETA', '--auto-approve'],
];

const MODES: readonly Mode[] = ['refuses everything', 'refuses writes', 'stores'];

describe.each(MODES)('a service that %s', (which) => {
  it('gives nothing away by repeating it, in any command and format', { timeout: 600_000 }, async () => {
    mode = which;
    // Each in all three modes, or in `npm test` in one of them.
    const isPlayed = (index: number) => FULL || index % MODES.length === MODES.indexOf(which);
    for (const args of COMMANDS.filter((_, index) => isPlayed(index))) await expectNothing(args);
  });
});

it('this test would find it', async () => {
  mode = 'stores';
  const env = { ...ENV, TRADEFORM_BASE_URL: baseUrl, TRADEFORM_TOKEN: CANARY };
  // Without manifests nothing says what is secret of the environment; the token is hidden all the same.
  const bare = folder({});
  const { stdout } = await tradeform(['pause', '--dry-run', '--all', '--include-unmanaged', '-o', 'json'], {
    cwd: bare.path,
    env,
  });
  expect(stdout).toContain('harbour');
  expect(stdout).not.toContain(btoa(SECRET));
});

it('a pause whose label is refused repeats no word of the service', async () => {
  mode = 'refuses writes';
  expect(await expectNothing(['pause', '-o', 'json', ...ALL])).toContain('"not-frozen"');
});

it('a saved plan has none of the values, and its apply says none', async () => {
  mode = 'stores';
  await expectNothing(['plan', '--out', 'report-plan']);
  await expectNothing(['plan', '--out', 'plan.json']);
  mode = 'refuses writes';
  await expectNothing(['apply', 'plan.json', '-o', 'json']);
});
