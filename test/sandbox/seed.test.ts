import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { readSeed } from '../../src/sandbox/seed-file.ts';
import { configFor, copyTradeConfig, wallet } from '../support/builders.ts';
import { startService } from './service.ts';

const SEED = {
  choices: { list_order: 'asc', version_step: 2 },
  accounts: [
    {
      id: 'main',
      login_username: 'whales',
      family_role: 'primary',
      quota: { max: 7, elsewhere: 2 },
      tokens: [
        {
          token: 'svc_live_01234567.first-secret',
          token_version: 4,
          scopes: ['sniper:read'],
          expires_at: '2030-01-01T00:00:00Z',
          ip_allowlist: ['127.0.0.1'],
        },
        { token: 'svc_live_89abcdef' },
      ],
      labels: [
        {
          id: '00000000-0000-4000-8000-0000000000aa',
          name: 'high',
          sort_order: 3,
          created_at: '2026-01-01T00:00:00Z',
        },
      ],
      templates: [{ kind: 'copy-trade', name: 'base', config: copyTradeConfig(), version: 5 }],
      tasks: [
        {
          kind: 'sniper',
          target_wallet: wallet(1),
          label: 'high',
          is_active: true,
          config: configFor('sniper'),
        },
        {
          kind: 'copy-trade',
          id: '00000000-0000-4000-8000-0000000000bb',
          remark: 'old',
          target_wallet: wallet(2),
          linked_wallets: [wallet(3)],
          template: 'base',
          version: 12,
          config: { ...copyTradeConfig(), ancient: true },
          legacy: true,
          created_at: '2025-01-01T00:00:00Z',
          updated_at: '2025-02-01T00:00:00Z',
        },
      ],
    },
    {},
  ],
};

describe('a seed file', () => {
  it.each([
    ['YAML', stringify(SEED)],
    ['JSON', JSON.stringify(SEED)],
  ])('in %s creates accounts with everything they own', async (_form, text) => {
    const { seed, diagnostics } = readSeed(text, 'seed');
    expect(diagnostics).toEqual([]);
    if (seed === undefined) throw new Error('no seed');
    const service = startService({ seed });
    const [first = '', second = '', third = ''] = service.sandbox.tokens().map(({ token }) => token);
    expect(first).toBe('svc_live_01234567.first-secret');
    expect(second).toMatch(/^svc_live_89abcdef\.\S{32}$/);
    expect((await service.ask('GET', '/me', { token: first })).data).toMatchObject({
      token_version: 4,
      quota: { max: 7, used: 4, remaining: 3 },
      login_username: 'whales',
      family_role: 'primary',
    });
    expect((await service.ask('GET', '/me', { token: third })).data.quota.max).toBe(100);
    const { data } = await service.ask('GET', '/copy-trade/configs', { token: second });
    expect(data.items[0]).toMatchObject({
      id: '00000000-0000-4000-8000-0000000000bb',
      version: 12,
      linked_wallets: [wallet(3)],
      updated_at: '2025-02-01T00:00:00.000Z',
      config: { ancient: true },
    });
    const sniper = (await service.ask('GET', '/sniper/configs', { token: second })).data.items[0];
    expect(sniper).toMatchObject({
      is_active: true,
      version: 2,
      remark: '',
      risk_label_id: '00000000-0000-4000-8000-0000000000aa',
    });
    expect(service.sandbox.choices).toMatchObject({ list_order: 'asc', version_step: 2 });
  });

  it('yields to choices that are given as options', () => {
    const sandbox = createSandbox({
      seed: { choices: { list_order: 'asc' }, accounts: [{}] },
      choices: { list_order: 'desc' },
    });
    expect(sandbox.choices.list_order).toBe('desc');
  });

  it('reports every problem at once, with its place', () => {
    const text = [
      'choices: { list_order: up, nonsense: 1 }',
      'accounts:',
      '  - id: 7',
      '    tokens:',
      '      - token: secret',
      '        scopes: [sniper:admin]',
      '        expires_at: tomorrow',
      '    quota: { max: -1 }',
      '    tasks:',
      '      - kind: snipe',
      '        colour: red',
      '        config: []',
      '        is_active: "yes"',
    ].join('\n');
    const { seed, diagnostics } = readSeed(text, 'dir/seed.yaml');
    expect(seed).toBeUndefined();
    const shown = diagnostics.map(
      ({ location, message }) => `${location?.line}:${location?.column} ${message}`,
    );
    expect(shown).toEqual([
      '1:24 choices.list_order: must be desc or asc.',
      '1:38 choices.nonsense: is unknown here.',
      '3:9 accounts.0.id: must be text; quote it.',
      expect.stringMatching(/^5:16 accounts.0.tokens.0.token: must be svc_live/),
      expect.stringMatching(
        /^6:18 accounts.0.tokens.0.scopes.0: must be one of the nine scopes: sniper:read, .*transfersnipe:delete/,
      ),
      expect.stringMatching(/^7:21 accounts.0.tokens.0.expires_at: must be an ISO 8601 time/),
      expect.stringMatching(/^8:19 accounts.0.quota.max/),
      '10:9 accounts.0.tasks.0: target_wallet is required.',
      expect.stringMatching(/^10:15 accounts.0.tasks.0.kind: must be sniper, copy-trade or transfer-snipe/),
      '11:17 accounts.0.tasks.0.colour: is unknown here.',
      '12:17 accounts.0.tasks.0.config: must be a mapping.',
      '13:20 accounts.0.tasks.0.is_active: must be true or false.',
    ]);
    expect(
      diagnostics.every(
        ({ code, severity, location }) =>
          code === 'seed-invalid' && severity === 'error' && location?.file === 'dir/seed.yaml',
      ),
    ).toBe(true);
  });

  it('requires legacy: true for configs that the present schema refuses', () => {
    const config = { ...configFor('sniper'), buy_amount: 0.5 };
    const task = { kind: 'sniper', target_wallet: wallet(1), config };
    const { diagnostics } = readSeed(stringify({ accounts: [{ tasks: [task] }] }), 'seed.yaml');
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'accounts.0.tasks.0.config.buy_amount: expected_string.',
    ]);
    expect(diagnostics[0]?.location?.line).toBe(6);
    expect(
      readSeed(stringify({ accounts: [{ tasks: [{ ...task, legacy: true }] }] }), 'x').diagnostics,
    ).toEqual([]);
  });

  it.each([
    ['accounts: [{id: a}, {id: a}]', /account a appears twice/],
    [
      'accounts: [{tokens: [{token: svc_live_01234567}, {token: svc_live_01234567.x}]}]',
      /token svc_live_01234567 appears twice/,
    ],
    [
      'accounts: [{tasks: [{kind: sniper, target_wallet: x, label: none, config: {}, legacy: true}]}]',
      /no label with the name none/,
    ],
    [
      'accounts: [{tasks: [{kind: sniper, target_wallet: x, template: none, config: {}, legacy: true}]}]',
      /no template with the name none/,
    ],
    ['accounts: {}', /must be a list/],
    ['[]', /must be a mapping/],
    ['', /must be a mapping/],
    ['accounts: [', /./],
    ['a: 1\na: 2', /./],
    ['accounts: [*nobody]', /./],
  ])('refuses %j', (text, message) => {
    const { seed, diagnostics } = readSeed(text, 'seed.yaml');
    expect(seed).toBeUndefined();
    expect(diagnostics[0]?.message).toMatch(message);
    expect(diagnostics[0]?.location).toBeDefined();
  });
});
