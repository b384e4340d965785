import type { SeedAccount } from '../../../src/model/generated/sandbox.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { copyTrade, label, PROJECT, sniper, sniperTemplate } from '../../manifest/samples.ts';
import { copyTradeConfig, sniperConfig } from '../../support/builders.ts';
import { canary, damaged, shortCanary } from './wallets.ts';

export const WHALE = canary('wallet book');
const TWICE = canary('wallet book, twice');
const LIKE = canary('lookalike');

const BOOK = `apiVersion: tradeform/v1
kind: WalletBook
metadata: { name: book }
spec:
  wallets:
    whale-7: ${WHALE}
    zulu: ${TWICE}
    yankee: ${TWICE}
    wallet-1: { address: ${canary('wallet book, named like a number')}, note: seen beside ${canary('note of a wallet')} }
`;

const ROWS = `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: rows }
spec:
  for: sniper
  rows_from: rows.csv
  task:
    metadata: { name: "row-\${row.name}" }
    spec:
      state: paused
      target_wallet: \${row.wallet}
${sniper()
  .slice(sniper().indexOf('  config:'))
  .split('\n')
  .map((line) => (line === '' ? '' : `    ${line}`))
  .join('\n')}`;

/** A project that is in order, with an address wherever a text can be. */
export const GOOD: Readonly<Record<string, string>> = {
  'tradeform.yaml': `${PROJECT}spec:\n  settle: { update: 0s, replace: 0s }\n`,
  'manifests/book.yaml': BOOK,
  'manifests/a.yaml': sniper({
    name: 'a',
    wallet: canary('target_wallet'),
    spec: `  remark: ${shortCanary('remark')}\n`,
  }),
  [`manifests/of ${canary('name of a file')}.yaml`]: copyTrade({
    name: 'whale',
    wallet: 'whale-7',
    spec: `  remark: Follow\n  linked_wallets: [${canary('linked_wallets')}, yankee]\n`,
    config: `    address_blacklist: { enabled: true, wallets: [${canary('blacklist')}, wallet-1] }\n`,
  }),
  'manifests/like.yaml': [LIKE, `${LIKE.slice(0, 20)}${LIKE.slice(20).split('').reverse().join('')}`]
    .map((wallet, index) => sniper({ kind: 'TransferSnipeTask', name: `like-${index}`, wallet }))
    .join('---\n'),
  'manifests/label.yaml': label('risk'),
  'manifests/template.yaml': sniperTemplate('base', `  name: As ${canary('name of a template')}\n`),
  'manifests/rows.yaml': ROWS,
  'manifests/rows.csv': `name,wallet\none,${canary('row of a table')}\n`,
};

/** The same with one mistake of every kind that repeats what is written, or shows its line. */
export const BAD: Readonly<Record<string, string>> = {
  ...GOOD,
  'manifests/bad.yaml': [
    sniper({ name: 'wrong-letter', wallet: damaged(canary('a wrong letter')) }),
    sniper({ name: 'odd-letter', wallet: damaged(canary('an odd letter'), 'é') }),
    sniper({ name: 'too-long', wallet: `${canary('too long')}x` }),
    sniper({ name: 'unknown', config: `    ${canary('unknown field')}: 1 # ${canary('comment')}\n` }),
    sniper({ name: 'amount', amount: canary('amount') }),
    sniper({ name: 'choice', spec: `  rearm: ${canary('rearm')}\n` }),
    sniper({ name: 'dex', config: `    dex_source: ${canary('choice')}\n` }),
    sniper({ name: canary('name') }),
    sniper({ name: 'label', spec: `  label: ${canary('label')}\n` }),
    sniper({ name: 'base', spec: `  extends: [${canary('base')}]\n` }),
    sniper({ name: 'var', spec: `  remark: \${var.${canary('variable')}}\n` }),
    sniper({ name: 'long', spec: `  remark: ${'long '.repeat(12)}${canary('long remark')}\n` }),
    `apiVersion: tradeform/v1\nkind: ${canary('kind')}\nmetadata: { name: x }\n`,
  ].join('---\n'),
  'manifests/syntax.yaml': `kind: [ ${canary('syntax')}\n`,
};

/** Errors of guardrails. */
export const GUARDED: Readonly<Record<string, string>> = {
  ...GOOD,
  'tradeform.yaml': `${PROJECT}spec:
  guardrails:
    allowed_wallets: [${canary('allowed_wallets')}]
    forbidden_wallets: [whale-7]
    max_changes: 1
`,
};

const remark = (name: string, armed = '@1') => `[git:core/${name}${armed}]`;

/** What the service holds: ours, changed by somebody; other people's; and what only looks like ours. */
export function account(): SeedAccount {
  const task = { kind: 'sniper', config: sniperConfig() } as const;
  const copy = (over: JsonObject) => ({ kind: 'copy-trade', config: copyTradeConfig(over) }) as const;
  return {
    labels: [{ name: shortCanary('live label') }],
    templates: [{ kind: 'sniper', name: `Of ${canary('live template')}`, config: sniperConfig() }],
    tasks: [
      { ...task, remark: remark('a'), target_wallet: canary('live target'), is_active: true, version: 2 },
      {
        ...copy({ address_blacklist: { enabled: true, wallets: [canary('live blacklist')] } }),
        remark: remark('whale'),
        target_wallet: WHALE,
        linked_wallets: [canary('live linked')],
      },
      { ...task, remark: remark('gone'), target_wallet: canary('deleted target') },
      { ...task, remark: canary('live remark'), target_wallet: canary('unmanaged'), is_active: true },
      { ...task, remark: `on${canary('glued remark')}`, target_wallet: canary('glued remark') },
      {
        ...task,
        remark: `${shortCanary('foreign')} [git:other/x]`,
        target_wallet: canary('foreign target'),
      },
      { ...task, remark: `[git:co ${canary('damaged')}`, target_wallet: canary('damaged target') },
    ],
  };
}
