import type { JsonObject } from '../model/json.ts';
import type { Remedy } from './transport.ts';

/** The service as the reader and the executor see it. Retries, deadlines and answer parsing happen below this interface. */
export interface Api {
  /**
   * A GET of one resource or page. `429`, `503`, `500`, lost and unreadable answers are retried within the deadline. The
   * remaining failures become `error`, `unsent` or `lost` outcomes, never an empty result. `urgent` as in {@link WriteRequest}.
   */
  get(path: string, urgent?: boolean): Promise<ReadOutcome>;
  /**
   * One write. `429` and `503` with an error body of the service are retried after `Retry-After`, and so are requests that were
   * certainly not sent. An ambiguous outcome is returned as `lost` and is never repeated here. A throttle does not prove that
   * nothing was done: after one, the outcome is marked as `repeated` and is never `unsent`.
   */
  write(request: WriteRequest): Promise<Outcome>;
}

export interface WriteRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject;
  /** The version for `If-Match`, sent as `"v<version>"`. */
  readonly ifMatch?: number;
  readonly idempotencyKey?: string;
  /** Overtakes other requests that wait, because a task is paused until the answer arrives. */
  readonly urgent?: boolean;
  /** If the service asks to slow down, only this request waits. */
  readonly alone?: boolean;
  /** Whether the request may still be sent: asked right before each attempt. */
  readonly veto?: Veto | undefined;
}

/** Something that forbids a request, and can begin while the request waits. */
export interface Veto {
  /** The last look is recent, and found nothing. */
  isFresh(): boolean;
  /** Looks again. The outcome takes the place of an answer; undefined if the request may be sent. */
  look(): Promise<Vetoed | NoAnswer | undefined>;
}

export type ReadOutcome = Answer | Refusal | NoAnswer;

export type Outcome = ReadOutcome | Vetoed;

interface Attempted {
  /**
   * Only for a write: it was throttled and sent again, or this is the throttle itself. The throttled request may have been
   * carried out all the same (by the service, behind a gateway), so a refusal does not prove the opposite.
   */
  readonly repeated?: true;
}

export interface Answer extends Attempted {
  readonly type: 'ok';
  readonly status: number;
  /** `data` of the envelope. null for an empty body (`204`). */
  readonly data: JsonObject | null;
  /** The version in `ETag`, if it has the documented form. A weak tag counts as well. */
  readonly version: number | undefined;
  readonly requestId: string | undefined;
  /** The answer's `Date` header in milliseconds since the epoch. */
  readonly date: number | undefined;
  /**
   * The body names a different request than `X-Request-Id`. Answers to reads never do, so this is the replay of an earlier
   * answer.
   */
  readonly replayed?: true;
}

/** The service refused the request. Branch only on `code` (interface, "Errors"). */
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
  readonly remedy?: Remedy | undefined;
  /** Of an answer that was not in the service's form. */
  readonly status?: number;
  readonly requestId: string | undefined;
}

/** This request was not sent: a {@link Veto}. */
export interface Vetoed extends Attempted {
  readonly type: 'vetoed';
  /** `frozen`, or why that could not be found out. */
  readonly code: string;
  readonly message: string;
  readonly requestId?: undefined;
}
