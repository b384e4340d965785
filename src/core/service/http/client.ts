import type { Answer, Api, NoAnswer, Outcome, ReadOutcome, Refusal, WriteRequest } from '../../ports/api.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Progress } from '../../ports/output.ts';
import { type HttpRequest, type Method, type Transport, TransportError } from '../../ports/transport.ts';
import { Masking } from '../../render/masking/masking.ts';
import { backoff, parseRetryAfter, type WaitLimits } from '../limits/backoff.ts';
import { AdaptiveLimiter, type LimiterPass } from '../limits/limiter.ts';
import { type Parsed, parseAnswer, parseDate } from './answer.ts';

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
  const { transport, token, clock, random, userAgent, progress, masking = new Masking() } = options;
  const limiter = options.limiter ?? new AdaptiveLimiter({ most: Number.POSITIVE_INFINITY, clock, random });
  const limits: ApiLimits = { ...API_LIMITS, ...options.limits };
  const headers = { accept: 'application/json', authorization: `Bearer ${token}`, 'user-agent': userAgent };
  /** False after an answer that seems to be a replay and cannot be one: ids of answers prove nothing then. */
  let ownIds = true;
  masking.learnToken(token);

  /** The loop of retries, in one piece: what a request waits for, and when it is sent again. */
  function exchange(request: HttpRequest, how: Pick<Sending, 'urgent'>): Promise<ReadOutcome>;
  function exchange(request: HttpRequest, how: Sending): Promise<Outcome>;
  async function exchange(request: HttpRequest, how: Sending): Promise<Outcome> {
    const { urgent = false, alone = false, veto } = how;
    const deadline = clock.now() + limits.deadline;
    const failures: Record<Retry, number> = { throttled: 0, failed: 0, unreadable: 0 };
    let outcome: Outcome = {
      type: 'unsent',
      detail: 'the service asked to wait longer than a request may take',
      requestId: undefined,
    };
    let repeated = false;
    const asSent = (one: Outcome) => (repeated ? asRepeated(one) : one);
    let looks = 0;
    for (;;) {
      const pass = await limiter.pass(urgent, deadline);
      if (pass === undefined) return outcome;
      if (veto?.isFresh() === false && looks < MOST_LOOKS) {
        pass.leave();
        looks += 1;
        const refused = await veto.look();
        if (refused !== undefined) return asSent(refused);
        continue;
      }
      looks = 0;
      const { retry, throttled, isLast, wait, asked, ...result } = await attempt(
        request,
        pass,
        failures,
        alone,
      );
      repeated ||= retry === 'throttled' && request.method !== 'GET';
      outcome = asSent(result.outcome);
      if (isLast) return outcome;
      // A write is tried as long as it may take, because a task may be paused for it.
      const isLate = request.method === 'GET' && asked > limits.deadline;
      if (isLate || clock.now() + wait > deadline)
        return endedBy(
          outcome,
          isLate ? tooLate(asked, limits) : `no answer within ${limits.deadline / 1_000} s`,
        );
      if (!throttled || alone) await clock.sleep(wait);
    }
  }

  async function attempt(
    request: HttpRequest,
    pass: LimiterPass,
    failures: Record<Retry, number>,
    alone: boolean,
  ) {
    try {
      const { answered, asked, ...verdict } = await answerTo(request);
      const { retry = 'failed', throttled } = verdict;
      failures[retry] += 1;
      const pause = backoff(failures[retry], limits.wait, random());
      const wait = Math.max(Math.min(asked, limits.wait.mostAsked), pause);
      // A throttled request makes the others wait, even if it is not sent again.
      if (throttled && !alone && pass.throttled(wait)) {
        const reason = 'the service asked to slow down';
        progress?.emit({ type: 'waiting', reason, ms: wait });
      }
      if (answered && !throttled) pass.answered();
      const isLast = verdict.retry === undefined || failures[retry] >= limits.attempts[retry];
      return { ...verdict, isLast, wait, asked };
    } finally {
      pass.leave();
    }
  }

  /** `asked`: how many milliseconds the service asks to wait. */
  async function answerTo(request: HttpRequest) {
    // Values that are learned later are hidden too.
    const hide = (text: string) => masking.said(text);
    try {
      const response = await transport.send(request);
      const parsed = parseAnswer(request.method, response, hide);
      const replayed = parsed.type === 'ok' && parsed.replayed === true;
      // A gateway may give every answer an id of its own, which proves nothing.
      if (replayed && request.method === 'GET') ownIds = false;
      const told = replayed && !ownIds ? withoutReplay(parsed) : parsed;
      const verdict = decide(request.method, response.status, told);
      const { 'retry-after': after, date } = response.headers;
      const asked = parseRetryAfter(after, parseDate(date), clock.now()) ?? 0;
      return { ...verdict, answered: true, asked };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const { outcome: type, detail, remedy } = error;
      const outcome: NoAnswer = { type, detail: hide(detail), remedy, requestId: undefined };
      return { ...decide(request.method, undefined, outcome), answered: false, asked: 0 };
    }
  }

  return {
    get: (path, urgent = false) => exchange({ method: 'GET', path, headers }, { urgent }),
    write: (request) => exchange(writeRequest(request, headers), request),
  };
}

/** Where each look takes longer than it counts, the last one decides. */
const MOST_LOOKS = 3;

type Sending = Pick<WriteRequest, 'urgent' | 'alone' | 'veto'>;

function tooLate(asked: number, { deadline }: ApiLimits): string {
  const [wanted, most] = [asked, deadline].map((ms) => `${Math.ceil(ms / 1_000)} s`);
  return `the service asked to wait ${wanted}, and a request may take ${most}`;
}

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

/** Why an attempt may be repeated; each has its own count. */
type Retry = 'throttled' | 'failed' | 'unreadable';

interface AttemptVerdict {
  readonly outcome: Outcome;
  /** Undefined: the outcome is final. */
  readonly retry: Retry | undefined;
  /** The service asked everybody to slow down. */
  readonly throttled: boolean;
}

/** Codes that are a final refusal, whatever their status is: most statuses are not documented. */
const REFUSALS: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_api_token',
  'insufficient_scope',
  'ip_not_allowed',
  'validation_error',
  'not_found',
  'target_already_exists',
  'template_name_exists',
  'label_name_exists',
  'quota_exceeded',
  'config_must_be_paused',
  'version_conflict',
  'idempotency_required',
  'idempotency_conflict',
]);

const GATEWAY: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/**
 * What an attempt's result means for its request (DESIGN 7). Branches on `error.code`; the status counts only where the
 * code is unknown or missing.
 *
 * | result                                          | read            | write             |
 * |-------------------------------------------------|-----------------|-------------------|
 * | success, and any other refusal                  | stands          | stands            |
 * | rate limit, unavailable: the service's own body | again           | again             |
 * | internal error, other 5xx with an error body    | again           | lost              |
 * | 429, 5xx without an error body                  | again           | lost              |
 * | unreadable in another way                       | again, less often | lost            |
 * | redirect                                        | lost            | lost              |
 * | unsent                                          | again           | again             |
 * | lost                                            | again           | lost              |
 */
function decide(method: Method, status: number | undefined, result: Parsed | NoAnswer): AttemptVerdict {
  const read = method === 'GET';
  const stands = (outcome: Outcome): AttemptVerdict => ({ outcome, retry: undefined, throttled: false });
  switch (result.type) {
    case 'ok':
      return stands(result);
    case 'unsent':
      return { outcome: result, retry: 'failed', throttled: false };
    case 'lost':
      return { outcome: result, retry: read ? 'failed' : undefined, throttled: false };
    case 'redirect':
      return stands({ ...result, type: 'lost' });
    case 'unreadable': {
      const again = status !== undefined && GATEWAY.has(status) ? 'failed' : 'unreadable';
      return {
        outcome: { ...result, type: 'lost' },
        retry: read ? again : undefined,
        throttled: status === 429,
      };
    }
    case 'error':
      break;
  }
  if (REFUSALS.has(result.code)) return stands(result);
  if (isThrottle(result)) return { outcome: result, retry: 'throttled', throttled: true };
  if (result.code !== 'internal_error' && result.status < 500) return stands(result);
  if (read) return { outcome: result, retry: 'failed', throttled: false };
  return stands({
    type: 'lost',
    detail: `status ${result.status}: ${result.code}`,
    requestId: result.requestId,
  });
}

function isThrottle({ code, status }: Refusal): boolean {
  if (code === 'rate_limit_exceeded' || code === 'service_unavailable') return true;
  return code !== 'internal_error' && (status === 429 || status === 503);
}
