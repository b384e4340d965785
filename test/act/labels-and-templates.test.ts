import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import type { Api, Outcome, WriteRequest } from '../../src/core/ports/api.ts';
import { desiredLabel, desiredState, removal, sniperConfig, uuid } from '../support/builders.ts';
import { carryOut } from './ending.ts';
import { NEW } from './scenarios.ts';
import { createStage, type Stage } from './stage.ts';

/** Labels have no version and templates no switch: what somebody else does to them meanwhile, and what is said of it. */

const LABEL = { id: uuid(7), name: 'high', sort_order: 1 };
const TEMPLATE = { kind: 'sniper' as const, id: uuid(5), name: 'base', config: sniperConfig() };
const REORDERED = desiredState([], [desiredLabel('high', { sort_order: 2 })]);
const PATH = `/sniper/templates/${uuid(5)}`;

function template(config: JsonObject): DesiredState {
  return desiredState([], [], {
    templates: [
      {
        address: 'sniper-template/base',
        collection: 'sniper-template',
        name: 'base',
        shownName: 'base',
        config,
        origin: () => undefined,
      },
    ],
  });
}

/** What is said after somebody did something between plan and apply. */
async function endAfter(
  stage: Stage,
  desired: DesiredState,
  meanwhile: (stage: Stage) => Promise<void> | void,
) {
  const plan = await stage.plan(desired);
  await meanwhile(stage);
  return carryOut(stage, plan);
}

async function write(stage: Stage, request: WriteRequest): Promise<void> {
  expect((await stage.api().write(request)).type).toBe('ok');
}

const patchTemplate = (stage: Stage, body: JsonObject) =>
  write(stage, { method: 'PATCH', path: PATH, ifMatch: 1, body });
const writes = ({ requests }: Stage) => requests.filter(({ method }) => method !== 'GET');
const labels = ({ sandbox }: Stage) =>
  [...sandbox.state.labels.values()].map(({ name, sort_order }) => `${name} ${sort_order}`);

describe('a label', () => {
  test('that is created takes one request and, because it has no date, one reading', async () => {
    const stage = createStage({});
    const end = await carryOut(stage, await stage.plan(REORDERED));
    expect(end).toMatchObject({ status: 'done', text: '', sent: ['POST labels', 'GET'] });
    expect(end.report.diagnostics).toEqual([]);
    expect(labels(stage)).toEqual(['high 2']);
  });

  test('that somebody patched as planned counts as done, and is not sent again', async () => {
    const stage = createStage({ labels: [LABEL] });
    const end = await endAfter(stage, REORDERED, () =>
      stage.outside('PATCH', `/labels/${uuid(7)}`, { name: 'high', sort_order: 2 }),
    );
    expect(end).toMatchObject({ status: 'done', text: '', operations: ['patch already'], sent: ['GET'] });
    expect(writes(stage)).toEqual([]);
  });

  test.each([
    [
      'order',
      { name: 'high', sort_order: 9 },
      'Somebody changed the sort_order of the label in the meantime; plan again.',
    ],
    [
      'name',
      { name: 'theirs', sort_order: 1 },
      'Somebody changed the name of the label in the meantime; plan again.',
    ],
  ])('that somebody gave another %s is left so', async (_what, body, text) => {
    const stage = createStage({ labels: [LABEL] });
    const end = await endAfter(stage, REORDERED, () => stage.outside('PATCH', `/labels/${uuid(7)}`, body));
    expect(end).toMatchObject({ status: 'failed', text });
    expect(writes(stage)).toEqual([]);
  });

  test('that somebody deleted is not patched; if it should be deleted, it is done', async () => {
    for (const [desired, status, text, code] of [
      [REORDERED, 'failed', 'Somebody deleted the label in the meantime.', 'not_found'],
      [desiredState([], [], { removals: [removal('label/high')] }), 'done', '', undefined],
    ] as const) {
      const stage = createStage({ labels: [LABEL] });
      const end = await endAfter(stage, desired, () => stage.outside('DELETE', `/labels/${uuid(7)}`));
      expect(end).toMatchObject({ status, text });
      expect(end.change.error?.code).toBe(code);
      expect(end.change.request_ids.length).toBeGreaterThan(0);
      expect(writes(stage)).toEqual([]);
    }
  });

  test('that somebody deleted before a lost patch was read is reported as deleted', async () => {
    const stage = createStage({ labels: [LABEL] });
    const end = await carryOut(stage, await stage.plan(REORDERED), async (_, { method }) => {
      if (method !== 'PATCH') return undefined;
      await stage.outside('DELETE', `/labels/${uuid(7)}`);
      return 'lost-before';
    });
    expect(end).toMatchObject({ status: 'failed', text: 'Somebody deleted the label in the meantime.' });
    expect(end.change.error?.code).toBe('not_found');
  });

  test('whose patch never arrives is sent five times', async () => {
    const stage = createStage({ labels: [LABEL] });
    const end = await carryOut(stage, await stage.plan(REORDERED), (index, { method }) =>
      method === 'PATCH' && index < 40 ? 'lost-before' : undefined,
    );
    expect(end.text).toMatch(/^The change of the label failed 5 times\. The last time: .+/);
    expect(writes(stage)).toHaveLength(5);
  });

  test('that exists in the meantime with another sort_order is not reported as created', async () => {
    const stage = createStage({});
    const end = await endAfter(stage, REORDERED, () =>
      stage.outside('POST', '/labels', { name: 'high', sort_order: 9 }, 'somebody-else'),
    );
    expect(end).toMatchObject({ status: 'failed', text: expect.stringContaining('It already exists') });
    expect((await stage.plan(REORDERED)).operations.map(({ verb }) => verb)).toEqual(['patch']);
  });

  test('whose sort_order the service does not return is patched once, and identified by its name', async () => {
    const stage = createStage({ labels: [LABEL] });
    const real = stage.api();
    const sent: WriteRequest[] = [];
    const hide = <Came extends Outcome>(outcome: Came): Came => {
      if (outcome.type !== 'ok' || outcome.data === null) return outcome;
      const { sort_order: _, ...data } = outcome.data;
      return { ...outcome, data };
    };
    const api: Api = {
      get: async (path) => hide(await real.get(path)),
      write: async (request) => {
        sent.push(request);
        const outcome = await real.write(request);
        // Carried out, and the answer lost.
        return sent.length > 1 ? outcome : { type: 'lost', detail: 'reset', requestId: undefined };
      },
    };
    const end = await carryOut(stage, await stage.plan(REORDERED), undefined, { api });
    expect(end).toMatchObject({ status: 'done', operations: ['patch done'] });
    expect(sent).toHaveLength(1);
    expect(labels(stage)).toEqual(['high 2']);
  });
});

describe('a template', () => {
  test.each([
    ['config', { config: sniperConfig({ buy_amount: '9' }) }],
    ['name', { name: 'theirs' }],
  ])('whose %s somebody changed meanwhile is left so, and not called done', async (what, body) => {
    const stage = createStage({ templates: [TEMPLATE] });
    const end = await endAfter(stage, template(NEW), () => patchTemplate(stage, body));
    const text = `Somebody changed the ${what} of the template in the meantime; plan again.`;
    expect(end).toMatchObject({ status: 'failed', text, operations: ['patch failed'] });
    expect(writes(stage)).toHaveLength(1);
  });

  test('that somebody deleted in the meantime, or that the service refuses', async () => {
    const gone = createStage({ templates: [TEMPLATE] });
    const remove = () => write(gone, { method: 'DELETE', path: PATH, ifMatch: 1 });
    expect(await endAfter(gone, template(NEW), remove)).toMatchObject({
      status: 'failed',
      text: 'Somebody deleted it in the meantime.',
    });
    const stage = createStage({ templates: [TEMPLATE] });
    stage.sandbox.faults.add({ method: 'PATCH', fault: { type: 'error', code: 'validation_error' } });
    const { text } = await carryOut(stage, await stage.plan(template(NEW)));
    expect(text).toMatch(/^The patch was refused \(validation_error\)/);
  });

  test('that exists in the meantime with another config is not reported as created', async () => {
    const stage = createStage({});
    const body = { name: 'base', config: sniperConfig({ buy_amount: '9' }) };
    const end = await endAfter(stage, template(NEW), () =>
      stage.outside('POST', '/sniper/templates', body, 'somebody-else'),
    );
    expect(end).toMatchObject({ status: 'failed', text: expect.stringContaining('It already exists') });
  });

  test('that is stored with another value than sent is reported', async () => {
    const stage = createStage({ templates: [TEMPLATE] }, { optional_echo: 'filled' });
    const { report, status } = await carryOut(stage, await stage.plan(template(NEW)));
    expect(status).toBe('failed');
    expect(report.diagnostics).toMatchObject([{ code: 'echo-differs', address: 'sniper-template/base' }]);
  });

  test('whose answer shows no new version is read, and sent again if it was not carried out', async () => {
    const stage = createStage({ templates: [TEMPLATE] });
    const real = stage.api();
    let sent = 0;
    const write = async (request: WriteRequest): Promise<Outcome> => {
      sent += 1;
      if (sent > 1) return real.write(request);
      const stale = await real.get(PATH);
      return stale.type === 'ok' ? { ...stale, data: { ...stale.data, config: NEW } } : stale;
    };
    const api = { get: (path: string) => real.get(path), write };
    const end = await carryOut(stage, await stage.plan(template(NEW)), undefined, { api });
    expect(end.status).toBe('done');
    expect(sent).toBe(2);
    expect(stage.sandbox.state.templates.get(uuid(5))).toMatchObject({ config: NEW, version: 2 });
  });
});
