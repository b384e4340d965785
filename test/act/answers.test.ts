import { describe, expect, test } from 'vitest';
import { refusal } from '../../src/core/act/outcome.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import type { Api, Outcome, Refusal } from '../../src/core/ports/api.ts';
import { answeredResource, parseResource } from '../../src/core/service/resources/resource.ts';
import { copyTradeConfig, desiredState, desiredTask, sniperConfig, wallet } from '../support/builders.ts';
import { planAndCarryOut } from './ending.ts';
import { ID, NEW, TASK } from './scenarios.ts';
import { createStage } from './stage.ts';

/** Answers that say little, or the wrong thing: what is made of them. */

const CHANGED = desiredState([desiredTask('a', { config: NEW })]);
const ONCE = sniperConfig({ buy_once: true });
describe('an answer or reading without a field that decisions need is unreadable', () => {
  const task: JsonObject = {
    id: ID,
    remark: '',
    target_wallet: wallet(0),
    is_active: true,
    version: 3,
    linked_wallets: [],
    config: {},
  };
  const template: JsonObject = { id: ID, name: 'base', version: 3, config: {} };
  const answer = (data: JsonObject, version?: number) => ({ data, version });

  test.each(Object.keys(task))('%s of a task', (field) => {
    expect(answeredResource('copy-trade', answer(task))).toBeDefined();
    expect(answeredResource('copy-trade', answer({ ...task, [field]: 7.5 }))).toBeUndefined();
  });

  test.each(Object.keys(template))('%s of a template', (field) => {
    expect(answeredResource('sniper-template', answer(template))).toBeDefined();
    expect(answeredResource('sniper-template', answer({ ...template, [field]: 7.5 }))).toBeUndefined();
  });

  test('the ETag takes precedence over the version in the body, and dates do not count', () => {
    const dated = { ...task, created_at: 'yesterday', updated_at: 7 };
    expect(answeredResource('copy-trade', answer(dated, 4))).toMatchObject({ version: 4 });
    expect(parseResource('copy-trade', dated).ok).toBe(false);
  });
});

test('a refusal in one sentence: without a message, with one, with the maximum of fields', () => {
  const outcome: Refusal = {
    type: 'error',
    status: 400,
    code: 'c',
    message: '',
    fields: [],
    requestId: undefined,
  };
  expect(refusal('The pause', outcome).text).toBe('The pause was refused (c).');
  expect(refusal('The pause', { ...outcome, message: 'No.' }).text).toBe('The pause was refused (c): No.');
  const fields = Array.from({ length: 20 }, () => ({ path: 'p', reason: 'r' }));
  expect(refusal('The pause', { ...outcome, fields }).text).toMatch(/: p: r; .*; p: r; there may be more\.$/);
  expect(refusal('The pause', { ...outcome, fields: fields.slice(1) }).text).toMatch(/; p: r\.$/);
});

test('readings that stay older than an answer end unknown', async () => {
  const stage = createStage({ tasks: [TASK] });
  const real = stage.api();
  let looks = 0;
  const api: Api = {
    get: async (path) => {
      const outcome = await real.get(path);
      if (path.startsWith('/labels')) return outcome;
      looks += 1;
      return outcome.type === 'ok' && looks < 20 ? { ...outcome, version: 4 } : outcome;
    },
    write: async (): Promise<Outcome> => ({ type: 'lost', detail: 'reset', requestId: undefined }),
  };
  const { status, text } = await planAndCarryOut(stage, CHANGED, undefined, { api });
  expect(status).toBe('unknown');
  expect(text).toContain('the service keeps returning an older version than before');
  expect(looks).toBe(4);
});

test('a buy_once task that stops itself at once counts as started', async () => {
  const stage = createStage({
    tasks: [{ ...TASK, config: ONCE, remark: 'Note [git:core/a]', is_active: false }],
  });
  const real = stage.api();
  const api: Api = {
    get: (path) => real.get(path),
    write: async (request) => {
      const outcome = await real.write(request);
      if (!request.path.endsWith('/resume') || outcome.type !== 'ok') return outcome;
      stage.sandbox.fire(ID);
      return { ...outcome, data: { ...outcome.data, is_active: false } };
    },
  };
  const desired = desiredState([desiredTask('a', { config: ONCE })]);
  const { status, text, operations } = await planAndCarryOut(stage, desired, undefined, { api });
  expect([status, text]).toEqual(['done', 'It was started and stopped itself at once (buy_once).']);
  expect(operations).toEqual(['patch done', 'resume done']);
});

test('a mark that is refused without field names is left out, as for a legacy config', async () => {
  const stage = createStage({ tasks: [TASK] });
  const error = { error: { code: 'validation_error', message: 'The config is invalid.' }, request_id: 'r' };
  const body = JSON.stringify(error);
  stage.sandbox.faults.add({ method: 'PATCH', fault: { type: 'status', status: 400, body } });
  const { status, operations } = await planAndCarryOut(stage, CHANGED);
  expect(status).toBe('done');
  expect(operations).toEqual(['mark failed', 'pause done', 'patch done', 'resume done']);
});

test('a restart that is stored with another value than sent leaves its start pending, and says why', async () => {
  const config = copyTradeConfig();
  const seed = { ...TASK, kind: 'copy-trade' as const, config, linked_wallets: [wallet(3)] };
  const stage = createStage({ tasks: [seed] }, { optional_echo: 'filled' });
  const changed = copyTradeConfig({ min_trade_amount: '0.1' });
  const desired = desiredState([
    desiredTask('a', { collection: 'copy-trade', linked_wallets: [wallet(3)], config: changed }),
  ]);
  const { text } = await planAndCarryOut(stage, desired);
  expect(text).toMatch(
    /former config: The service stored a value different from the one sent, in config\..* It stays paused; the next apply starts it/,
  );
});
