import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/model/json.ts';
import { CHOICE_NAMES } from '../../src/sandbox/choices.ts';
import { handle } from '../../src/sandbox/handle.ts';
import { changesOf } from '../../src/sandbox/state.ts';
import fc from '../properties.ts';
import { configFor } from '../support/builders.ts';
import { drawChoices, ERROR_CODES } from '../support/choices.ts';
import { KINDS, START, startService, taskBody } from './service.ts';

const draws = fc.array(fc.nat(), { minLength: CHOICE_NAMES.length, maxLength: CHOICE_NAMES.length });

function chosen(numbers: readonly number[]) {
  let next = 0;
  return drawChoices((count) => (numbers[next++] ?? 0) % count, true);
}

const DECLARED = [200, 201, 204, 400, 401, 403, 404, 409, 429, 500, 503];

describe('whatever is asked', () => {
  it('every answer has a declared status and a documented form, under any choices', async () => {
    const path = fc.oneof(
      fc.constantFrom(
        '/me',
        '/labels',
        '/labels/x',
        '/sniper/configs',
        '/copy-trade/templates',
        '/transfer-snipe/configs?limit=3&q=a',
        '/%00',
        '/sniper/configs?cursor=AAAA.BB&limit=abc',
      ),
      fc.string().map((text) => `/sniper/configs?${encodeURI(text.replace(/[\uD800-\uDFFF]/g, ''))}`),
      fc.constantFrom(...KINDS).map((kind) => `/${kind}/configs/00000000-0000-4000-8000-000000000009`),
    );
    const body = fc.oneof(
      fc.jsonValue(),
      fc
        .constantFrom(...KINDS)
        .chain((kind) =>
          fc
            .dictionary(
              fc.constantFrom(
                'remark',
                'target_wallet',
                'config',
                'linked_wallets',
                'risk_label_id',
                'name',
                'sort_order',
                '__proto__',
              ),
              fc.jsonValue(),
            )
            .map((noise) => ({ ...taskBody(kind), ...noise })),
        ),
      fc
        .dictionary(fc.constantFrom(...Object.keys(configFor('copy-trade')), 'x'), fc.jsonValue())
        .map((noise) =>
          taskBody('copy-trade', 1, {
            config: { ...configFor('copy-trade'), ...(noise as Record<string, Json>) },
          }),
        ),
    );
    const method = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT');
    await fc.assert(
      fc.asyncProperty(
        draws,
        fc.array(fc.tuple(method, path, body), { minLength: 1, maxLength: 8 }),
        async (numbers, asks) => {
          const service = startService({ choices: chosen(numbers) });
          for (const [verb, url, sent] of asks) {
            const reply = await service.ask(verb, url, { body: sent, ifMatch: 1, key: 'same-key' });
            expect(DECLARED).toContain(reply.status);
            if (reply.status < 400) continue;
            expect(ERROR_CODES).toContain(reply.code);
            expect(reply.fields.length).toBeLessThanOrEqual(20);
            for (const field of reply.fields)
              expect(field).toEqual({
                path: expect.any(String),
                reason: expect.stringMatching(/^[a-z0-9_]+$/),
              });
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('valid work succeeds under any choices that are not harsh', async () => {
    await fc.assert(
      fc.asyncProperty(draws, fc.constantFrom(...KINDS), async (numbers, kind) => {
        let next = 0;
        const choices = drawChoices((count) => (numbers[next++] ?? 0) % count);
        const service = startService({ choices });
        const label = (await service.ask('POST', '/labels', { body: { name: 'a', sort_order: 1 } })).data;
        const task = await service.make(kind, 1, { risk_label_id: label.id }, true);
        expect(task).toMatchObject({ is_active: true, version: 2, risk_label_id: label.id });
        const path = `/${kind}/configs/${task.id}`;
        const paused = (await service.ask('POST', `${path}/pause`, { ifMatch: 2 })).data;
        expect(paused.version).toBeGreaterThan(2);
        const patched = (
          await service.ask('PATCH', path, {
            body: { config: configFor(kind, { buy_once: true }), risk_label_id: null },
            ifMatch: paused.version,
          })
        ).data;
        expect(patched.config.buy_once).toBe(true);
        const listed = (await service.ask('GET', `/${kind}/configs`)).data.items;
        expect(listed).toEqual([patched]);
        expect((await service.ask('DELETE', path, { ifMatch: patched.version })).status).toBe(204);
        expect([200, 204]).toContain((await service.ask('DELETE', `/labels/${label.id}`)).status);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the core', () => {
  it('only reads: a request changes nothing until its changes are committed', async () => {
    const service = startService();
    const task = await service.make('sniper');
    const { state, choices } = service.sandbox;
    const before = JSON.stringify([...changesOf(state)]);
    const headers: Record<string, string> = {
      authorization: `Bearer ${service.sandbox.tokens()[0]?.token}`,
      'content-type': 'application/json',
      'idempotency-key': 'key-98765',
      'if-match': '"v1"',
    };
    const env = { now: START, newId: () => '00000000-0000-4000-8000-0000000000ff', choices };
    for (const [method, path, body] of [
      ['POST', '/sniper/configs', taskBody('sniper', 2)],
      ['PATCH', `/sniper/configs/${task.id}`, { remark: 'x' }],
      ['POST', `/sniper/configs/${task.id}/resume`, undefined],
      ['DELETE', `/sniper/configs/${task.id}`, undefined],
    ] as const) {
      const request = {
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      const once = handle(state, request, env);
      expect(once.changes.length).toBeGreaterThan(0);
      expect(handle(state, request, env)).toEqual(once);
      expect(JSON.stringify([...changesOf(state)])).toBe(before);
    }
  });
});
