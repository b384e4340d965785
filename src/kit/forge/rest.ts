import { forgeError } from '../../core/command/event.ts';
import { parseJson, valueAt } from '../../core/model/json.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import {
  type HttpProxy,
  type HttpResponse,
  type Method as ServiceMethod,
  TransportError,
} from '../../core/ports/transport.ts';
import type { Masking } from '../../core/render/masking/masking.ts';
import { createHttpTransport } from '../../core/service/http/transport.ts';
import { backoff, parseRetryAfter } from '../../core/service/limits/backoff.ts';

/** What every adapter needs from its surroundings. */
export interface Surroundings {
  /** Hides secrets in what is written. */
  readonly masking: Masking;
  readonly clock: Clock;
  readonly random: Random;
  readonly proxy?: HttpProxy | undefined;
}

interface RestOptions extends Surroundings {
  /** The forge, for messages. */
  readonly name: string;
  /** From a variable that the CI itself sets, never from the repository: the token is sent there. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What to check if the token may not do something. */
  readonly rights: string;
}

type Method = ServiceMethod | 'PUT';

/** The REST API of a forge. Fails with exit 1, `forge-error`. */
export interface Rest {
  /** All pages of a list, or at most the first `most`. */
  list(path: string, most?: number): Promise<readonly unknown[]>;
  /** The answer; undefined without a body. That to a POST may be lost (`untilAnswered`), unless it may be sent again. */
  send(method: Method, path: string, body?: object, repeatable?: boolean): Promise<unknown>;
  close(): Promise<void>;
}

/** A write without an answer, or with a server error. Read the result before sending it again. */
class LostAnswer extends Error {}

const TRIES = 4;

/** Runs the work again from its first read if the answer to its write is lost, because the write may have succeeded. */
export async function untilAnswered<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
      if (attempt === TRIES) throw forgeError(error.message);
    }
  }
}

const ATTEMPTS = 5;
const WAITS = { first: 1_000, most: 20_000, mostAsked: 90_000 };
/** With 100 entries each. */
const MOST_PAGES = 100;

/** Sends nothing yet. Fails for a base URL that cannot be used. */
export function openRest(options: RestOptions): Rest {
  const { name, clock, random, headers, masking } = options;
  const transport = transportTo(options);
  const exchange = async (
    ...[method, path, body, repeatable = method !== 'POST']: Parameters<Rest['send']>
  ): Promise<HttpResponse> => {
    const json = body && { body: JSON.stringify(masking.document(body)) };
    const type = body && { 'content-type': 'application/json' };
    for (let attempt = 1; ; attempt += 1) {
      const came = await transport
        .send({ method, path, headers: { ...headers, ...type }, ...json })
        .catch(failureOf);
      if ('status' in came && (came.status < 300 || (came.status === 404 && method === 'DELETE')))
        return came;
      const { said, wait, again, lost, hint } = judge(came, `${method} ${path.split('?')[0]}`, options);
      if (lost && !repeatable) throw new LostAnswer(said);
      if (!again || attempt === ATTEMPTS || wait > WAITS.mostAsked) throw forgeError(said, hint);
      await clock.sleep(Math.max(wait, backoff(attempt, WAITS, random())));
    }
  };
  const json = ({ body }: HttpResponse): unknown => {
    const value = parseJson(body);
    if (body !== '' && value === undefined) throw forgeError(`the answer of ${name} is not JSON`);
    return value;
  };
  return {
    async list(path, most = MOST_PAGES) {
      const items: unknown[] = [];
      let next: string | undefined = path;
      for (let page = 0; next !== undefined && page < most; page += 1) {
        const response: HttpResponse = await exchange('GET', next);
        const entries = json(response);
        if (!Array.isArray(entries)) throw forgeError(`${name} answered GET ${path} without a list`);
        items.push(...(entries as unknown[]));
        next = nextPage(response.headers, next);
      }
      if (next !== undefined && most === MOST_PAGES)
        throw forgeError(`${name} has more than ${MOST_PAGES} pages of ${path}`);
      return items;
    },
    send: async (...request) => json(await exchange(...request)),
    close: () => transport.close(),
  };
}

function transportTo({ name, baseUrl, proxy }: RestOptions) {
  try {
    return createHttpTransport({ baseUrl, concurrency: 2, proxy });
  } catch (error) {
    throw forgeError(`the API of ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function failureOf(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  throw error;
}

/** An answer that is none: whether the same request may get another one, after how many milliseconds, and whether it may be done. */
function judge(came: HttpResponse | TransportError, request: string, { name, clock, rights }: RestOptions) {
  if (came instanceof TransportError)
    return {
      said: `${name} cannot be reached: ${request}: ${came.detail}`,
      wait: 0,
      again: true,
      lost: came.outcome === 'lost',
      hint: came.remedy?.hint,
    };
  const { status, body } = came;
  // Perhaps the page of a gateway.
  const message = valueAt(parseJson(body), 'message');
  const text = typeof message === 'string' ? `: ${message.slice(0, 300)}` : '';
  const throttled = throttledFor(came, clock.now());
  return {
    said: `${name} answered ${request} with ${status}${text}`,
    wait: throttled ?? 0,
    again: throttled !== undefined || status >= 500,
    lost: throttled === undefined && status >= 500,
    hint: throttled === undefined && [401, 403, 404].includes(status) ? rights : undefined,
  };
}

/** Milliseconds that a rate limit requires. Undefined for any other answer. */
function throttledFor({ status, headers, body }: HttpResponse, now: number): number | undefined {
  if (status !== 429 && status !== 403) return undefined;
  const answered = Date.parse(headers.date ?? '') || undefined;
  const asked = parseRetryAfter(headers['retry-after'], answered, now);
  if (asked !== undefined) return asked;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && reset > 0) return Math.max(0, reset * 1_000 - now);
  // GitHub's documentation says to wait a minute if the answer names no time.
  return status === 429 || /secondary rate limit/i.test(body) ? 60_000 : undefined;
}

/** The next page of the path: GitLab names its number, the others its URL, of which only the query counts. */
function nextPage(
  { link = '', 'x-next-page': page }: HttpResponse['headers'],
  path: string,
): string | undefined {
  if (page !== undefined)
    return page === '' ? undefined : `${path.replace(/&page=\d+$/, '')}&page=${Number(page)}`;
  const query = /<[^>?]*(\?[^>]*)>\s*;[^,]*\brel="next"/.exec(link)?.[1];
  return query === undefined ? undefined : `${path.split('?')[0]}${query}`;
}
