import { describe, expect, test } from 'vitest';
import { copyTrade, sniper, WALLETS } from '../../manifest/samples.ts';
import { compileFiles, placeOf, stateOf, taskOf, told } from './project.ts';

function book(name: string, ...wallets: readonly string[]): string {
  return `apiVersion: tradeform/v1
kind: WalletBook
metadata: { name: ${name} }
spec:
  wallets:
${wallets.map((wallet) => `    ${wallet}\n`).join('')}`;
}

const [ONE, TWO, THREE] = WALLETS;

describe('wallet books', () => {
  test('names work in every place of an address', () => {
    const files = {
      'manifests/book.yaml': book('all', `whale: ${ONE}`, `alt: { address: ${TWO}, note: the other one }`),
      'manifests/more.yaml': book('more', `trap: ${THREE}`),
      'manifests/task.yaml': copyTrade({
        name: 'follow',
        wallet: 'whale',
        spec: '  linked_wallets: [alt]\n',
        config: '    address_blacklist: { enabled: true, wallets: [trap] }\n',
      }),
    };
    const task = taskOf({ files }, 'follow');
    expect(task).toMatchObject({ target_wallet: ONE, linked_wallets: [TWO] });
    expect(task.config.address_blacklist).toEqual({ enabled: true, wallets: [THREE] });
    expect(stateOf({ files }).wallets).toEqual(
      new Map([
        ['whale', ONE],
        ['alt', TWO],
        ['trap', THREE],
      ]),
    );
    expect(placeOf(task, 'target_wallet')).toBe('manifests/task.yaml:7:18');
  });

  test('an unknown name has a suggestion', () => {
    const files = {
      'manifests/a.yaml': [book('all', `whale: ${ONE}`), sniper({ wallet: 'whael' })].join('---\n'),
    };
    expect(told(compileFiles({ files }).diagnostics)).toEqual([
      'unknown-wallet manifests/a.yaml:14:18 whael is neither a chain address nor a name from a WalletBook (did you mean whale?)',
    ]);
  });

  test('what is not an address stays a wrong address', () => {
    const files = { 'manifests/a.yaml': sniper({ wallet: `${ONE.slice(0, -1)}0` }) };
    expect(told(compileFiles({ files }).diagnostics)).toEqual([expect.stringMatching(/^invalid-address /)]);
  });

  test('a name in two books, and one address under two names', () => {
    const files = {
      'manifests/a.yaml': [
        book('all', `whale: ${ONE}`, `same: ${ONE}`),
        book('more', `whale: ${TWO}`),
        sniper({ wallet: 'whale' }),
      ].join('---\n'),
    };
    const { diagnostics } = compileFiles({ files });
    expect(told(diagnostics)).toEqual([
      expect.stringMatching(
        /^wallet-named-twice manifests\/a\.yaml:7:11 same and whale are the same address/,
      ),
      expect.stringMatching(
        /^duplicate-wallet manifests\/a\.yaml:14:12 .*the other one is at manifests\/a\.yaml:6/,
      ),
    ]);
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['warning', 'error']);
  });

  test('a book that refers to a name is wrong', () => {
    const files = {
      'manifests/a.yaml': [book('all', `whale: ${ONE}`, 'other: whale'), sniper()].join('---\n'),
    };
    expect(told(compileFiles({ files }).diagnostics)).toEqual([
      expect.stringMatching(/^invalid-address manifests\/a\.yaml:7:12 whale is not a chain address/),
    ]);
  });

  test('a wallet of the environment is secret in every place of its name', () => {
    const files = {
      'manifests/a.yaml': [book('all', 'whale: ${env.WHALE}'), sniper({ wallet: 'whale' })].join('---\n'),
    };
    const task = taskOf({ files, env: { WHALE: TWO } }, 'alpha');
    expect([task.target_wallet, task.secrets]).toEqual([TWO, ['target_wallet']]);
  });
});

test('a wrong wallet is reported only in its book', () => {
  const files = {
    'manifests/a.yaml': [
      book('all', 'whale: ${env.WHALE}', 'other: whale'),
      copyTrade({ name: 'one', wallet: 'whale' }),
      copyTrade({ name: 'two', wallet: 'other', spec: '  linked_wallets: [whale]\n' }),
    ].join('---\n'),
  };
  expect(compileFiles({ files }).diagnostics.map(({ code }) => code)).toEqual([
    'unknown-variable',
    'invalid-address',
  ]);
});

test('a list with a secret is secret as a whole, also if an item before it is left out', () => {
  const config = copyTrade();
  const body = config.slice(config.indexOf('  config:')).replace(/^/gm, '    ').trimEnd();
  const text = `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: many }
spec:
  for: copy-trade
  rows: [{ name: one, none: null, wallet: ${ONE} }]
  task:
    spec:
      state: active
      target_wallet: "\${row.wallet}"
      linked_wallets: ["\${row.none}", "\${env.LINKED}"]
${body}
`;
  const task = taskOf({ files: { 'manifests/a.yaml': text }, env: { LINKED: TWO } }, 'one');
  expect([task.linked_wallets, task.secrets]).toEqual([[TWO], ['linked_wallets']]);
});
