import type { Delivery } from './faults.ts';
import type { SandboxRequest } from './request.ts';

/** One request and its result. Contains no secret. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** `svc_live_…` of the credential, whether it was accepted or not. */
  readonly token_prefix: string | null;
  readonly if_match: string | null;
  readonly idempotency_key: string | null;
  /** null if no answer was sent. */
  readonly status: number | null;
  /** `error.code` of the answer. */
  readonly code: string | null;
  /** Types of the faults that struck. */
  readonly faults: readonly string[];
}

const LONGEST_LOG = 100_000;

/** The last requests, oldest first. */
export class RequestLog {
  #entries: LogEntry[] = [];

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  add(entry: LogEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * LONGEST_LOG) this.#entries = this.#entries.slice(-LONGEST_LOG);
  }

  clear(): void {
    this.#entries = [];
  }
}

export function logEntry(
  request: SandboxRequest,
  delivery: Delivery,
  faults: readonly string[],
  at: number,
): LogEntry {
  const header = (name: string) =>
    Object.entries(request.headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const response = delivery.type === 'answer' ? delivery.response : undefined;
  return {
    at,
    method: request.method,
    path: request.path,
    token_prefix: /svc_live_[a-f0-9]{8}/.exec(header('authorization') ?? '')?.[0] ?? null,
    if_match: header('if-match') ?? null,
    idempotency_key: header('idempotency-key') ?? null,
    status: response?.status ?? null,
    code: response === undefined || response.status < 400 ? null : codeOf(response.body),
    faults,
  };
}

function codeOf(body: string): string | null {
  return /"code":"([a-z_]+)"/.exec(body)?.[1] ?? null;
}
