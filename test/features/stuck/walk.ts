import { copyTrade, sniper, WALLETS } from '../../manifest/samples.ts';
import type { ProjectSource } from '../project-run.ts';
import type { Desk } from './desk.ts';

/** One documented way out of one state, walked. */
export interface Walk {
  /** What the service is before; an empty account when absent. */
  readonly before?: ProjectSource;
  /** Gets into the state, sees the words of the page, and takes the way out, step by step as the page writes it. */
  readonly go: (desk: Desk) => Promise<void>;
  /** Every task on the service afterwards, by whose marker it has: `core/alpha runs`, `unmanaged paused`. */
  readonly ends: readonly string[];
}

/** Walks by the row of the page that they are of; each row has one or more. */
export type Walks = Readonly<Record<string, readonly Walk[]>>;

/** Two sniper tasks that run, and a copy-trade task that does not. */
export const ALPHA = sniper({ spec: '  remark: Early\n' });
export const BETA = sniper({ name: 'beta', wallet: WALLETS[1], spec: '  remark: Beta\n' });
export const WHALE = copyTrade({ wallet: WALLETS[2], spec: '  remark: Whale\n' });

/** The same task with a larger buy: a change that pauses it. */
export function dearer(manifest: string): string {
  return manifest.replace('buy_amount: 0.5', 'buy_amount: 0.6');
}

/** The same task, by `metadata.id`. */
export function withId(manifest: string, id: string): string {
  return manifest.replace('metadata:\n', `metadata:\n  id: ${id}\n`);
}

/** An account with room for so many tasks. */
export function room(max: number): ProjectSource {
  return { seed: { accounts: [{ quota: { max } }] } };
}
