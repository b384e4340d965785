import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '../core/model/json.ts';
import { targetOf } from '../core/model/kind.ts';
import type { HttpResponse } from '../core/ports/transport.ts';
import type { Choices } from './choices.ts';
import { authenticate, authorize, type Context, type OperationOutcome } from './context.ts';
import { type Created, create, get, patch, remove, switchTask } from './operations.ts';
import type { Change, StoredReplay } from './records.ts';
import { Refused, statusOf } from './refusal.ts';
import {
  type Handled,
  parseBody,
  parseIdempotencyKey,
  parseRequest,
  type SandboxEnv,
  type SandboxRequest,
} from './request.ts';
import { checkQuery, list, showCredential } from './resources.ts';
import { REPLAY_MEMORY, type SandboxState } from './state.ts';

/**
 * The whole service as a function: reads the state and returns the answer and the changes. The answer must not be sent before
 * the changes are committed. `env` supplies the clock, ids and every choice that the interface leaves open.
 */
export function handle(state: SandboxState, request: SandboxRequest, env: SandboxEnv): Handled {
  const requestId = env.newId();
  try {
    const parsed = parseRequest(request);
    const credential = authenticate(state, parsed, env);
    const route = matchRoute(parsed.method, parsed.pathname);
    if (route === undefined) throw new Refused(env.choices.unknown_route, 'There is no such operation.');
    authorize(credential, route.scopes, parsed.callerIp, env);
    const context: Context = { ...credential, state, request: parsed, env };
    if ('create' in route) return carryOut(route.create, context, requestId);
    const outcome = route.operate(context);
    return { response: answer(outcome, requestId, env), changes: outcome.changes ?? [] };
  } catch (error) {
    return { response: refusal(error, requestId, env), changes: [] };
  }
}

function refusal(error: unknown, requestId: string, env: SandboxEnv): HttpResponse {
  if (error instanceof Refused) return refuse(error, requestId, env);
  throw error;
}

/** A create: repeats the stored answer if its key is known, else carries the create out and stores its answer. */
function carryOut(create: Create, context: Context, requestId: string): Handled {
  const { request, env } = context;
  const raw = parseBody(request, env.choices) as Json;
  const early = env.choices.idempotency_order === 'before-validation';
  let memory: Remembered | undefined;
  try {
    const checked = early ? undefined : create(context, raw);
    memory = recall(context, raw);
    const replayed = memory.earlier && replay(memory.earlier, context, requestId);
    if (replayed !== undefined) return { response: replayed, changes: [] };
    const outcome = (checked ?? create(context, raw))();
    const response = answer(outcome, requestId, env);
    return {
      response,
      changes: [...(outcome.changes ?? []), ...remember(memory, response, outcome.resource, context)],
    };
  } catch (error) {
    const response = refusal(error, requestId, env);
    return { response, changes: memory === undefined ? [] : remember(memory, response, null, context) };
  }
}

type Create = (context: Context, raw: unknown) => () => Created;

/** An operation of the interface (section "Endpoints"). */
type Route = {
  /** Each of them is enough. */
  readonly scopes: readonly string[];
} & ({ readonly create: Create } | { readonly operate: (context: Context) => OperationOutcome });

/** By the method, and what follows the path of the kind. */
const VERBS = {
  GET: 'list',
  POST: 'create',
  'GET ID': 'get',
  'PATCH ID': 'patch',
  'DELETE ID': 'delete',
  'POST ID pause': 'pause',
  'POST ID resume': 'resume',
} as const;

const OPERATIONS = { list, get, patch, delete: remove };

/** The operation that a request asks for. Undefined if the interface has no such path or method. */
export function matchRoute(method: string, pathname: string): Route | undefined {
  if (pathname === '/me') return method === 'GET' ? { scopes: [], operate: getCredential } : undefined;
  const { kind } = targetOf(pathname) ?? {};
  const [, id, ...action] = pathname.slice(kind?.path.length).split('/');
  const words = [method, ...(id === undefined ? [] : ['ID']), ...action].join(' ');
  if (kind === undefined || !Object.hasOwn(VERBS, words) || id === '') return undefined;
  const verb = VERBS[words as keyof typeof VERBS];
  const scopes = kind.scopes[verb === 'list' || verb === 'get' ? 'read' : verb === 'delete' ? verb : 'write'];
  if (verb === 'create') return { scopes, create: (context, raw) => create(context, kind, raw) };
  if (verb !== 'pause' && verb !== 'resume') {
    return { scopes, operate: (context) => OPERATIONS[verb](context, kind, id ?? '') };
  }
  if (kind.family !== 'task') return undefined;
  return { scopes, operate: (context) => switchTask(context, kind, id ?? '', verb === 'resume') };
}

function getCredential(context: Context): OperationOutcome {
  checkQuery(context.request, [], context.env.choices);
  return { status: 200, data: showCredential(context), of: 'resource' };
}

/** An outcome as an HTTP answer (interface, "Envelopes" and "Headers used by endpoints"). */
function answer(outcome: OperationOutcome, requestId: string, env: SandboxEnv): HttpResponse {
  const { choices } = env;
  const everywhere = choices.request_id_header === 'everywhere';
  const data = outcome.dataText ?? (outcome.data === undefined ? undefined : JSON.stringify(outcome.data));
  return {
    status: outcome.status,
    headers: {
      ...dateHeader(env.now, choices),
      ...(data === undefined ? {} : JSON_TYPE),
      ...(outcome.etag === undefined ? {} : { etag: `"v${outcome.etag}"` }),
      ...(outcome.of !== 'list' || everywhere ? { 'x-request-id': requestId } : {}),
    },
    body:
      data === undefined
        ? ''
        : `{"data":${data},"meta":${JSON.stringify(meta(outcome, requestId, choices))}}`,
  };
}

function meta({ of }: OperationOutcome, requestId: string, choices: Choices): JsonObject {
  const markers = of === 'write' && choices.meta_markers === 'sent';
  return {
    request_id: requestId,
    ...(markers ? { persistence: 'committed', propagation: 'eventual' } : {}),
    ...(choices.extra_fields === 'some' ? { region: 'sandbox' } : {}),
  };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The default number of seconds to wait that `429` and `503` name. */
const DEFAULT_RETRY_AFTER = 1;

/** A refusal as an HTTP answer (interface, "Errors"). `retryAfter` in seconds. */
export function refuse(
  refused: Pick<Refused, 'code' | 'message' | 'fields'>,
  requestId: string,
  env: SandboxEnv,
  retryAfter = DEFAULT_RETRY_AFTER,
): HttpResponse {
  const { choices, now } = env;
  const status = statusOf(refused.code, choices);
  // The header depends only on the status, not on the code.
  const waits = status === 429 || status === 503;
  const fields = refused.fields.map(({ path, reason }) => ({ path, reason }));
  const error = { code: refused.code, message: refused.message, ...(fields.length === 0 ? {} : { fields }) };
  return {
    status,
    headers: {
      ...dateHeader(now, choices),
      ...JSON_TYPE,
      ...(waits ? { 'retry-after': retryAfterText(retryAfter, env) } : {}),
      ...(choices.request_id_header === 'everywhere' ? { 'x-request-id': requestId } : {}),
    },
    body: JSON.stringify({ error, request_id: requestId }),
  };
}

function retryAfterText(seconds: number, { choices, now }: SandboxEnv): string {
  return choices.retry_after_form === 'seconds'
    ? String(seconds)
    : new Date(now + seconds * 1000).toUTCString();
}

/** Milliseconds. */
const DATE_AHEAD = 90_000;

function dateHeader(now: number, choices: Choices): Readonly<Record<string, string>> {
  if (choices.date_header === 'absent') return {};
  return { date: new Date(now + (choices.date_header === 'ahead' ? DATE_AHEAD : 0)).toUTCString() };
}

/** What is stored about one create (interface, `Idempotency-Key`: kept for 24 hours). */
interface Remembered {
  readonly key: string;
  readonly fingerprint: string;
  /** An earlier, identical request within 24 hours, with its answer or only with its key. */
  readonly earlier: StoredReplay | undefined;
}

/** Throws `idempotency_required`, the chosen code for a malformed key, and `idempotency_conflict`. */
function recall(context: Context, raw: Json): Remembered {
  const { request, env, state, account, token } = context;
  const { choices } = env;
  const name = parseIdempotencyKey(request, choices);
  const owner = {
    account: account.id,
    token: `${account.id} ${token.id}`,
    endpoint: `${account.id} ${request.pathname}`,
  }[choices.idempotency_scope];
  const key = `${owner} ${name}`;
  const body = choices.idempotency_body === 'bytes' ? request.body : canonicalJson(raw);
  const fingerprint = createHash('sha256').update(`${request.pathname}\n${body}`).digest('hex');
  const known = state.replays.get(key);
  const earlier = known !== undefined && env.now - known.at < REPLAY_MEMORY ? known : undefined;
  if (earlier !== undefined && earlier.fingerprint !== fingerprint) {
    throw new Refused('idempotency_conflict', 'The Idempotency-Key was used with another body.');
  }
  return { key, fingerprint, earlier };
}

/** The first answer again: the same body with a new `X-Request-Id`. */
function replay(earlier: StoredReplay, context: Context, requestId: string): HttpResponse | undefined {
  const { state, env } = context;
  const { choices } = env;
  if (earlier.answer === null) return undefined;
  const { status, body, etag } = earlier.answer;
  const resource = earlier.resource ?? '';
  const current = state.tasks.get(resource)?.version ?? state.templates.get(resource)?.version;
  const tag =
    choices.replay_etag === 'current' && current !== undefined && etag !== null ? `"v${current}"` : etag;
  return {
    status: status === 201 ? choices.replay_status : status,
    headers: {
      ...dateHeader(choices.replay_date === 'now' ? env.now : earlier.at, choices),
      ...JSON_TYPE,
      ...(tag === null ? {} : { etag: tag }),
      'x-request-id': requestId,
    },
    body,
  };
}

/** What is stored about an answer: a change, or none. */
function remember(
  { key, fingerprint }: Remembered,
  response: HttpResponse,
  resource: string | null,
  { env }: Context,
): readonly Change[] {
  const failed = response.status >= 400;
  if (failed && env.choices.idempotency_failures === 'forgotten') return [];
  const bound = failed && env.choices.idempotency_failures === 'bound';
  const { status, body, headers } = response;
  const answer = bound ? null : { status, body, etag: headers.etag ?? null };
  return [{ type: 'replay', record: { key, fingerprint, at: env.now, answer, resource } }];
}
