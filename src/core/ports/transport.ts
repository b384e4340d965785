/** One HTTP exchange without retries. The API client uses it over real HTTP or in process. */
export interface Transport<More extends string = never> {
  /** Resolves with any complete answer, whatever its status. Rejects with a {@link TransportError} without a complete answer. */
  send(request: HttpRequest<More>): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Those of the service. Other hosts have more. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface HttpRequest<More extends string = never> {
  readonly method: Method | More;
  /** The path below the base URL, with the query: `/sniper/configs?limit=100`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * There is no usable answer. `unsent`: the request certainly never reached the service (refused connection, unknown host, TLS).
 * `lost`: it may have been carried out (timeout, reset, truncated or oversized answer).
 */
export class TransportError extends Error {
  readonly remedy: Remedy | undefined;

  constructor(
    readonly outcome: 'unsent' | 'lost',
    /** For people. Contains neither the token nor URL credentials. */
    readonly detail: string,
    remedy?: Remedy,
  ) {
    super(detail);
    this.name = 'TransportError';
    this.remedy = remedy;
  }
}

/** What to do about a connection that cannot be made. */
export interface Remedy {
  readonly code: 'tls-failed' | 'service-unreachable';
  readonly hint: string;
}

/** The proxy that connections go through, and the hosts that need none. */
export interface HttpProxy {
  /** May contain the proxy’s password. */
  readonly url: string;
  /** As in NO_PROXY. */
  readonly except: string;
}
