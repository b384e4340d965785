import type { Json } from '../model/json.ts';
import {
  LABEL_KIND,
  type LabelKind,
  TASK_KINDS,
  type TaskKind,
  TEMPLATE_KINDS,
  type TemplateKind,
} from '../model/kind.ts';
import type { HttpResponse } from '../ports/transport.ts';
import { answer, refuse } from './answers.ts';
import { authenticate, authorize, type Context, NO_CHANGES, type OperationOutcome } from './context.ts';
import {
  type Create,
  createLabel,
  createTemplate,
  type Remembered,
  recall,
  remember,
  replay,
  taskCreate,
} from './creates.ts';
import { deleteLabel, getLabel, listLabels, patchLabel } from './labels.ts';
import { checkQuery, listTasks, listTemplates } from './lists.ts';
import type { Change } from './records.ts';
import { Refused } from './refusal.ts';
import { type Handled, parseBody, parseRequest, type SandboxEnv, type SandboxRequest } from './request.ts';
import { showCredential } from './resources.ts';
import type { SandboxState } from './state.ts';
import { deleteTask, getTask, patchTask, switchTask } from './tasks.ts';
import { deleteTemplate, getTemplate, patchTemplate } from './templates.ts';

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
    authorize(credential, scopesOf(route), parsed.callerIp, env);
    const context: Context = { ...credential, state, request: parsed, env };
    const create = createOf(route);
    if (create !== undefined) return carryOut(create, context, requestId);
    const outcome = operate(route, context);
    return { response: answer(outcome, requestId, env), changes: outcome.changes };
  } catch (error) {
    return { response: refusal(error, requestId, env), changes: NO_CHANGES };
  }
}

function refusal(error: unknown, requestId: string, env: SandboxEnv): HttpResponse {
  if (error instanceof Refused) return refuse(error, requestId, env);
  throw error;
}

function createOf(route: Route): Create | undefined {
  if (route.family === 'me' || route.operation !== 'create') return undefined;
  if (route.family === 'label') return createLabel;
  return route.family === 'task' ? taskCreate(route.kind) : createTemplate(route.kind);
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
    if (replayed !== undefined) return { response: replayed, changes: NO_CHANGES };
    const outcome = (checked ?? create(context, raw))();
    const response = answer(outcome, requestId, env);
    return {
      response,
      changes: [...outcome.changes, ...remembered(memory, response, outcome.resource, context)],
    };
  } catch (error) {
    const response = refusal(error, requestId, env);
    return { response, changes: memory === undefined ? [] : remembered(memory, response, null, context) };
  }
}

function remembered(
  memory: Remembered,
  response: HttpResponse,
  resource: string | null,
  context: Context,
): readonly Change[] {
  const record = remember(memory, response, resource, context);
  return record === undefined ? [] : [{ type: 'replay', record }];
}

function operate(route: Route, context: Context): OperationOutcome {
  switch (route.family) {
    case 'me':
      checkQuery(context.request, [], context.env.choices);
      return {
        status: 200,
        data: showCredential(context),
        single: true,
        written: false,
        changes: NO_CHANGES,
      };
    case 'task': {
      const { kind } = route;
      if (route.operation === 'get') return getTask(context, kind, route.id);
      if (route.operation === 'patch') return patchTask(context, kind, route.id);
      if (route.operation === 'delete') return deleteTask(context, kind, route.id);
      if (route.operation === 'pause') return switchTask(context, kind, route.id, false);
      if (route.operation === 'resume') return switchTask(context, kind, route.id, true);
      return listTasks(context, kind);
    }
    case 'template': {
      const { kind } = route;
      if (route.operation === 'get') return getTemplate(context, kind, route.id);
      if (route.operation === 'patch') return patchTemplate(context, kind, route.id);
      if (route.operation === 'delete') return deleteTemplate(context, kind, route.id);
      return listTemplates(context, kind);
    }
    case 'label':
      if (route.operation === 'get') return getLabel(context, route.id);
      if (route.operation === 'patch') return patchLabel(context, route.id);
      if (route.operation === 'delete') return deleteLabel(context, route.id);
      return listLabels(context);
  }
}

/** The operation of the interface (section "Endpoints") that a request asks for. */
type Route = { readonly family: 'me' } | TaskRoute | TemplateRoute | LabelRoute;

type TaskRoute = { readonly family: 'task'; readonly kind: TaskKind } & (
  | Basic
  | { readonly operation: 'pause' | 'resume'; readonly id: string }
);
type TemplateRoute = { readonly family: 'template'; readonly kind: TemplateKind } & Basic;
type LabelRoute = { readonly family: 'label'; readonly kind: LabelKind } & Basic;

type Basic =
  | { readonly operation: 'list' | 'create' }
  | { readonly operation: 'get' | 'patch' | 'delete'; readonly id: string };

/** undefined if the interface has no such path or method. */
export function matchRoute(method: string, pathname: string): Route | undefined {
  if (pathname === '/me') return method === 'GET' ? { family: 'me' } : undefined;
  for (const kind of TASK_KINDS) {
    const rest = restOf(pathname, kind.path);
    if (rest === undefined) continue;
    const [id = '', action, ...more] = rest;
    if (method === 'POST' && id !== '' && more.length === 0 && (action === 'pause' || action === 'resume')) {
      return { family: 'task', kind, operation: action, id };
    }
    const basic = basicOperation(method, rest);
    return basic && { family: 'task', kind, ...basic };
  }
  for (const kind of TEMPLATE_KINDS) {
    const rest = restOf(pathname, kind.path);
    const basic = rest && basicOperation(method, rest);
    if (basic !== undefined) return { family: 'template', kind, ...basic };
  }
  const rest = restOf(pathname, LABEL_KIND.path);
  const basic = rest && basicOperation(method, rest);
  return basic && { family: 'label', kind: LABEL_KIND, ...basic };
}

/** Each of these scopes is enough for the operation. */
export function scopesOf(route: Route): readonly string[] {
  if (route.family === 'me') return [];
  const { scopes } = route.kind;
  switch (route.operation) {
    case 'list':
    case 'get':
      return scopes.read;
    case 'delete':
      return scopes.delete;
    default:
      return scopes.write;
  }
}

function restOf(pathname: string, base: string): string[] | undefined {
  if (pathname === base) return [];
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length + 1).split('/') : undefined;
}

function basicOperation(method: string, rest: readonly string[]): Basic | undefined {
  const [id] = rest;
  if (rest.length > 1 || id === '') return undefined;
  if (id === undefined) {
    if (method === 'GET') return { operation: 'list' };
    return method === 'POST' ? { operation: 'create' } : undefined;
  }
  if (method === 'GET') return { operation: 'get', id };
  if (method === 'PATCH') return { operation: 'patch', id };
  return method === 'DELETE' ? { operation: 'delete', id } : undefined;
}
