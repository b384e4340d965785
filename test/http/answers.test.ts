import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import { CANARY, type Ran, tradeform } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { FULL, sampled } from '../support/sample.ts';
import { selfSigned } from './certificate.ts';
import { type Gateway, listen, openGateway, type Spoil } from './gateway.ts';
import { inPools } from './pool.ts';
import { json, killLeftovers, run } from './program.ts';
import { ACCOUNT, ONCE, problemsOf, referenceRepository } from './reference.ts';
import { desiredOf, planOf } from './repository.ts';
import { createHttpRunner } from './runner.ts';
import { type Service, startService } from './service.ts';
import { spoils } from './spoils.ts';

const PLAN = ['plan', '-o', 'json', '-v'];
const APPLY = ['apply', '--auto-approve', '-o', 'json', '-v'];
const SECRET = CANARY.split('.')[1] ?? '';

const repository = referenceRepository();
let service: Service;
let elsewhere: Gateway;
/** What the other server heard: nothing, if all is well. */
const overheard: string[] = [];
let wrong: Readonly<Record<string, Spoil>>;

beforeAll(async () => {
  service = await startService();
  elsewhere = await listen(
    createServer((request, response) => {
      overheard.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"items":[]}}');
    }),
  );
  wrong = spoils(`http://127.0.0.1:${elsewhere.port}`);
});
afterAll(() => killLeftovers());

function via(baseUrl: string, more: Record<string, string> = {}) {
  const env = { TRADEFORM_BASE_URL: baseUrl, TRADEFORM_TOKEN: CANARY, TRADEFORM_DEBUG: '', ...more };
  return { cwd: repository.path, env };
}

/** Exit 1, one document that says what is wrong, and nothing that only a programmer can read. */
function expectFailure(ended: Ran, label: string): void {
  expect(ended.code, `${label}\n${ended.stderr}`).toBe(1);
  const { diagnostics, ...rest } = json<{ diagnostics: { message: string }[] }>(ended);
  expect(rest, label).toMatchObject({ format: 'tradeform.result/1', exit_code: 1 });
  expect(diagnostics.length, label).toBeGreaterThan(0);
  for (const { message } of diagnostics) expect(message, label).toMatch(/\S+ \S+/);
  expectQuiet(ended, label);
}

function expectQuiet({ stdout, stderr }: Ran, label: string): void {
  const all = `${stdout}${stderr}`;
  expect(all, label).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  expect(all, label).not.toMatch(/internal|UnhandledPromise|undefined|\[object/);
  expect(all, label).not.toContain(SECRET);
}

describe('an answer that is not the service’s own', () => {
  it('to a read: plan and apply fail with a message, and nothing is written', {
    timeout: 120_000,
  }, async () => {
    service.reset(ACCOUNT);
    const cases = sampled(Object.entries(wrong), 4).flatMap(([name, spoil], index) =>
      // Both read with the same code: every third is tried with apply.
      (index % 3 === 0 ? [PLAN, APPLY] : [PLAN]).map((args) => ({ name, spoil, args })),
    );
    // Most of their time they wait before they try again.
    await inPools(cases, [1, 2, 3, 4, 5, 6], async ({ name, spoil, args }) => {
      const before: Spoil = (request, response, answer) =>
        request.url?.startsWith('/v1/sniper/configs') === true && spoil(request, response, answer);
      const gateway = await openGateway(service, { before });
      expectFailure(await tradeform(args, via(gateway.baseUrl)), `${args[0]}: ${name}`);
      await gateway.close();
    });
    expect(service.writes).toBe(0);
    expect(overheard, 'a redirect was followed').toEqual([]);
  });

  it('to every write that was carried out: apply finds out, and ends as planned', {
    timeout: 120_000,
  }, async () => {
    const names = Object.keys(wrong);
    // The second round gives each write another of the answers.
    for (const round of FULL ? [0, 1] : [0]) {
      service.reset(ACCOUNT);
      const spoiled = new Set<string>();
      let turn = round * Math.floor(names.length / 2);
      const after: Spoil = (request, response, answer) => {
        const what = `${request.method} ${request.url} ${request.headers['if-match']}`;
        if (request.method === 'GET' || answer === undefined || answer.status >= 300 || spoiled.has(what))
          return false;
        spoiled.add(what);
        turn += 1;
        return wrong[names[turn % names.length] ?? '']?.(request, response, answer) ?? false;
      };
      const gateway = await openGateway(service, { after });
      const ended = await tradeform(APPLY, via(gateway.baseUrl));
      await gateway.close();
      expectQuiet(ended, `round ${round}`);
      expect(spoiled.size).toBeGreaterThan(30);
      expect(ended.code, ended.stderr).toBe(0);
      // Without a mark, a pause without an answer leaves it held (DESIGN 3).
      expect(problemsOf(service.sandbox, [ONCE])).toEqual([]);
      expect([...service.starts.values()].filter((times) => times > 1)).toEqual([]);
      expect((await planOf(repository, service.sandbox)).operations).toEqual([]);
    }
    expect(overheard, 'a redirect was followed').toEqual([]);
  });

  it('to every attempt at one write: that change fails, the others are done, exit 1', {
    timeout: 60_000,
  }, async () => {
    service.reset(ACCOUNT);
    const redirect = wrong['a redirect with 308'];
    const before: Spoil = (request, response, answer) =>
      request.method === 'PATCH' &&
      /labels/.test(request.url ?? '') &&
      redirect?.(request, response, answer) === true;
    const gateway = await openGateway(service, { before });
    const ended = await tradeform(APPLY, via(gateway.baseUrl));
    await gateway.close();
    expect(ended.code).toBe(1);
    expectQuiet(ended, 'redirected writes');
    const { changes } = json<ApplyReport>(ended);
    const open = changes.filter(({ status }) => status !== 'done').map(({ address }) => address);
    expect(open).toContain('label/steady');
    expect(changes.filter(({ status }) => status === 'done').length).toBeGreaterThan(10);
    expect(overheard).toEqual([]);
  });

  it('is accepted with another content type, because the body decides', async () => {
    service.reset(ACCOUNT);
    const after: Spoil = (_request, response, answer) => {
      response
        .writeHead(answer?.status ?? 500, { ...answer?.headers, 'content-type': 'text/plain' })
        .end(answer?.body);
      return true;
    };
    const gateway = await openGateway(service, { after });
    expect((await tradeform(PLAN, via(gateway.baseUrl))).code).toBe(0);
    await gateway.close();
  });
});

describe('answers that take long', () => {
  it('are waited for', async () => {
    service.reset(ACCOUNT);
    service.hooks = { before: (index) => wait(index === 0 ? 1_500 : 20).then(() => undefined) };
    expect((await tradeform(PLAN, via(service.baseUrl))).code).toBe(0);
  });

  it('and never come, to every write: each is looked up, and the apply ends as planned', {
    timeout: 60_000,
  }, async () => {
    service.reset(ACCOUNT);
    const asked = new Set<string>();
    service.hooks = {
      after: (_index, { method, path, headers }) => {
        const what = `${method} ${path} ${headers['if-match']}`;
        if (method === 'GET' || asked.has(what)) return undefined;
        asked.add(what);
        return 'hang';
      },
    };
    const runner = createHttpRunner(service.baseUrl, () => 0, {
      limits: { headersTimeout: 150, totalTimeout: 2_000 },
    });
    const report = await runner.apply(await runner.plan(await desiredOf(repository)));
    await runner.close();
    expect(report.changes.filter(({ status }) => status !== 'done' && status !== 'held')).toEqual([]);
    expect(problemsOf(service.sandbox, [ONCE])).toEqual([]);
    expect([...service.starts.values()].filter((times) => times > 1)).toEqual([]);
  });
});

describe('TLS', () => {
  it('is checked: an untrusted host gets no request, and the reason is reported', {
    timeout: 60_000,
  }, async () => {
    service.reset(ACCOUNT);
    const folder = temporaryFolder('tls');
    const good = selfSigned('127.0.0.1');
    const expired = selfSigned('127.0.0.1', Date.now() - 3_600_000);
    const other = selfSigned('192.0.2.7');
    const trusted = (cert: string) => {
      const file = join(folder, `${cert.length}-${Math.random()}.pem`);
      writeFileSync(file, cert);
      return { NODE_EXTRA_CA_CERTS: file };
    };
    const refused = [
      { name: 'signed by itself', tls: good, env: {} },
      { name: 'expired', tls: expired, env: trusted(expired.cert) },
      { name: 'of another host', tls: other, env: trusted(other.cert) },
      { name: 'without a certificate', tls: {}, env: {} },
    ];
    await inPools(refused, [1, 2, 3, 4], async ({ name, tls, env }) => {
      const gateway = await openGateway(service, { tls });
      expectFailure(await run(PLAN, via(gateway.baseUrl, env)), name);
      await gateway.close();
    });
    expect(service.requests).toBe(0);

    const gateway = await openGateway(service, { tls: good });
    const doctor = await tradeform(['doctor'], via(gateway.baseUrl));
    expect([doctor.code, doctor.stdout]).toEqual([
      1,
      expect.stringMatching(/^ {2}fail +TLS +[\s\S]*self-signed/m),
    ]);
    const ended = await run(PLAN, via(gateway.baseUrl, trusted(good.cert)));
    await gateway.close();
    expect(ended.code, ended.stderr).toBe(0);
    expect(service.requests).toBe(8);
  });

  it('fails if the host answers in plain HTTP', async () => {
    const gateway = await openGateway(service, {});
    const ended = await tradeform(PLAN, via(gateway.baseUrl.replace('http:', 'https:')));
    await gateway.close();
    expectFailure(ended, 'plain HTTP');
  });
});
