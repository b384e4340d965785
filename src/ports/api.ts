import type { JsonObject } from '../model/json.ts';

/** The service as the reader and the executor see it: retries, deadlines and answer parsing are below this line. */
export interface Api {
  /**
   * A GET of one resource or page. `429`, `503`, `500`, lost and unreadable answers are retried within the deadline;
   * what is left is an `error`, `unsent` or `lost` outcome, never an empty result. `urgent` as in {@link WriteRequest}.
   */
  get(path: string, urgent?: boolean): Promise<Outcome>;
  /**
   * One write. `429` and `503` with an error body of the service are retried after `Retry-After`; requests that were
   * certainly not sent are retried too. Anything ambiguous comes back as `lost` and is never repeated here. A throttle
   * does not prove that nothing was done: the outcome is marked as `repeated`, and is never `unsent` after one.
   */
  write(request: WriteRequest): Promise<Outcome>;
}

export interface WriteRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject;
  /** Version for `If-Match`, sent as `"v<version>"`. */
  readonly ifMatch?: number;
  readonly idempotencyKey?: string;
  /** Goes before the others wherever requests have to wait: a task stands still until it is answered. */
  readonly urgent?: boolean;
}

export type Outcome = Answer | Refusal | NoAnswer;

interface Attempted {
  /**
   * Of a write: it was sent and throttled, so that it was sent again, or this is the throttle itself. The throttled sending
   * may have been carried out all the same (by the service, behind a gateway): a refusal is then no proof that it was not.
   */
  readonly repeated?: true;
}

export interface Answer extends Attempted {
  readonly type: 'ok';
  readonly status: number;
  /** `data` of the envelope; null for an empty body (`204`). */
  readonly data: JsonObject | null;
  /** From `ETag`, when it has the documented form, a weakened tag included. */
  readonly version: number | undefined;
  readonly requestId: string | undefined;
  /** The answer's `Date` header in milliseconds since the epoch. */
  readonly date: number | undefined;
  /** The body names another request than `X-Request-Id`, although answers to reads do not: it is that of an earlier answer. */
  readonly replayed?: true;
}

/** The service said no: branch on `code` alone (interface, "Errors"). */
export interface Refusal extends Attempted {
  readonly type: 'error';
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fields: readonly { readonly path: string; readonly reason: string }[];
  readonly requestId: string | undefined;
}

export interface NoAnswer extends Attempted {
  /** `unsent`: certainly not carried out. `lost`: unknown. */
  readonly type: 'unsent' | 'lost';
  readonly detail: string;
  readonly requestId: string | undefined;
}
