import { compile, inOne } from '../../src/core/desired/compile.ts';
import { readProjectSettings } from '../../src/core/desired/project.ts';
import { Source } from '../../src/core/manifest/source.ts';
import { copyTradeConfig, sniperConfig, uuid, walletOf } from './builders.ts';
import { withVersion } from './versions.ts';

/**
 * An account and its project, as hard to lay out as possible: names of maximum length, remarks of wide letters, emoji and control
 * characters, long lists, and everything that a plan can say.
 */
export interface WideDesk {
  /** For `tradeform sandbox --seed`. */
  readonly seed: string;
  readonly files: Readonly<Record<string, string>>;
}

export const TOKEN = 'svc_live_0ca9a21e.canary-secret-4f8b1d';
export const PROJECT = 'wide-desk-12';
export const ENVIRONMENT = 'production-frankfurt-one';

/** 24 letters, the maximum. */
function longName(index: number): string {
  return `${String(index).padStart(3, '0')}-${'a-name-as-long-as-it-gets'.slice(0, 20)}`;
}

const CJK = '観測対象のウォレットを追いかける取引タスクです全角文字';
const EMOJI = '🚀🚀🔥🐋🐋🐋💰 moon 🚀🔥 to the 🌕🌕 and back 👩‍🚀 again 🚀🔥🐋';
const HOSTILE = '\x1b[2J\x1b[31mred\x07 \u202Eesrever\r\n | # <b>`*_ [git:other';
const UNBROKEN = 'w'.repeat(64);
const LABEL = '高リスクのラベル 🔥 high risk, long';

interface Written {
  readonly name: string;
  readonly state?: 'active' | 'paused';
  readonly note?: string;
  readonly wallet?: string;
  readonly config?: object;
  readonly more?: object;
}

function sniper({ name, state = 'active', note = 'Note', wallet, config, more }: Written): object {
  return {
    kind: 'SniperTask',
    metadata: { name },
    spec: {
      state,
      remark: note,
      label: 'risk',
      target_wallet: wallet ?? walletOf(name),
      config: config ?? sniperConfig(),
      ...more,
    },
  };
}

function copyTrade({ name, note = 'Note', config }: Written): object {
  return {
    kind: 'CopyTradeTask',
    metadata: { name },
    spec: {
      state: 'active',
      remark: note,
      target_wallet: walletOf(name),
      linked_wallets: [walletOf('linked-1'), walletOf('linked-2')],
      config: config ?? copyTradeConfig(),
    },
  };
}

const TIERS = [0, 1, 2].map((index) => ({
  ...(copyTradeConfig().buy_config_universal as object),
  market_cap_min: String(index * 100_000),
  market_cap_max: String((index + 1) * 100_000),
}));

export function wideDesk(): WideDesk {
  const [update, hold, replace, remove, start, more] = [1, 2, 3, 4, 5, 6].map(longName) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const marked = (name: string, note: string, mark = '@0') =>
    `${note} [git:${PROJECT}/${name}${mark}]`.trim();
  const task = (index: number, name: string, over: object = {}) => ({
    kind: 'sniper',
    id: uuid(index),
    remark: marked(name, ''),
    target_wallet: walletOf(name),
    label: LABEL,
    is_active: true,
    config: sniperConfig(),
    ...over,
  });
  const tasks = [
    task(1, update, { config: sniperConfig({ selected_dexes: ['pump-fun', 'bags', 'launchlab'] }) }),
    task(2, hold, { is_active: false }),
    task(3, replace, { target_wallet: walletOf('before') }),
    task(4, remove, { remark: marked(remove, '観測対象') }),
    task(5, start, { is_active: false, remark: marked(start, '', '@2'), version: 2 }),
    task(6, more, {
      kind: 'copy-trade',
      remark: marked(more, ''),
      config: copyTradeConfig(),
      label: undefined,
      linked_wallets: [walletOf('linked-1')],
    }),
    task(7, 'u1', { remark: CJK }),
    task(8, 'u2', { remark: EMOJI }),
    task(9, 'u3', { remark: HOSTILE }),
    task(10, 'u4', { remark: UNBROKEN, is_active: false }),
    task(11, 'u5', { remark: `${CJK.slice(0, 20)} [git:another-desk/${longName(7).slice(0, 20)}@0]` }),
    task(12, 'u6', { remark: `${EMOJI.slice(0, 10)} [git:${PROJECT}/broken` }),
  ];
  const manifests = [
    { kind: 'Label', metadata: { name: 'risk' }, spec: { name: LABEL, sort_order: 1 } },
    { kind: 'Label', metadata: { name: 'wide-label' }, spec: { name: CJK.slice(0, 26), sort_order: 2 } },
    sniper({ name: update, note: '', config: sniperConfig({ buy_amount: '0.123456789012' }) }),
    sniper({ name: hold, note: '' }),
    sniper({ name: replace, note: '' }),
    sniper({ name: start, note: '' }),
    copyTrade({
      name: more,
      note: '',
      config: copyTradeConfig({ buy_config_mode: 'tiered', buy_config_tiers: TIERS }),
    }),
    sniper({ name: 'a-new-task-of-24-letters', note: '新🚀' }),
  ];
  const project = {
    kind: 'Project',
    metadata: { name: PROJECT },
    spec: {
      settle: { replace: '0s' },
      environments: { [ENVIRONMENT]: { account: { login_username: 'harbor-desk' } } },
    },
  };
  const text = (document: object) => JSON.stringify({ apiVersion: 'tradeform/v1', ...document }, null, 1);
  const files = { project: text(project), manifests: manifests.map(text).join('\n---\n') };
  const { settings } = readProjectSettings(new Source('tradeform.yaml', files.project), ENVIRONMENT);
  if (settings === undefined) throw new Error('no settings');
  const { state } = inOne(
    compile({ settings, sources: [new Source('all.yaml', files.manifests)], allRead: true }),
  );
  // Those of which git describes what is there: for the others the version of an earlier commit is missing.
  const versioned = tasks.map((seeded) => {
    const wanted = state?.tasks.find(({ name }) =>
      name === hold || name === start ? seeded.remark.includes(`/${name}@`) : false,
    );
    return wanted === undefined ? seeded : { ...seeded, remark: withVersion(seeded.remark, wanted) };
  });
  return {
    seed: JSON.stringify({
      accounts: [
        {
          login_username: 'harbor-desk',
          quota: { max: 500 },
          tokens: [{ token: TOKEN }],
          labels: [{ name: LABEL, sort_order: 1 }],
          tasks: versioned,
        },
      ],
    }),
    files: {
      'tradeform.yaml': files.project,
      'manifests/a-folder-with-quite-a-long-name/another-one/all-of-them.yaml': files.manifests,
    },
  };
}
