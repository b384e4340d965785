import { describe, expect, it } from 'vitest';
import type { Fault, FaultRule } from '../../../src/core/model/generated/sandbox.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { Transport } from '../../../src/core/ports/transport.ts';
import { createApi } from '../../../src/core/service/http/client.ts';
import { type ReadLimits, readLive } from '../../../src/core/service/view/read.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import fc from '../../properties.ts';
import { drawChoices } from '../../support/choices.ts';
import { Vacuous } from '../../support/property.ts';
import { runs } from '../../support/sample.ts';
import { createSandboxTransport } from '../../support/sandbox-transport.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const WALLETS = [
  '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
];

function steppedClock(): Clock & { advance(ms: number): void } {
  let now = START;
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    advance(ms) {
      now += ms;
    },
  };
}

const task = (kind: 'sniper' | 'copy-trade' | 'transfer-snipe', index: number) => ({
  kind,
  id: `${kind === 'sniper' ? 'a' : kind === 'copy-trade' ? 'b' : 'c'}0000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
  remark: `task ${index}`,
  target_wallet: WALLETS[index % WALLETS.length] as string,
  config: { stored: 'long ago' },
  legacy: true,
  created_at: '2026-11-01T00:00:00Z',
  updated_at: new Date(START - 3_600_000 + index * 1_000).toISOString(),
});

const seed = (snipers: number, copies: number) => ({
  accounts: [
    {
      quota: { max: 10_000 },
      labels: [{ name: 'high-risk', sort_order: 3 }],
      tasks: [
        ...Array.from({ length: snipers }, (_, index) => task('sniper', index)),
        ...Array.from({ length: copies }, (_, index) => task('copy-trade', index)),
        task('transfer-snipe', 1),
      ],
      templates: [{ kind: 'sniper' as const, name: 'base', config: {}, legacy: true }],
    },
  ],
});

/** Reads a sandbox in process; `meanwhile` runs before every request that the reader sends. */
async function read(
  options: SandboxOptions,
  faults: readonly FaultRule[] = [],
  meanwhile: (sandbox: Sandbox, index: number) => Promise<void> = async () => undefined,
  limits: Partial<ReadLimits> = {},
) {
  const clock = steppedClock();
  const sandbox = createSandbox({ seed: seed(250, 120), clock, faults, ...options });
  const inner = createSandboxTransport(sandbox);
  let index = 0;
  const transport: Transport = {
    send: async (request) => {
      await meanwhile(sandbox, index);
      index += 1;
      clock.advance(37);
      return inner.send(request);
    },
    close: async () => undefined,
  };
  const token = sandbox.tokens()[0]?.token ?? '';
  const api = createApi({ transport, token, clock, random: () => 0.5, userAgent: 'tradeform/test' });
  const result = await readLive({ api, clock, needed: new Set(), limits });
  return { ...result, sandbox, token };
}

describe('the embedded service', () => {
  it('at rest is read once, page by page', async () => {
    const { live, diagnostics, sandbox } = await read({});
    expect(diagnostics).toEqual([]);
    expect(live).toMatchObject({ complete: true, proof: expect.stringMatching(/quota counts/) });
    expect([live?.tasks.length, live?.templates.length, live?.labels.length]).toEqual([371, 1, 1]);
    expect(live?.labels[0]).toMatchObject({ name: 'high-risk', sort_order: 3 });
    expect(sandbox.log).toHaveLength(2 + 3 + 2 + 1 + 1 + 1 + 1);
    expect(sandbox.log.every(({ method }) => method === 'GET')).toBe(true);
  });

  it.each<[string, Fault]>([
    ['rate_limit_exceeded', { type: 'error', code: 'rate_limit_exceeded' }],
    ['service_unavailable', { type: 'error', code: 'service_unavailable', retry_after: 'soon' }],
    ['internal_error', { type: 'error', code: 'internal_error' }],
    ['a gateway’s page', { type: 'html' }],
    ['a gateway’s page with status 200', { type: 'html', status: 200 }],
    ['a broken connection', { type: 'drop' }],
    ['half an answer', { type: 'truncate' }],
    ['half an answer that looks whole', { type: 'truncate', ended: true }],
    ['nothing but a status', { type: 'status', status: 200, body: '' }],
    ['a gateway’s 502', { type: 'status', status: 502 }],
  ])('is read in full through %s, wherever it strikes', async (_name, fault) => {
    for (let skip = 0; skip < 12; skip += 1) {
      const { live, diagnostics } = await read({}, [{ skip, times: 1, fault }]);
      expect(diagnostics).toEqual([]);
      expect(live).toMatchObject({ complete: true });
      expect(live?.tasks).toHaveLength(371);
    }
  });

  it.each<[string, Fault]>([
    ['rate_limit_exceeded', { type: 'error', code: 'rate_limit_exceeded' }],
    ['a broken connection', { type: 'drop' }],
    ['half an answer', { type: 'truncate' }],
  ])('is read in full through %s in parts as well', async (_name, fault) => {
    for (let skip = 0; skip < 16; skip += 1) {
      const { live, sandbox } = await read({}, [{ skip, times: 1, fault }], undefined, { inParts: 120 });
      expect(live).toMatchObject({ complete: true, proof: expect.stringContaining('as many tasks') });
      expect(live?.tasks).toHaveLength(371);
      expect(sandbox.log.some(({ path }) => path.includes('status=') || path.includes('label_id='))).toBe(
        true,
      );
    }
  });

  it('is never half read: a permanent fault leaves no view', async () => {
    for (const path of ['^/me', '^/sniper/configs', 'cursor=', '^/labels', '^/copy-trade/templates']) {
      const { live, diagnostics, token } = await read({}, [
        { path, times: 0, fault: { type: 'html', status: 200 } },
      ]);
      expect(live).toBeUndefined();
      expect(diagnostics.map(({ code }) => code)).toEqual(['service-unreachable']);
      expect(JSON.stringify(diagnostics)).not.toContain(token);
    }
  });

  it('with invisible tasks that count is accepted by agreement, and this is reported', async () => {
    const hidden = seed(20, 5);
    const accounts = hidden.accounts.map((account) => ({ ...account, quota: { max: 10_000, elsewhere: 3 } }));
    const { live, diagnostics } = await read({ seed: { accounts } });
    expect(live).toMatchObject({ complete: true });
    expect(diagnostics.map(({ code }) => code)).toEqual(['view-incomplete']);
  });

  it('under any of its choices, and with writes in between, is never claimed complete with something missing', async () => {
    let complete = 0;
    let tried = 0;
    const vacuous = new Vacuous();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(1_000), { minLength: 8, maxLength: 8 }),
        fc.array(fc.record({ at: fc.nat(24), which: fc.nat(249), remove: fc.boolean() }), { maxLength: 6 }),
        async (numbers, writes) => {
          let drawn = 0;
          const choices = drawChoices((count) => {
            drawn += 1;
            return ((numbers[drawn % numbers.length] ?? 0) + drawn) % count;
          });
          const gone = new Set<string>();
          const { live } = await read({ choices }, [], async (service, index) => {
            const headers = {
              authorization: `Bearer ${service.tokens()[0]?.token}`,
              'content-type': 'application/json',
            };
            for (const write of writes.filter(({ at }) => at === index)) {
              const path = `/sniper/configs/${task('sniper', write.which).id}`;
              const found = await service.request({ method: 'GET', path, headers });
              const match = { ...headers, 'if-match': found.headers.etag ?? '"v1"' };
              const request = write.remove
                ? ({ method: 'DELETE', path, headers: match } as const)
                : ({ method: 'PATCH', path, headers: match, body: `{"remark":"moved ${index}"}` } as const);
              const done = await service.request(request);
              if (write.remove && done.status === 204) gone.add(path.slice(path.lastIndexOf('/') + 1));
            }
          });
          tried += 1;
          if (live?.complete !== true) return vacuous.add();
          complete += 1;
          const seen = new Set(live.tasks.map(({ id }) => id));
          const there = Array.from({ length: 250 }, (_, index) => task('sniper', index).id).filter(
            (id) => !gone.has(id),
          );
          expect(there.filter((id) => !seen.has(id))).toEqual([]);
        },
      ),
      { numRuns: runs(60) },
    );
    vacuous.expectAtMost(0.1, runs(60));
    expect(complete / tried).toBeGreaterThan(0.6);
  });
});
