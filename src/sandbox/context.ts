import type { JsonObject } from '../model/json.ts';
import type { Credential } from './authenticate.ts';
import type { Change } from './records.ts';
import type { ParsedRequest, SandboxEnv } from './request.ts';
import type { SandboxState } from './state.ts';

/** The input of an operation, once the caller is known and authorized. */
export interface Context extends Credential {
  readonly state: SandboxState;
  readonly request: ParsedRequest;
  readonly env: SandboxEnv;
}

/** The result of an operation, before it becomes an HTTP answer. */
export interface OperationOutcome {
  readonly status: number;
  /** `data` of the envelope. Undefined for an answer without a body. */
  readonly data?: JsonObject | null;
  /** The same as JSON text, instead of `data`: pages are assembled from cached texts. */
  readonly dataText?: string;
  /** The version for `ETag`. */
  readonly etag?: number;
  /** Answers about single resources and deletes carry `X-Request-Id`, lists do not. */
  readonly single: boolean;
  /** True for a write: its envelope may report persistence and propagation. */
  readonly written: boolean;
  readonly changes: readonly Change[];
}

export const NO_CHANGES: readonly Change[] = [];
