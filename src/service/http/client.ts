import type { Answer, Api, NoAnswer, Outcome, WriteRequest } from '../../ports/api.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { type Progress, SILENT } from '../../ports/output.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from '../../ports/transport.ts';
import { Masking } from '../../render/masking/masking.ts';
import { backoff, parseRetryAfter, type WaitLimits } from '../limits/backoff.ts';
import { AdaptiveLimiter, type LimiterPass } from '../limits/limiter.ts';
import { parseAnswer, parseDate } from './answer.ts';
import { decide, type Retry } from './retry.ts';

interface ApiOptions {
  readonly transport: Transport;
  /** The whole token; it is only used in the `Authorization` header. */
  readonly token: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
  /** Learns the token, and hides secrets of this run in messages of the service; default: hides only the token. */
  readonly masking?: Masking;
  readonly progress?: Progress;
  /** Requests pass it one by one; callers take slots from it. */
  readonly limiter?: AdaptiveLimiter;
  readonly limits?: Partial<ApiLimits>;
}

export interface ApiLimits {
  /** Milliseconds from the call after which no further attempt starts; the transport bounds the last one. */
  readonly deadline: number;
  /** The most attempts, by the cause of the failures. */
  readonly attempts: Readonly<Record<Retry, number>>;
  readonly wait: WaitLimits;
}

const API_LIMITS: ApiLimits = {
  deadline: 180_000,
  attempts: { throttled: 20, failed: 5, unreadable: 3 },
  wait: { first: 250, most: 8_000, mostAsked: 60_000 },
};

/** The {@link Api} over any transport: headers, answer parsing, retries, and one shared pause when the service throttles. */
export function createApi(options: ApiOptions): Api {
  const { transport, token, clock, random } = options;
  const progress = options.progress ?? SILENT;
  const limiter = options.limiter ?? new AdaptiveLimiter({ most: Number.POSITIVE_INFINITY, clock, random });
  const limits: ApiLimits = { ...API_LIMITS, ...options.limits };
  const masking = options.masking ?? new Masking();
  masking.learnToken(token);
  // Values that are learned later are hidden too.
  const hide = (text: string) => masking.said(text);
  const common = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'user-agent': options.userAgent,
  };

  const askedBy = ({ 'retry-after': after, date }: HttpResponse['headers']) =>
    after === undefined
      ? undefined
      : parseRetryAfter(after, parseDate(date), clock.now(), Number.POSITIVE_INFINITY);

  let ownIds = true;

  const answerTo = async (request: HttpRequest) => {
    try {
      const response = await transport.send(request);
      const parsed = parseAnswer(request.method, response, hide);
      const replayed = parsed.type === 'ok' && parsed.replayed === true;
      // A gateway may give every answer an id of its own, which proves nothing.
      if (replayed && request.method === 'GET') ownIds = false;
      const told = replayed && !ownIds ? withoutReplay(parsed) : parsed;
      const verdict = decide(request.method, response.status, told);
      return { ...verdict, answered: true, asked: askedBy(response.headers) };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const outcome: NoAnswer = { type: error.outcome, detail: hide(error.detail), requestId: undefined };
      return { ...decide(request.method, undefined, outcome), answered: false, asked: undefined };
    }
  };

  /** One attempt, and the wait before the next. */
  const attempt = async (request: HttpRequest, pass: LimiterPass, failures: Record<Retry, number>) => {
    try {
      const { answered, asked, ...verdict } = await answerTo(request);
      const { retry = 'failed', throttled } = verdict;
      failures[retry] += 1;
      const wait = Math.max(
        Math.min(asked ?? 0, limits.wait.mostAsked),
        backoff(failures[retry], limits.wait, random()),
      );
      // A throttled request makes the others wait, even if it is not sent again.
      if (throttled && pass.throttled(wait)) {
        progress.emit({ type: 'waiting', reason: 'the service asked to slow down', ms: wait });
      }
      if (answered && !throttled) pass.answered();
      return { ...verdict, wait, asked: asked ?? 0 };
    } finally {
      pass.leave();
    }
  };

  const exchange = async (request: HttpRequest, urgent: boolean): Promise<Outcome> => {
    const deadline = clock.now() + limits.deadline;
    const failures: Record<Retry, number> = { throttled: 0, failed: 0, unreadable: 0 };
    let outcome: Outcome = {
      type: 'unsent',
      detail: 'the service asked to wait longer than a request may take',
      requestId: undefined,
    };
    let repeated = false;
    for (;;) {
      const pass = await limiter.pass(urgent, deadline);
      if (pass === undefined) return outcome;
      const { retry, throttled, wait, asked, ...result } = await attempt(request, pass, failures);
      repeated ||= retry === 'throttled' && request.method !== 'GET';
      outcome = repeated ? asRepeated(result.outcome) : result.outcome;
      if (retry === undefined || failures[retry] >= limits.attempts[retry]) return outcome;
      // A write is tried as long as it may take, because a task may be paused for it.
      if (request.method === 'GET' && asked > limits.deadline)
        return endedBy(outcome, tooLate(asked, limits));
      if (clock.now() + wait > deadline)
        return endedBy(outcome, `no answer within ${limits.deadline / 1_000} s`);
      if (!throttled) await clock.sleep(wait);
    }
  };

  return {
    get: (path, urgent = false) => exchange({ method: 'GET', path, headers: common }, urgent),
    write: (request) => exchange(writeRequest(request, common), request.urgent === true),
  };
}

function tooLate(asked: number, { deadline }: ApiLimits): string {
  const [wanted, most] = [asked, deadline].map((ms) => `${Math.ceil(ms / 1_000)} s`);
  return `the service asked to wait ${wanted}, and a request may take ${most}`;
}

/** The outcome, and which bound ended the attempts. */
function endedBy(outcome: Outcome, bound: string): Outcome {
  const said = `tradeform gave up: ${bound}`;
  if (outcome.type === 'error') return { ...outcome, message: `${outcome.message} (${said})` };
  return 'detail' in outcome ? { ...outcome, detail: `${outcome.detail} (${said})` } : outcome;
}

function withoutReplay({ replayed: _, ...answer }: Answer): Answer {
  return answer;
}

/** The outcome of a write after a throttled attempt, which may have been carried out: it is never "not carried out". */
function asRepeated(outcome: Outcome): Outcome {
  if (outcome.type === 'unsent') return { ...outcome, type: 'lost', repeated: true };
  return { ...outcome, repeated: true };
}

function writeRequest(request: WriteRequest, common: Readonly<Record<string, string>>): HttpRequest {
  const { method, path, body, ifMatch, idempotencyKey } = request;
  return {
    method,
    path,
    headers: {
      ...common,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'if-match': `"v${ifMatch}"` }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}
