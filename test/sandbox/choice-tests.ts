import { expect } from 'vitest';
import type { ChoiceName, Choices } from '../../src/sandbox/choices.ts';
import {
  buySet,
  configFor,
  copyTradeConfig,
  FEES,
  SELL_SIDE,
  sniperConfig,
  wallet,
} from '../support/builders.ts';
import { ERROR_CODES } from '../support/choices.ts';
import { startService, taskBody, traverse } from './service.ts';

type Check<N extends ChoiceName> = (value: Choices[N], choices: Partial<Choices>) => Promise<void>;
type StatusChoice = Extract<ChoiceName, `status_${string}`>;

const MISSING = '00000000-0000-4000-8000-ffffffffffff';
const HOUR = 60 * 60 * 1000;

/** The status of a code, observed through an injected error. */
const status: (code: string) => Check<StatusChoice> = (code) => async (value, choices) => {
  const known = ERROR_CODES.find((one) => one === code);
  if (known === undefined) throw new Error(code);
  const service = startService({ choices, faults: [{ fault: { type: 'error', code: known } }] });
  const reply = await service.ask('GET', '/me');
  expect([reply.code, reply.status]).toEqual([code, value]);
};

function twoTasks(choices: Partial<Choices>) {
  const config = configFor('sniper');
  const accounts = [
    {
      labels: [{ name: 'l' }],
      templates: [{ kind: 'sniper' as const, name: 't', config }],
      tasks: [{ kind: 'sniper' as const, target_wallet: wallet(1), label: 'l', template: 't', config }],
    },
  ];
  const service = startService({ choices, seed: { accounts } });
  const [task] = service.sandbox.state.tasks.values();
  const [label = ''] = service.sandbox.state.labels.keys();
  const [template = ''] = service.sandbox.state.templates.keys();
  return { service, id: task?.id ?? '', label, template };
}

async function stored(choices: Partial<Choices>, config = sniperConfig()) {
  return (await startService({ choices }).make('sniper', 1, { config })).config;
}

const codeOf = async (choices: Partial<Choices>, body: unknown, path = '/sniper/configs') =>
  (await startService({ choices }).ask('POST', path, { body })).code;

export const CHOICE_TESTS: { readonly [N in ChoiceName]: Check<N> } = {
  ...(Object.fromEntries(
    ERROR_CODES.filter(
      (code) => !['not_found', 'rate_limit_exceeded', 'service_unavailable'].includes(code),
    ).map((code) => [`status_${code}`, status(code)]),
  ) as { readonly [N in StatusChoice]: Check<N> }),

  expired_token_code: async (value, choices) => {
    const accounts = [{ tokens: [{ expires_at: '2020-01-01T00:00:00Z' }] }];
    expect((await startService({ choices, seed: { accounts } }).ask('GET', '/me')).code).toBe(value);
  },
  credential_order: async (value, choices) => {
    const accounts = [{ tokens: [{ scopes: [], ip_allowlist: [] }] }];
    const { code } = await startService({ choices, seed: { accounts } }).ask('GET', '/labels');
    expect(code).toBe(value === 'address-first' ? 'ip_not_allowed' : 'insufficient_scope');
  },
  unknown_route: async (value, choices) => {
    expect((await startService({ choices }).ask('PUT', '/me')).code).toBe(value);
  },
  malformed_id: async (value, choices) => {
    const service = startService({ choices });
    for (const path of ['/sniper/configs/x', '/labels/x', '/copy-trade/templates/x']) {
      expect((await service.ask('GET', path)).code).toBe(value);
    }
  },
  if_match_missing: async (value, choices) => {
    const service = startService({ choices });
    const { id } = await service.make('sniper');
    expect((await service.ask('DELETE', `/sniper/configs/${id}`)).code).toBe(value);
  },
  idempotency_key_malformed: async (value, choices) => {
    const reply = await startService({ choices }).ask('POST', '/labels', {
      body: { name: 'a', sort_order: 0 },
      key: 'short',
    });
    expect(reply.code).toBe(value);
  },
  content_type: async (value, choices) => {
    const ask = { body: { name: 'a', sort_order: 0 }, headers: { 'Content-Type': 'text/plain' } };
    const reply = await startService({ choices }).ask('POST', '/labels', ask);
    expect(reply.code).toBe(value === 'required' ? 'invalid_request' : undefined);
  },
  unknown_field_path: async (value, choices) => {
    const config = sniperConfig({ relay_mode: { ...FEES, more: 1 } });
    const reply = await startService({ choices }).ask('POST', '/sniper/configs', {
      body: { ...taskBody('sniper', 1, { config }), other: 1 },
    });
    const paths = value === 'property' ? ['other', 'config.relay_mode.more'] : ['$', 'config.relay_mode'];
    expect(reply.fields.map(({ path }) => path)).toEqual(paths);
  },
  resume_field_paths: async (value, choices) => {
    const { service, id } = twoTasks(choices);
    service.sandbox.editStored(id, { merge: { old: 1 } });
    const reply = await service.ask('POST', `/sniper/configs/${id}/resume`, { ifMatch: 2 });
    expect(reply.fields).toEqual([
      { path: value === 'config' ? 'config.old' : 'old', reason: 'unknown_property' },
    ]);
  },
  retry_after_form: async (value, choices) => {
    const faults = [{ fault: { type: 'error', code: 'service_unavailable', retry_after: 30 } }] as const;
    const reply = await startService({ choices, faults }).ask('GET', '/me');
    const date = 'Sun, 01 Mar 2026 12:00:30 GMT';
    expect(reply.headers['retry-after']).toBe(value === 'seconds' ? '30' : date);
  },
  date_header: async (value, choices) => {
    const { headers } = await startService({ choices }).ask('GET', '/me');
    const dates = { sent: 'Sun, 01 Mar 2026 12:00:00 GMT', ahead: 'Sun, 01 Mar 2026 12:01:30 GMT' };
    expect(headers.date).toBe(value === 'absent' ? undefined : dates[value]);
  },
  request_id_header: async (value, choices) => {
    const service = startService({ choices });
    const replies = [await service.ask('GET', '/labels'), await service.ask('GET', `/labels/${MISSING}`)];
    for (const { headers } of replies)
      expect(headers['x-request-id'] !== undefined).toBe(value === 'everywhere');
  },
  meta_markers: async (value, choices) => {
    const { body } = await startService({ choices }).ask('POST', '/labels', {
      body: { name: 'a', sort_order: 0 },
    });
    expect(body.meta.persistence).toBe(value === 'sent' ? 'committed' : undefined);
    expect(body.meta.propagation).toBe(value === 'sent' ? 'eventual' : undefined);
  },
  timestamp_form: async (value, choices) => {
    const { created_at } = await startService({ choices }).make('sniper');
    const forms = {
      milliseconds: '2026-03-01T12:00:00.000Z',
      seconds: '2026-03-01T12:00:00Z',
      'microseconds-offset': '2026-03-01T12:00:00.000000+00:00',
    };
    expect(created_at).toBe(forms[value]);
  },
  unlabeled_shown: async (value, choices) => {
    const task = await startService({ choices }).make('sniper');
    expect(Object.hasOwn(task, 'risk_label_id')).toBe(value === 'null');
  },
  me_defaults: async (value, choices) => {
    const { data } = await startService({ choices }).ask('GET', '/me');
    expect([Object.hasOwn(data, 'login_username'), Object.hasOwn(data, 'family_role')]).toEqual([
      value === 'sent',
      value === 'sent',
    ]);
  },
  extra_fields: async (value, choices) => {
    const service = startService({ choices });
    const task = await service.make('sniper');
    expect(Object.hasOwn(task, 'x_future')).toBe(value === 'some');
    expect(Object.hasOwn((await service.ask('GET', '/me')).data, 'x_future')).toBe(value === 'some');
  },
  label_fields: async (value, choices) => {
    const { data } = await startService({ choices }).ask('POST', '/labels', {
      body: { name: 'a', sort_order: 0 },
    });
    const minimal = ['id', 'name', 'sort_order', 'transfer_snipe_count'];
    const full = [...minimal, 'color', 'copy_trade_count', 'created_at', 'sniper_count', 'updated_at'].sort();
    expect(Object.keys(data).sort()).toEqual(value === 'full' ? full : minimal);
  },
  label_delete_answer: async (value, choices) => {
    const { service, label } = twoTasks(choices);
    const { status, body } = await service.ask('DELETE', `/labels/${label}`);
    expect(status).toBe(value === '204' ? 204 : 200);
    expect(body?.data).toEqual(
      value === '204' ? undefined : value === '200-null' ? null : { id: label, deleted: true },
    );
  },

  list_order: async (value, choices) => {
    const service = startService({ choices });
    const first = await service.make('sniper', 1);
    service.pass(5);
    const second = await service.make('sniper', 2);
    const ids = (await traverse(service, '/sniper/configs?limit=1')).flat();
    expect(ids).toEqual(value === 'desc' ? [second.id, first.id] : [first.id, second.id]);
  },
  template_order: async (value, choices) => {
    const service = startService({ choices });
    const made: string[] = [];
    for (const name of ['b', 'a', 'c']) {
      service.pass(10);
      made.push(
        (await service.ask('POST', '/sniper/templates', { body: { name, config: configFor('sniper') } })).data
          .id,
      );
    }
    service.pass(10);
    await service.ask('PATCH', `/sniper/templates/${made[0]}`, {
      body: { config: configFor('sniper', { buy_once: true }) },
      ifMatch: 1,
    });
    const [b, a, c] = made;
    const orders = { updated: [b, c, a], name: [a, b, c], created: [c, a, b] };
    expect((await traverse(service, '/sniper/templates?limit=2')).flat()).toEqual(orders[value]);
  },
  full_last_page: async (value, choices) => {
    const service = startService({ choices });
    for (const n of [1, 2, 3, 4]) await service.make('sniper', n);
    const sizes = (await traverse(service, '/sniper/configs?limit=2')).map((page) => page.length);
    expect(sizes).toEqual(value === 'null' ? [2, 2] : [2, 2, 0]);
  },
  page_size: async (value, choices) => {
    const service = startService({ choices });
    for (let n = 0; n < 5; n += 1) await service.make('sniper', n);
    const sizes: number[] = [];
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data } = await service.ask('GET', `/sniper/configs?limit=4${query}`);
      for (const { id } of data.items) seen.add(id);
      sizes.push(data.items.length);
      cursor = data.next_cursor;
    } while (cursor !== null);
    expect(sizes).toEqual(value === 'as-asked' ? [4, 1] : [2, 2, 1]);
    expect(seen.size).toBe(5);
  },
  cursor_kind: async (value, choices) => {
    const service = startService({ choices });
    for (const n of [1, 2, 3]) {
      service.pass(5);
      await service.make('sniper', n);
    }
    const ids = (await traverse(service, '/sniper/configs?limit=1')).flat();
    const { next_cursor } = (await service.ask('GET', '/sniper/configs?limit=1')).data;
    await service.ask('DELETE', `/sniper/configs/${ids[0]}`, { ifMatch: 1 });
    const next = (await service.ask('GET', `/sniper/configs?limit=1&cursor=${next_cursor}`)).data.items[0].id;
    expect(next).toBe(value === 'position' ? ids[1] : ids[2]);
  },
  cursor_expiry: async (value, choices) => {
    const service = startService({ choices });
    for (const n of [1, 2]) await service.make('sniper', n);
    const after = async (ms: number) => {
      const { next_cursor } = (await service.ask('GET', '/sniper/configs?limit=1')).data;
      service.pass(ms);
      return (await service.ask('GET', `/sniper/configs?limit=1&cursor=${next_cursor}`)).code;
    };
    expect(await after(10_000)).toBeUndefined();
    expect(await after(10_001)).toBe(value === '10s' ? 'invalid_request' : undefined);
    expect(await after(HOUR)).toBe(value === 'never' ? undefined : 'invalid_request');
  },
  cursor_error: async (value, choices) => {
    expect((await startService({ choices }).ask('GET', '/sniper/configs?cursor=made-up')).code).toBe(value);
  },
  cursor_limit: async (value, choices) => {
    const service = startService({ choices });
    for (const n of [1, 2, 3]) await service.make('sniper', n);
    const { next_cursor } = (await service.ask('GET', '/sniper/configs?limit=1')).data;
    const { code } = await service.ask('GET', `/sniper/configs?limit=2&cursor=${next_cursor}`);
    expect(code).toBe(value === 'free' ? undefined : 'invalid_request');
  },
  unknown_query: async (value, choices) => {
    const service = startService({ choices });
    for (const path of [
      '/labels?limit=5',
      '/me?x=1',
      '/sniper/configs?sort=asc',
      '/sniper/templates?status=active',
    ]) {
      expect([path, (await service.ask('GET', path)).code]).toEqual([
        path,
        value === 'ignored' ? undefined : 'invalid_request',
      ]);
    }
  },
  malformed_label_id: async (value, choices) => {
    expect((await startService({ choices }).ask('GET', '/sniper/configs?label_id=high')).code).toBe(value);
  },
  q_match: async (value, choices) => {
    const service = startService({ choices });
    await service.make('sniper', 1, { remark: 'Follow Whale-7' });
    const found = async (q: string) =>
      (await service.ask('GET', `/sniper/configs?q=${q}`)).data.items.length === 1;
    const answers = {
      substring: [true, true, true],
      'substring-case': [false, true, true],
      prefix: [true, false, false],
      word: [true, true, false],
    };
    expect([await found('follow'), await found('Whale'), await found('ale-7')]).toEqual(answers[value]);
  },

  pause_paused: async (value, choices) => {
    const { service, id } = twoTasks(choices);
    const reply = await service.ask('POST', `/sniper/configs/${id}/pause`, { ifMatch: 1 });
    const answers: Record<string, unknown[]> = {
      'same-version': [200, 1, undefined],
      'new-version': [200, 2, undefined],
    };
    expect([reply.status, reply.data?.version, reply.code]).toEqual(
      answers[value] ?? [400, undefined, value],
    );
    expect((await service.get('sniper', id)).is_active).toBe(false);
  },
  resume_active: async (value, choices) => {
    const service = startService({ choices });
    const { id } = await service.make('sniper', 1, {}, true);
    const reply = await service.ask('POST', `/sniper/configs/${id}/resume`, { ifMatch: 2 });
    expect(reply.code).toBe(value === 'same-version' || value === 'new-version' ? undefined : value);
    const version = value === 'new-version' ? 3 : 2;
    expect(await service.get('sniper', id)).toMatchObject({ is_active: true, version });
  },
  noop_patch: async (value, choices) => {
    const { service, id, template } = twoTasks(choices);
    const task = await service.ask('PATCH', `/sniper/configs/${id}`, {
      body: { remark: '', config: configFor('sniper') },
      ifMatch: 1,
    });
    const other = await service.ask('PATCH', `/sniper/templates/${template}`, {
      body: { name: 't' },
      ifMatch: 1,
    });
    const version = value === 'new-version' ? 2 : 1;
    expect([task.headers.etag, other.headers.etag]).toEqual([`"v${version}"`, `"v${version}"`]);
  },
  version_step: async (value, choices) => {
    const service = startService({ choices });
    const { id } = await service.make('sniper', 1, {}, true);
    expect((await service.get('sniper', id)).version).toBe(2);
    const patched = await service.ask('PATCH', `/sniper/configs/${id}`, {
      body: { remark: 'x' },
      ifMatch: 2,
    });
    expect(patched.data.version).toBe(2 + value);
  },
  fire_version: async (value, choices) => {
    const service = startService({ choices });
    const { id } = await service.make('sniper', 1, { config: configFor('sniper', { buy_once: true }) }, true);
    service.sandbox.fire(id);
    expect(await service.get('sniper', id)).toMatchObject({
      is_active: false,
      version: value === 'bumped' ? 3 : 2,
    });
  },
  fire_updated_at: async (value, choices) => {
    const service = startService({ choices });
    const task = await service.make('sniper', 1, { config: configFor('sniper', { buy_once: true }) }, true);
    service.pass(1000);
    service.sandbox.fire(task.id);
    expect((await service.get('sniper', task.id)).updated_at === task.updated_at).toBe(value === 'same');
  },
  switch_updated_at: async (value, choices) => {
    const service = startService({ choices });
    const task = await service.make('sniper');
    service.pass(1000);
    const { data } = await service.ask('POST', `/sniper/configs/${task.id}/resume`, { ifMatch: 1 });
    expect(data.updated_at === task.updated_at).toBe(value === 'same');
  },
  check_order: async (value, choices) => {
    const { service, id, template } = twoTasks(choices);
    const bodyFirst = value === 'body-first';
    const stale = await service.ask('PATCH', `/sniper/configs/${id}`, { body: { nope: 1 }, ifMatch: 9 });
    expect(stale.code).toBe(bodyFirst ? 'validation_error' : 'version_conflict');
    const missing = await service.ask('PATCH', `/labels/${MISSING}`, { body: { nope: 1 } });
    expect(missing.code).toBe(bodyFirst ? 'validation_error' : 'not_found');
    const other = await service.ask('PATCH', `/sniper/templates/${template}`, {
      body: { nope: 1 },
      ifMatch: 9,
    });
    expect(other.code).toBe(bodyFirst ? 'validation_error' : 'version_conflict');
  },
  paused_order: async (value, choices) => {
    const service = startService({ choices });
    const { id } = await service.make('sniper', 1, {}, true);
    const { code } = await service.ask('PATCH', `/sniper/configs/${id}`, {
      body: { config: {} },
      ifMatch: 2,
    });
    expect(code).toBe(value === 'before-body' ? 'config_must_be_paused' : 'validation_error');
  },
  remark_patch_revalidates: async (value, choices) => {
    const service = startService({ choices });
    const codes: (string | undefined)[] = [];
    for (const active of [false, true]) {
      const { id, version } = await service.make('sniper', 1, {}, active);
      service.sandbox.editStored(id, { merge: { old: 1 } });
      codes.push(
        (await service.ask('PATCH', `/sniper/configs/${id}`, { body: { remark: 'x' }, ifMatch: version + 1 }))
          .code,
      );
      const config = await service.ask('PATCH', `/sniper/configs/${id}`, {
        body: { config: configFor('sniper') },
        ifMatch: version + (codes.at(-1) === undefined ? 2 : 1),
      });
      expect(config.code).toBe(active ? 'config_must_be_paused' : undefined);
    }
    const bad = 'validation_error';
    const answers = { never: [undefined, undefined], always: [bad, bad], 'when-paused': [bad, undefined] };
    expect(codes).toEqual(answers[value]);
  },
  action_body: async (value, choices) => {
    const { service, id } = twoTasks(choices);
    const code = value === 'ignored' ? undefined : 'invalid_request';
    expect((await service.ask('POST', `/sniper/configs/${id}/resume`, { body: {}, ifMatch: 1 })).code).toBe(
      code,
    );
  },

  idempotency_scope: async (value, choices) => {
    const service = startService({ choices, seed: { accounts: [{ tokens: [{}, {}] }] } });
    const key = 'same-key';
    const token = service.sandbox.tokens()[1]?.token ?? '';
    const first = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper'), key });
    const other = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper'), key, token });
    expect(other.data.id === first.data.id).toBe(value !== 'token');
    const elsewhere = await service.ask('POST', '/transfer-snipe/configs', { body: taskBody('sniper'), key });
    expect(elsewhere.code).toBe(value === 'endpoint' ? undefined : 'idempotency_conflict');
  },
  idempotency_body: async (value, choices) => {
    const service = startService({ choices });
    const key = 'same-key';
    await service.ask('POST', '/labels', { raw: '{"name":"a","sort_order":1}', key });
    const { code } = await service.ask('POST', '/labels', { raw: '{"sort_order": 1, "name": "a"}', key });
    expect(code).toBe(value === 'json' ? undefined : 'idempotency_conflict');
  },
  idempotency_order: async (value, choices) => {
    const service = startService({ choices });
    const early = value === 'before-validation';
    const none = await service.ask('POST', '/labels', { body: {}, key: false });
    expect(none.code).toBe(early ? 'idempotency_required' : 'validation_error');
    const key = 'same-key';
    await service.ask('POST', '/labels', { body: { name: 'a', sort_order: 1 }, key });
    const other = await service.ask('POST', '/labels', { body: {}, key });
    expect(other.code).toBe(early ? 'idempotency_conflict' : 'validation_error');
  },
  idempotency_failures: async (value, choices) => {
    const service = startService({ choices, seed: { accounts: [{ quota: { max: 1 } }] } });
    const { id } = await service.make('sniper');
    const key = 'same-key';
    const refused = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper', 2), key });
    expect(refused.code).toBe('quota_exceeded');
    await service.ask('DELETE', `/sniper/configs/${id}`, { ifMatch: 1 });
    const other = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper', 3), key });
    expect(other.code).toBe(value === 'forgotten' ? undefined : 'idempotency_conflict');
    const same = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper', 2), key });
    expect(same.code).toBe(
      { forgotten: 'idempotency_conflict', bound: undefined, replayed: 'quota_exceeded' }[value],
    );
    if (value === 'replayed') expect(same.body).toEqual(refused.body);
  },
  replay_status: async (value, choices) => {
    const service = startService({ choices });
    const ask = { body: { name: 'a', sort_order: 1 }, key: 'same-key' };
    expect((await service.ask('POST', '/labels', ask)).status).toBe(201);
    expect((await service.ask('POST', '/labels', ask)).status).toBe(value);
  },
  replay_etag: async (value, choices) => {
    const service = startService({ choices });
    const ask = { body: taskBody('sniper'), key: 'same-key' };
    const { id } = (await service.ask('POST', '/sniper/configs', ask)).data;
    await service.ask('POST', `/sniper/configs/${id}/resume`, { ifMatch: 1 });
    const again = await service.ask('POST', '/sniper/configs', ask);
    expect([again.headers.etag, again.data.version]).toEqual([value === 'original' ? '"v1"' : '"v2"', 1]);
  },
  replay_date: async (value, choices) => {
    const service = startService({ choices });
    const ask = { body: taskBody('sniper'), key: 'same-key' };
    const first = await service.ask('POST', '/sniper/configs', ask);
    service.pass(HOUR);
    const again = await service.ask('POST', '/sniper/configs', ask);
    expect(again.headers.date === first.headers.date).toBe(value === 'original');
    expect(again.data.created_at).toBe(first.data.created_at);
  },

  target_unique: async (value, choices) => {
    const attempt = async (first: 'sniper' | 'transfer-snipe', second: 'sniper' | 'copy-trade') => {
      const service = startService({ choices });
      await service.make(first);
      return (await service.ask('POST', `/${second}/configs`, { body: taskBody(second) })).code;
    };
    const taken = 'target_already_exists';
    expect(await attempt('sniper', 'sniper')).toBe(value === 'copy-trade' ? undefined : taken);
    expect(await attempt('transfer-snipe', 'copy-trade')).toBe(value === 'across-kinds' ? taken : undefined);
  },
  target_taken_by: async (value, choices) => {
    const service = startService({ choices });
    await service.make('copy-trade', 1, { linked_wallets: [wallet(2)] });
    const { code } = await service.ask('POST', '/copy-trade/configs', { body: taskBody('copy-trade', 2) });
    expect(code).toBe(value === 'target' ? undefined : 'target_already_exists');
    expect(
      (await service.ask('POST', '/copy-trade/configs', { body: taskBody('copy-trade', 3) })).status,
    ).toBe(201);
  },
  create_order: async (value, choices) => {
    const service = startService({ choices, seed: { accounts: [{ quota: { max: 1 } }] } });
    await service.make('copy-trade');
    const { code } = await service.ask('POST', '/copy-trade/configs', { body: taskBody('copy-trade') });
    expect(code).toBe(value === 'target-first' ? 'target_already_exists' : 'quota_exceeded');
  },
  template_names: async (value, choices) => {
    const service = startService({ choices });
    await service.ask('POST', '/sniper/templates', { body: { name: 'a', config: configFor('sniper') } });
    const { code } = await service.ask('POST', '/copy-trade/templates', {
      body: { name: 'a', config: configFor('copy-trade') },
    });
    expect(code).toBe(value === 'per-kind' ? undefined : 'template_name_exists');
  },
  template_name_case: async (value, choices) => {
    const service = startService({ choices });
    await service.ask('POST', '/sniper/templates', { body: { name: 'a', config: configFor('sniper') } });
    const { code } = await service.ask('POST', '/sniper/templates', {
      body: { name: 'A', config: configFor('sniper') },
    });
    expect(code).toBe(value === 'exact' ? undefined : 'template_name_exists');
  },
  template_limit_code: async (value, choices) => {
    const templates = Array.from({ length: 1000 }, (_, n) => ({
      kind: 'sniper' as const,
      name: `t${n}`,
      config: {},
    }));
    const service = startService({ choices, seed: { accounts: [{ templates }] } });
    expect(
      (await service.ask('POST', '/sniper/templates', { body: { name: 'x', config: configFor('sniper') } }))
        .code,
    ).toBe(value);
  },
  template_delete_tasks: async (value, choices) => {
    const { service, id, template } = twoTasks(choices);
    await service.ask('DELETE', `/sniper/templates/${template}`, { ifMatch: 1 });
    expect((await service.get('sniper', id)).version).toBe(value === 'bumped' ? 2 : 1);
  },
  label_name_case: async (value, choices) => {
    const service = startService({ choices });
    await service.ask('POST', '/labels', { body: { name: 'a', sort_order: 0 } });
    const { code } = await service.ask('POST', '/labels', { body: { name: 'A', sort_order: 0 } });
    expect(code).toBe(value === 'exact' ? undefined : 'label_name_exists');
  },
  label_create_fields: async (value, choices) => {
    const reply = await startService({ choices }).ask('POST', '/labels', { body: { name: 'a' } });
    expect(reply.fields).toEqual(value === 'name' ? [] : [{ path: 'sort_order', reason: 'required' }]);
    expect(await codeOf(choices, { sort_order: 1 }, '/labels')).toBe('validation_error');
  },
  label_patch_fields: async (value, choices) => {
    const { service, label } = twoTasks(choices);
    const reply = await service.ask('PATCH', `/labels/${label}`, { body: { name: 'a' } });
    expect(reply.fields).toEqual(value === 'any' ? [] : [{ path: 'sort_order', reason: 'required' }]);
  },
  label_default_order: async (value, choices) => {
    const service = startService({ choices });
    const orders: number[] = [];
    for (const name of ['a', 'b'])
      orders.push((await service.ask('POST', '/labels', { body: { name } })).data.sort_order);
    expect(orders).toEqual(value === 'zero' ? [0, 0] : [0, 1]);
  },
  label_delete_tasks: async (value, choices) => {
    const { service, id, label } = twoTasks(choices);
    await service.ask('DELETE', `/labels/${label}`);
    const version = value === 'bumped' ? 2 : 1;
    expect(await service.get('sniper', id)).toMatchObject({ version, risk_label_id: null });
  },
  label_delete_updated_at: async (value, choices) => {
    const { service, id, label } = twoTasks(choices);
    const before = await service.get('sniper', id);
    service.pass(1000);
    await service.ask('DELETE', `/labels/${label}`);
    expect((await service.get('sniper', id)).updated_at === before.updated_at).toBe(value === 'same');
  },

  sell_side_keys: async (value, choices) => {
    const config = sniperConfig({
      auto_strategy: { ...(SELL_SIDE.auto_strategy as object), anti_pvp: true },
    });
    const reply = await startService({ choices }).ask('POST', '/sniper/configs', {
      body: taskBody('sniper', 1, { config }),
    });
    expect(reply.fields).toEqual(
      value === 'open' ? [] : [{ path: 'config.auto_strategy.anti_pvp', reason: 'unknown_property' }],
    );
    expect((await startService({ choices }).make('sniper')).version).toBe(1);
    const deeper = {
      ...(SELL_SIDE.auto_sell as object),
      tp_orders: [{ trigger: '50', sell: '50', note: 'x' }],
      trailing_take_profit: { enabled: false, tiers: [{ anything: 1 }], step: '5' },
    };
    const deep = await startService({ choices }).ask('POST', '/sniper/configs', {
      body: taskBody('sniper', 1, { config: sniperConfig({ auto_sell: deeper }) }),
    });
    expect(deep.fields.map(({ path }) => path).sort()).toEqual(
      value === 'open'
        ? []
        : ['config.auto_sell.tp_orders.0.note', 'config.auto_sell.trailing_take_profit.step'],
    );
  },
  tp_order_range: async (value, choices) => {
    const auto_sell = { ...(SELL_SIDE.auto_sell as object), tp_orders: [{ trigger: '500', sell: '100.5' }] };
    const code = await codeOf(choices, taskBody('sniper', 1, { config: sniperConfig({ auto_sell }) }));
    expect(code).toBe(value === 'any' ? undefined : 'validation_error');
  },
  inactive_amount: async (value, choices) => {
    const attempt = (changes: object) =>
      codeOf(
        choices,
        taskBody('copy-trade', 1, { config: copyTradeConfig({ ...changes }) }),
        '/copy-trade/configs',
      );
    const zero = buySet({ amount_sol: '0' });
    const code = value === 'checked' ? 'validation_error' : undefined;
    expect(await attempt({ buy_config_tiers: [zero] })).toBe(code);
    expect(
      await attempt({ buy_config_mode: 'tiered', buy_config_universal: zero, buy_config_tiers: [buySet()] }),
    ).toBe(code);
    expect(await attempt({ buy_config_universal: zero })).toBe('validation_error');
    expect(await attempt({ buy_config_tiers: [buySet({ amount_sol: 'x' })] })).toBe('validation_error');
  },
  duplicate_dexes: async (value, choices) => {
    const config = sniperConfig({ selected_dexes: ['bags', 'bags'] });
    expect(await codeOf(choices, taskBody('sniper', 1, { config }))).toBe(
      value === 'accepted' ? undefined : 'validation_error',
    );
  },
  defaulted_fields: async (value, choices) => {
    const service = startService({ choices });
    const { dex_source: _a, buy_once: _b, ...config } = sniperConfig();
    const reply = await service.ask('POST', '/sniper/configs', {
      body: { target_wallet: wallet(1), config },
    });
    expect(reply.fields.map(({ path }) => path).sort()).toEqual(
      value === 'filled' ? [] : ['config.buy_once', 'config.dex_source', 'remark'],
    );
    if (value === 'filled')
      expect(reply.data).toMatchObject({ remark: '', config: { dex_source: 'global', buy_once: false } });
    const { linked_wallets: _c, ...copy } = taskBody('copy-trade');
    expect((await service.ask('POST', '/copy-trade/configs', { body: copy })).code).toBe(
      value === 'filled' ? undefined : 'validation_error',
    );
  },
  remark_length: async (value, choices) => {
    const faces = '😀'.repeat(33);
    expect(await codeOf(choices, taskBody('sniper', 1, { remark: faces }))).toBe(
      value === 'utf16' ? 'validation_error' : undefined,
    );
    expect(await codeOf(choices, taskBody('sniper', 1, { remark: '😀'.repeat(65) }))).toBe(
      'validation_error',
    );
  },
  length_before_trim: async (value, choices) => {
    const code = await codeOf(choices, taskBody('sniper', 1, { remark: `${'x'.repeat(64)} ` }));
    expect(code).toBe(value === 'no' ? undefined : 'validation_error');
  },
  trimmed: async (value, choices) => {
    const task = await startService({ choices }).make('sniper', 1, { remark: ' \tnote\t ' });
    expect(task.remark).toBe(value === 'spaces' ? '\tnote\t' : 'note');
  },
  address_form: async (value, choices) => {
    const attempt = (target_wallet: string) => codeOf(choices, taskBody('sniper', 1, { target_wallet }));
    expect(await attempt('0'.repeat(40))).toBe(value === 'length' ? undefined : 'validation_error');
    expect(await attempt('z'.repeat(44))).toBe(value === '32-bytes' ? 'validation_error' : undefined);
    expect(await attempt('1'.repeat(45))).toBe('validation_error');
    expect(await attempt(wallet(1))).toBeUndefined();
    const linked = await codeOf(
      choices,
      taskBody('copy-trade', 1, { linked_wallets: ['z'.repeat(44)] }),
      '/copy-trade/configs',
    );
    expect(linked).toBe(value === '32-bytes' ? 'validation_error' : undefined);
  },
  linked_target: async (value, choices) => {
    const service = startService({ choices });
    const made = await service.ask('POST', '/copy-trade/configs', {
      body: taskBody('copy-trade', 1, { linked_wallets: [wallet(1)] }),
    });
    expect(made.code).toBe(value === 'accepted' ? undefined : 'validation_error');
    const { id } = await service.make('copy-trade', 2);
    const patched = await service.ask('PATCH', `/copy-trade/configs/${id}`, {
      body: { linked_wallets: [wallet(2)] },
      ifMatch: 1,
    });
    expect(patched.code).toBe(value === 'accepted' ? undefined : 'validation_error');
  },
  decimals_echo: async (value, choices) => {
    const config = await stored(
      choices,
      sniperConfig({ buy_amount: '007.50', bundle_amount: '', dev_min_amount: '3' }),
    );
    const forms = {
      'as-sent': ['007.50', '', '3'],
      normalised: ['7.5', '', '3'],
      padded: ['7.500000000', '', '3.000000000'],
    };
    expect([config.buy_amount, config.bundle_amount, config.dev_min_amount]).toEqual(forms[value]);
    expect(config.auto_sell.tp_orders[0].sell).toBe(value === 'padded' ? '100.000000000' : '100');
  },
  sets_echo: async (value, choices) => {
    const service = startService({ choices });
    const wallets = [wallet(3), wallet(2)].sort().reverse();
    const task = await service.make('copy-trade', 1, {
      linked_wallets: wallets,
      config: copyTradeConfig({ address_blacklist: { enabled: true, wallets } }),
    });
    const order = value === 'sorted' ? [...wallets].sort() : wallets;
    expect([task.linked_wallets, task.config.address_blacklist.wallets]).toEqual([order, order]);
    expect(task.config.selected_dexes).toEqual(
      value === 'sorted' ? ['pump-amm', 'pump-fun'] : ['pump-fun', 'pump-amm'],
    );
    const tiers = [buySet({ amount_sol: '2' }), buySet({ amount_sol: '1' })];
    const tiered = await service.make('copy-trade', 2, {
      config: copyTradeConfig({ buy_config_tiers: tiers }),
    });
    expect(tiered.config.buy_config_tiers).toEqual(tiers);
  },
  key_order: async (value, choices) => {
    const keys = Object.keys(await stored(choices));
    expect(keys).toEqual(value === 'sorted' ? [...keys].sort() : Object.keys(sniperConfig()));
  },
  optional_echo: async (value, choices) => {
    const config = await stored(choices);
    const { bundle_amount, dev_min_amount, relay_mode } = config;
    const filled = ['', '', { ...FEES, bundle_amount: '', sol_slippage_mode: false }];
    expect([bundle_amount, dev_min_amount, relay_mode]).toEqual(
      value === 'filled' ? filled : [undefined, undefined, FEES],
    );
    expect(config.auto_sell).toEqual(SELL_SIDE.auto_sell);
  },
};
