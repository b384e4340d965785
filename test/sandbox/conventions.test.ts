import { describe, expect, it } from 'vitest';
import { configFor, wallet } from '../support/builders.ts';
import { KINDS, type Loose, startService, taskBody } from './service.ts';

/** Interface, "Conventions that apply to every write body". */
describe('write bodies', () => {
  it('takes JSON of at most 64 KiB, counted in bytes', async () => {
    const service = startService();
    const body = JSON.stringify(taskBody('sniper'));
    const fits = body + ' '.repeat(64 * 1024 - body.length);
    expect((await service.ask('POST', '/sniper/configs', { raw: fits })).status).toBe(201);
    expect((await service.ask('POST', '/sniper/configs', { raw: `${fits} ` })).code).toBe('invalid_request');
    const wide = fits.slice(0, -1) + ' '.repeat(1);
    expect(
      (await service.ask('POST', '/sniper/configs', { raw: wide.replace('task 1', 'täsk 1') })).code,
    ).toBe('invalid_request');
  });

  it('answers unparseable JSON with invalid_request, and JSON other than an object with validation_error', async () => {
    const service = startService();
    for (const raw of ['{', '', 'undefined', "{'a': 1}"]) {
      const reply = await service.ask('POST', '/sniper/configs', { raw });
      expect([raw, reply.code]).toEqual([raw, 'invalid_request']);
    }
    for (const raw of ['[]', 'null', '"text"', '3']) {
      const reply = await service.ask('POST', '/sniper/configs', { raw });
      expect([raw, reply.code, reply.fields]).toEqual([
        raw,
        'validation_error',
        [{ path: '$', reason: 'expected_object' }],
      ]);
    }
  });

  it('refuses absurdly deep bodies instead of failing', async () => {
    const service = startService();
    const raw = `{"config":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect((await service.ask('POST', '/sniper/configs', { raw })).code).toBe('invalid_request');
  });

  it.each(KINDS)('rejects unknown properties at any depth: %s', async (kind) => {
    const service = startService();
    const config: Loose = configFor(kind, { surprise: 1 });
    if (kind === 'copy-trade') config.buy_config_universal = { ...config.buy_config_universal, tip: '1' };
    else config.relay_mode = { ...config.relay_mode, tip: '1' };
    const reply = await service.ask('POST', `/${kind}/configs`, {
      body: { ...taskBody(kind), config, other: true },
    });
    expect(reply.code).toBe('validation_error');
    const nested = kind === 'copy-trade' ? 'config.buy_config_universal.tip' : 'config.relay_mode.tip';
    expect(reply.fields.map(({ path }) => path).sort()).toEqual(['config.surprise', nested, 'other'].sort());
    expect(new Set(reply.fields.map(({ reason }) => reason))).toEqual(new Set(['unknown_property']));
  });

  it('never patches target_wallet', async () => {
    const service = startService();
    for (const kind of KINDS) {
      const task = await service.make(kind);
      const body = { target_wallet: wallet(5) };
      const reply = await service.ask('PATCH', `/${kind}/configs/${task.id}`, { body, ifMatch: 1 });
      expect(reply.fields).toEqual([{ path: 'target_wallet', reason: 'unknown_property' }]);
    }
  });

  it('requires at least one field in a patch', async () => {
    const service = startService();
    const task = await service.make('sniper');
    const label = (await service.ask('POST', '/labels', { body: { name: 'a', sort_order: 1 } })).data;
    const template = (
      await service.ask('POST', '/sniper/templates', { body: { name: 'a', config: configFor('sniper') } })
    ).data;
    for (const path of [
      `/sniper/configs/${task.id}`,
      `/labels/${label.id}`,
      `/sniper/templates/${template.id}`,
    ]) {
      const reply = await service.ask('PATCH', path, { body: {}, ifMatch: 1 });
      expect([path, reply.code, reply.fields]).toEqual([
        path,
        'validation_error',
        [{ path: '$', reason: 'empty_patch' }],
      ]);
    }
  });

  it('trims remark and name', async () => {
    const service = startService();
    const task = await service.make('sniper', 1, { remark: `  ${'r'.repeat(64)}\t ` });
    expect(task.remark).toBe('r'.repeat(64));
    const label = await service.ask('POST', '/labels', {
      body: { name: `  ${'l'.repeat(32)} `, sort_order: 0 },
    });
    expect(label.data.name).toBe('l'.repeat(32));
    const template = await service.ask('POST', '/sniper/templates', {
      body: { name: ` ${'t'.repeat(64)} `, config: configFor('sniper') },
    });
    expect(template.data.name).toBe('t'.repeat(64));
  });

  it('returns UUIDs and ISO times with offset, and refuses addresses of other lengths and letters', async () => {
    const service = startService();
    const task = await service.make('copy-trade');
    expect(task.id).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    expect(task.created_at).toBe('2026-03-01T12:00:00.000Z');
    for (const target of ['1'.repeat(31), '1'.repeat(45), `${'1'.repeat(31)}0`, 7, null]) {
      const reply = await service.ask('POST', '/sniper/configs', {
        body: taskBody('sniper', 1, { target_wallet: target }),
      });
      expect(reply.code).toBe('validation_error');
      expect(reply.fields[0]?.path).toBe('target_wallet');
    }
  });

  it('reports at most 20 fields', async () => {
    const service = startService();
    const config = configFor(
      'sniper',
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x${n}`, n])),
    );
    const reply = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper', 1, { config }) });
    expect(reply.fields).toHaveLength(20);
  });
});
