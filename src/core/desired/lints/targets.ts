import type { Manifest } from '../../manifest/manifest.ts';
import { parsePath } from '../../manifest/spans.ts';
import { byKey, madeOnce } from '../../model/by-key.ts';
import { canonicalJson } from '../../model/json.ts';
import { canonicalParts } from '../../model/parts.ts';
import { canonicalText } from '../../model/shape.ts';
import { walletsIn } from '../../model/wallets.ts';
import { CONFIG, ofFamily, where } from '../rules/rule.ts';
import type { LintInput, LintReport } from './lint.ts';
import known from './well-known.json' with { type: 'json' };

const TARGET = ['spec', 'target_wallet'];

/** The second of two active tasks that differ only in their names: both buy. */
export function taskTwice(input: LintInput, report: LintReport): void {
  const active = ofFamily(input, 'task').filter((manifest) => manifest.text('spec', 'state') === 'active');
  const alike = byKey(active, (manifest) => `${manifest.kindName} ${manifest.text(...TARGET)}`);
  for (const manifests of alike.values()) {
    const first = new Map<string, Manifest>();
    for (const manifest of manifests.length > 1 ? manifests : []) {
      const other = madeOnce(first, tradeOf(manifest), () => manifest);
      if (other === manifest) continue;
      report(
        { manifest, path: ['metadata', 'name'] },
        `${manifest.address} is equal to ${other.address} but for its name, and both are active: each of them buys`,
        `the other one is ${where(other, ['metadata', 'name'])}; remove one of them, or change what one of them does`,
        { manifest: other, path: ['metadata', 'name'] },
      );
    }
  }
}

function tradeOf(manifest: Manifest): string {
  const { kind } = manifest;
  if (kind?.family !== 'task') return '';
  return (
    canonicalText(kind.config, manifest.object(...CONFIG) ?? {}, true) +
    canonicalJson(canonicalParts(manifest.object('spec') ?? {}))
  );
}

/** A token or a program as the wallet to follow: most trades of the chain pass it, and nobody decides them. */
export function targetNotWallet(input: LintInput, report: LintReport): void {
  for (const manifest of ofFamily(input, 'task')) {
    for (const { wallet, path: at } of walletsIn(manifest.object('spec') ?? {})) {
      const path = ['spec', ...parsePath(at)];
      const what = WELL_KNOWN.get(wallet);
      if (what === undefined) continue;
      report(
        { manifest, path },
        `this is the address of ${what}, and no wallet`,
        'write the wallet of a trader',
      );
    }
  }
}

/** Mints and programs of Solana, and the programs of the DEXes that the interface names: only what public documents name. */
const WELL_KNOWN: ReadonlyMap<string, string> = new Map(Object.entries(known));
