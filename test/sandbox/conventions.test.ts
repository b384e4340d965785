import { describe, expect, it } from 'vitest';
import { configFor, wallet } from '../support/builders.ts';
import { KINDS, startService, taskBody } from './service.ts';

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

  it('never patches target_wallet', async () => {
    const service = startService();
    for (const kind of KINDS) {
      const task = await service.make(kind);
      const body = { target_wallet: wallet(5) };
      const reply = await service.ask('PATCH', `/${kind}/configs/${task.id}`, { body, ifMatch: 1 });
      expect(reply.fields).toEqual([{ path: 'target_wallet', reason: 'unknown_property' }]);
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
