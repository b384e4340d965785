import type { JsonObject } from '../../model/json.ts';

/** A manifest that was written from the live state. */
export interface Exported {
  /** `sniper/whale-7`, `preset/sniper-base`, `wallet-book/wallets`. */
  readonly address: string;
  readonly manifest: JsonObject;
  /** Lines above it, for people: what could not be said as it is stored. */
  readonly notes: readonly string[];
  /** Of the live resource; null for what exists in git alone. */
  readonly id: string | null;
  /** What this manifest says otherwise than the service: told once more when it is written. */
  readonly altered: readonly string[];
}
