import { describe, expect, it } from 'vitest';
import { configFor } from '../support/builders.ts';
import { startService } from './service.ts';

/** Interface, "Conventions that apply to every write body". */
describe('write bodies', () => {
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
});
