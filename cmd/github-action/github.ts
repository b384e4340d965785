import type { Clock, Random } from '../../src/ports/clock.ts';
import { type HttpResponse, type Method, type Transport, TransportError } from '../../src/ports/transport.ts';
import type { Masking } from '../../src/render/masking/masking.ts';
import { backoff, parseRetryAfter } from '../../src/service/limits/backoff.ts';
import { ActionFailure } from './failure.ts';

export interface GitHub {
  get(path: string): Promise<unknown>;
  /** All pages of a list, or at most the first `most`. */
  list(path: string, most?: number): Promise<readonly unknown[]>;
  /** Call it in {@link untilAnswered}: after a lost answer the request may or may not have been carried out. */
  post(path: string, body: object): Promise<unknown>;
  patch(path: string, body: object): Promise<unknown>;
  delete(path: string): Promise<void>;
  /** The login of this token: `github-actions[bot]` for the token of a workflow. */
  viewer(): Promise<string>;
  close(): Promise<void>;
}

interface GitHubOptions {
  /** The REST API at this base URL. */
  readonly baseUrl: string;
  readonly rest: Transport;
  /** The GraphQL endpoint. Only this endpoint tells the login of an app's token. */
  readonly graphql: Transport;
  readonly token: string;
  /** Hides secrets in comments and issues. */
  readonly masking: Masking;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
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
      if (attempt === TRIES) throw new ActionFailure(1, error.message);
    }
  }
}

const ATTEMPTS = 5;
const WAITS = { first: 1_000, most: 20_000, mostAsked: 90_000 };
/** With 100 entries each. */
const MOST_PAGES = 100;

export function openGitHub(options: GitHubOptions): GitHub {
  const ask = (method: Method, path: string, body?: object) =>
    exchange(options, options.rest, { method, path, body });
  let viewer: Promise<string> | undefined;
  return {
    get: async (path) => json(await ask('GET', path)),
    async list(path, most = Number.POSITIVE_INFINITY) {
      const items: unknown[] = [];
      let next: string | undefined = path;
      for (let page = 0; next !== undefined && page < most; page += 1) {
        if (page === MOST_PAGES)
          throw new ActionFailure(1, `GitHub has more than ${MOST_PAGES} pages of ${path}`);
        const response: HttpResponse = await ask('GET', next);
        const entries = json(response);
        if (!Array.isArray(entries)) throw new ActionFailure(1, `GitHub answered GET ${path} without a list`);
        items.push(...(entries as unknown[]));
        next = nextPage(response.headers.link, options.baseUrl);
      }
      return items;
    },
    post: async (path, body) => json(await ask('POST', path, body)),
    patch: async (path, body) => json(await ask('PATCH', path, body)),
    async delete(path) {
      await ask('DELETE', path);
    },
    viewer() {
      viewer ??= whose(options);
      return viewer;
    },
    async close() {
      await Promise.all([options.rest.close(), options.graphql.close()]);
    },
  };
}

async function whose(options: GitHubOptions): Promise<string> {
  const query = { query: 'query { viewer { login } }' };
  const request = { method: 'POST', path: '', body: query, repeatable: true } as const;
  const answer = json(await exchange(options, options.graphql, request));
  const login = (answer as { data?: { viewer?: { login?: unknown } } | null }).data?.viewer?.login;
  if (typeof login !== 'string' || login === '') {
    throw new ActionFailure(1, 'GitHub does not say who owns github-token, so comments cannot be told apart');
  }
  return login;
}

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly body?: object | undefined;
  /** May be sent again, whatever happened to it. */
  readonly repeatable?: boolean;
}

/** One request. Retried a limited number of times while GitHub throttles or fails. */
async function exchange(
  options: GitHubOptions,
  transport: Transport,
  request: Request,
): Promise<HttpResponse> {
  const { token, masking, userAgent, clock, random } = options;
  const { method, path, body, repeatable = method !== 'POST' } = request;
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === ATTEMPTS;
    let wait = backoff(attempt, WAITS, random());
    try {
      const response = await transport.send({
        method,
        path,
        headers: {
          accept: 'application/vnd.github+json',
          authorization: `Bearer ${token}`,
          'user-agent': userAgent,
          'x-github-api-version': '2022-11-28',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(masking.document(body)) }),
      });
      if (response.status < 300) return response;
      const throttled = throttledFor(response, clock.now());
      if (throttled === undefined && response.status < 500) throw refused(request, response);
      if (throttled === undefined && !repeatable) throw new LostAnswer(words(request, response));
      if (last || (throttled ?? 0) > WAITS.mostAsked) throw new ActionFailure(1, words(request, response));
      wait = Math.max(wait, throttled ?? 0);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const text = `${method} ${path}: ${error.detail}`;
      if (error.outcome === 'lost' && !repeatable) throw new LostAnswer(text);
      if (last) throw new ActionFailure(1, `GitHub cannot be reached: ${text}`);
    }
    await clock.sleep(wait);
  }
}

/** Milliseconds that a rate limit requires. Undefined for any other answer. */
function throttledFor({ status, headers, body }: HttpResponse, now: number): number | undefined {
  if (status !== 429 && status !== 403) return undefined;
  const asked = parseRetryAfter(
    headers['retry-after'],
    Date.parse(headers.date ?? '') || undefined,
    now,
    Infinity,
  );
  if (asked !== undefined) return asked;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && reset > 0) return Math.max(0, reset * 1_000 - now);
  // GitHub's documentation says to wait a minute if the answer names no time.
  return status === 429 || /secondary rate limit/i.test(body) ? 60_000 : undefined;
}

function refused(request: Request, response: HttpResponse): ActionFailure {
  const missing = response.status === 403 || response.status === 404 || response.status === 401;
  return new ActionFailure(
    1,
    words(request, response),
    missing
      ? 'Check `permissions:` of the job: comments need pull-requests: write, drift needs issues: write, apply needs statuses: write and at least pull-requests: read.'
      : undefined,
  );
}

function words({ method, path }: Request, { status, body }: HttpResponse): string {
  let message: unknown;
  try {
    message = (JSON.parse(body) as { message?: unknown } | null)?.message;
  } catch {
    // The page of a gateway.
  }
  const said = typeof message === 'string' ? `: ${message.slice(0, 300)}` : '';
  return `GitHub answered ${method} ${path.split('?')[0]} with ${status}${said}`;
}

function json({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ActionFailure(1, 'the answer of GitHub is not JSON');
  }
}

/** The path of `rel="next"`, below the same base URL. */
function nextPage(link: string | undefined, baseUrl: string): string | undefined {
  const url = /<([^>]*)>\s*;[^,]*\brel="next"/.exec(link ?? '')?.[1];
  if (url === undefined) return undefined;
  if (!url.startsWith(`${baseUrl}/`))
    throw new ActionFailure(1, 'GitHub names a next page at an unexpected address');
  return url.slice(baseUrl.length);
}
