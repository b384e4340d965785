import type { JsonObject } from '../model/json.ts';
import type { Credential } from './authenticate.ts';
import type { Change } from './records.ts';
import type { ParsedRequest, SandboxEnv } from './request.ts';
import type { SandboxState } from './state.ts';

/** What an operation answers from, once the caller is known and allowed. */
export interface Context extends Credential {
  readonly state: SandboxState;
  readonly request: ParsedRequest;
  readonly env: SandboxEnv;
}

/** What an operation did, before it becomes an HTTP answer. */
export interface OperationOutcome {
  readonly status: number;
  /** `data` of the envelope; undefined for an answer without a body. */
  readonly data?: JsonObject | null;
  /** The same as JSON text, instead of `data`: pages are put together from texts that are kept. */
  readonly dataText?: string;
  /** Version for `ETag`. */
  readonly etag?: number;
  /** Single resources and deletes carry `X-Request-Id`, lists do not. */
  readonly single: boolean;
  /** A write: its envelope may tell persistence and propagation. */
  readonly written: boolean;
  readonly changes: readonly Change[];
}

export const NO_CHANGES: readonly Change[] = [];
