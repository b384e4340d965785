import type { JsonObject } from '../../../model/json.ts';

/** A manifest that was written from the live state. */
export interface Exported {
  /** `sniper/whale-7`, `preset/sniper-base`, `wallet-book/wallets`. */
  readonly address: string;
  readonly manifest: JsonObject;
  /** Comment lines above it, for people: stored values that a manifest cannot express. */
  readonly notes: readonly string[];
  /** The id of the live resource. null for a resource that exists only in git. */
  readonly id: string | null;
  /** Differences between this manifest and the service, which are reported again when the manifest is written. */
  readonly altered: readonly string[];
}
