import type { Change, Field, Observation, Operation, Plan } from '../../src/core/model/generated/plan.ts';

/** Plans made by hand that hold everything a plan can say. */

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const FORMER_WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const FEED = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P';

export function emptyPlan(): Plan {
  return {
    format: 'tradeform.plan/1',
    tool: { name: 'tradeform', version: '0.1.0' },
    created_at: '2026-11-21T08:00:00.000Z',
    project: 'core',
    environment: 'production',
    service: {
      base_url: 'https://service.invalid/v1',
      token_prefix: 'svc_live_0a1b2c3d',
      login_username: 'whales',
    },
    settle: { update: 0, replace: 60_000 },
    source: { commit: null, dirty: false, manifests_digest: '0'.repeat(64) },
    complete: true,
    summary: {
      create: 0,
      update: 0,
      replace: 0,
      delete: 0,
      adopt: 0,
      rename: 0,
      release: 0,
      start: 0,
      stop: 0,
      finish: 0,
      held: 0,
      blocked: 0,
      unmanaged: 0,
      foreign: 0,
      unchanged: 14,
    },
    exposure: {
      before: '4.2',
      after: '4.2',
      running_before: 9,
      running_after: 9,
      outside: [],
      kinds: [{ kind: 'sniper', before: '4.2', after: '4.2', running_before: 9, running_after: 9 }],
      labels: [{ label: null, before: '4.2', after: '4.2', running_before: 9, running_after: 9 }],
      left_out: [{ reason: 'unknown-route', count: 9, text: 'Which route is not known.' }],
    },
    changes: [],
    observations: [],
    operations: [],
    diagnostics: [],
    digest: '1'.repeat(64),
  };
}

export function change(address: string, parts: Partial<Change> = {}): Change {
  const [kind = 'sniper', name = ''] = address.split('/');
  return {
    address,
    previous_address: null,
    kind: kind as Change['kind'],
    name,
    id: '5e0c1d2e-0000-4000-8000-000000000001',
    replaces_id: null,
    version: 3,
    action: 'update',
    actions: ['update'],
    reason: 'differs',
    starts_trading: false,
    stops_trading: false,
    held: false,
    blocked: null,
    exposure: { before: '0', after: '0' },
    fields: [],
    operations: [],
    former: null,
    ...parts,
  };
}

/** `undefined` stands for an absent side. */
export function field(path: string, before: unknown, after: unknown, parts: Partial<Field> = {}): Field {
  return {
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    sensitive: false,
    ...parts,
  } as Field;
}

function at(file: string, line: number): Partial<Field> {
  return { origin: { file, line, column: 5 } };
}

/** The change with one operation a verb, and those operations. */
function withChain(
  base: Change,
  verbs: readonly Operation['verb'][],
  parts: Partial<Operation> = {},
): { change: Change; operations: Operation[] } {
  const operations = verbs.map(
    (verb, index): Operation => ({
      id: `${base.address}#${index + 1}`,
      address: base.address,
      subject: base.id ?? `{${base.address}}`,
      verb,
      body: null,
      needs: [],
      ...(index === 0 ? parts : {}),
    }),
  );
  return { change: { ...base, operations: operations.map(({ id }) => id) }, operations };
}

function creations() {
  return [
    withChain(
      change('label/high-risk', {
        id: null,
        version: null,
        action: 'create',
        actions: ['create'],
        reason: 'not-on-service',
        fields: [
          field('name', undefined, 'High risk', at('manifests/labels.yaml', 6)),
          field('sort_order', undefined, 10, at('manifests/labels.yaml', 7)),
        ],
      }),
      ['create'],
    ),
    withChain(
      change('sniper/alpha', {
        id: null,
        version: null,
        action: 'create',
        actions: ['create', 'start'],
        reason: 'not-on-service',
        starts_trading: true,
        exposure: { before: '0', after: '1.0055' },
        fields: [
          field('target_wallet', undefined, WALLET, at('manifests/snipers.yaml', 8)),
          field('remark', undefined, 'Early launches', at('manifests/snipers.yaml', 9)),
          field('label', undefined, 'High risk', at('manifests/snipers.yaml', 10)),
          field('config.buy_amount', undefined, '1', at('manifests/snipers.yaml', 12)),
          field('config.relay_mode.tip_amount', undefined, '0.005'),
          field('config.relay_mode.priority_fee', undefined, '0.0005'),
          field('config.relay_mode.slippage', undefined, '15'),
          field('config.selected_dexes', undefined, ['pump-fun', 'launchlab', 'meteora-dynamic-bc']),
          field('config.dex_source', undefined, 'config'),
          field('config.dev_min_amount', undefined, ''),
          field('config.buy_once', undefined, false),
          field('config.auto_sell.enabled', undefined, true),
          field('config.auto_sell.tp_orders', undefined, [
            { trigger: '50', sell: '25' },
            { trigger: '100', sell: '50' },
          ]),
        ],
      }),
      ['create', 'resume'],
      { needs: ['label/high-risk#1'] },
    ),
  ];
}

function updates() {
  return [
    withChain(
      change('copy-trade/whale-7', {
        exposure: { before: '0.5011', after: '0.7511' },
        fields: [
          field('remark', 'Follow whale 7', 'Follow whale 7, larger', at('manifests/copy/whales.yaml', 9)),
          field(
            'config.buy_config_universal.amount_sol',
            '0.5',
            '0.75',
            at('manifests/copy/whales.yaml', 21),
          ),
          field('config.buy_config_universal.relay_bundle_amount', '0.01', undefined),
          field('config.min_trade_amount', '', '0.1', at('manifests/copy/whales.yaml', 30)),
          field(
            'config.selected_dexes',
            ['pump-fun', 'pump-amm', 'raydium-amm'],
            ['pump-amm', 'pump-fun', 'launchlab'],
            at('manifests/copy/whales.yaml', 16),
          ),
          field(
            'config.auto_sell.tp_orders',
            [
              { trigger: '50', sell: '25' },
              { trigger: '100', sell: '50' },
              { trigger: '200', sell: '100' },
            ],
            [
              { trigger: '50', sell: '25' },
              { trigger: '120', sell: '50' },
              { trigger: '200', sell: '100' },
              { trigger: '400', sell: '100' },
            ],
            at('manifests/copy/a-folder-with-a-long-name/and-another-one/whale-seven.yaml', 48),
          ),
          field('config.note_url', 'https://hooks.invalid/a', 'https://hooks.invalid/b', { sensitive: true }),
          field('config.fast_mode', true, undefined, { legacy: true }),
        ],
      }),
      ['mark', 'pause', 'patch', 'resume'],
    ),
    withChain(
      change('sniper/once', {
        fields: [field('config.buy_amount', '0.1', '0.2', at('manifests/snipers.yaml', 44))],
        exposure: { before: '0.101', after: '0.201' },
      }),
      ['pause', 'patch', 'resume'],
      { read_first: true },
    ),
    withChain(
      change('transfer-snipe/feed', {
        replaces_id: '77777777-0000-4000-8000-000000000007',
        id: null,
        action: 'replace',
        actions: ['replace'],
        reason: 'target-changed',
        exposure: { before: '0.25', after: '0.25' },
        fields: [field('target_wallet', FORMER_WALLET, FEED, at('manifests/transfer.yaml', 7))],
      }),
      ['create', 'mark', 'pause', 'delete', 'resume'],
      { settle_ms: 60_000 },
    ),
    withChain(
      change('sniper/beta', {
        previous_address: 'sniper/beta-one',
        action: 'rename',
        actions: ['rename'],
        reason: 'renamed',
        fields: [field('name', 'beta-one', 'beta', at('manifests/snipers.yaml', 60))],
      }),
      ['patch'],
    ),
  ];
}

function stops() {
  return [
    withChain(
      change('sniper/tired', {
        action: 'stop',
        actions: ['stop'],
        reason: 'git-wants-paused',
        stops_trading: true,
        exposure: { before: '0.5', after: '0' },
        fields: [field('state', 'active', 'paused', at('manifests/snipers.yaml', 71))],
      }),
      ['pause', 'patch'],
    ),
    withChain(
      change('copy-trade/gone', {
        action: 'delete',
        actions: ['delete'],
        reason: 'not-in-manifests',
        stops_trading: true,
        exposure: { before: '0.3', after: '0' },
        fields: [
          field('target_wallet', WALLET, undefined),
          field('remark', 'No longer followed', undefined),
          field('config.buy_config_mode', 'universal', undefined),
        ],
      }),
      ['pause', 'delete'],
    ),
    withChain(
      change('sniper/fired', {
        held: true,
        reason: 'stopped-outside',
        fields: [field('remark', 'Fire once', 'Fires once', at('manifests/snipers.yaml', 80))],
      }),
      ['patch'],
    ),
  ];
}

function unworked(): Change[] {
  return [
    change('sniper/paused-by-hand', {
      held: true,
      action: 'none',
      actions: ['none'],
      reason: 'stopped-outside',
    }),
    change('copy-trade/taken', {
      id: null,
      version: null,
      action: 'none',
      actions: ['none'],
      reason: 'uncertain',
      blocked: {
        text: 'An unmanaged task has the same target but another config. Name it by metadata.id, or set lifecycle.adopt: never.',
        ids: ['99999999-0000-4000-8000-000000000009'],
      },
    }),
  ];
}

const OBSERVATIONS: Observation[] = [
  {
    class: 'unmanaged',
    kind: 'sniper',
    id: 'aaaaaaaa-0000-4000-8000-00000000000a',
    remark: 'manual test',
    running: true,
    text: 'No manifest describes it.',
  },
  {
    class: 'unmanaged',
    kind: 'copy-trade',
    id: 'bbbbbbbb-0000-4000-8000-00000000000b',
    remark: '',
    running: false,
    text: 'No manifest describes it.',
  },
  {
    class: 'foreign',
    kind: 'sniper',
    id: 'cccccccc-0000-4000-8000-00000000000c',
    remark: 'theirs [git:desk-2/theirs@0]',
    running: true,
    text: 'It belongs to project desk-2.',
  },
  {
    class: 'damaged',
    kind: 'sniper',
    id: 'dddddddd-0000-4000-8000-00000000000d',
    remark: 'half [git:core/half',
    running: false,
    text: 'Its marker does not parse; metadata.id names it again.',
  },
];

export function richPlan(): Plan {
  const worked = [...creations(), ...updates(), ...stops()];
  const base = emptyPlan();
  return {
    ...base,
    summary: {
      ...base.summary,
      create: 2,
      update: 2,
      replace: 1,
      delete: 1,
      rename: 1,
      start: 1,
      stop: 1,
      held: 2,
      blocked: 1,
      unmanaged: 2,
      foreign: 1,
      unchanged: 5,
    },
    exposure: {
      before: '4.2',
      after: '5.0055',
      running_before: 9,
      running_after: 8,
      outside: [{ project: null, tasks: 1, sol: '0.31', unreadable: 0 }],
      kinds: [
        { kind: 'sniper', before: '3.4', after: '4.0044', running_before: 5, running_after: 5 },
        { kind: 'copy-trade', before: '0.8', after: '1.0011', running_before: 4, running_after: 3 },
      ],
      labels: [
        { label: 'High risk', before: '0', after: '1.0055', running_before: 0, running_after: 1 },
        { label: 'Steady | <b>', before: '3.9', after: '3.9', running_before: 7, running_after: 7 },
        { label: null, before: '0.3', after: '0.1', running_before: 2, running_after: 0 },
      ],
      left_out: [
        {
          reason: 'repeated',
          count: 8,
          text: '8 tasks buy at every trigger: one trigger is counted.',
        },
      ],
    },
    overrides: [{ guardrail: 'max_slippage', digest: '1'.repeat(64), findings: 2 }],
    changes: [...worked.map((item) => item.change), ...unworked()],
    operations: worked.flatMap((item) => item.operations),
    observations: OBSERVATIONS,
    diagnostics: [
      {
        severity: 'warning',
        code: 'may-buy-again',
        address: 'transfer-snipe/feed',
        message: 'A new task may buy again what the former one has bought.',
        hint: 'Nothing shows whether the memory of bought tokens moves along.',
      },
      { severity: 'info', code: 'kind-not-visible', message: 'The token cannot read transfer-snipe tasks.' },
      {
        severity: 'warning',
        code: 'guardrail-max-slippage',
        address: 'sniper/alpha',
        message:
          'sniper/alpha: config.relay_mode.slippage is 90, but max_slippage allows 50 percent. Allowed by --override max_slippage.',
        location: { file: 'manifests/snipers.yaml', line: 14, column: 9 },
      },
    ],
  };
}
