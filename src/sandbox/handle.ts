import type { Json } from '../model/json.ts';
import type { HttpResponse } from '../ports/transport.ts';
import { answer, refuse } from './answers.ts';
import { authenticate, authorize } from './authenticate.ts';
import { type Context, NO_CHANGES, type OperationOutcome } from './context.ts';
import { type Create, createLabel, createTemplate, taskCreate } from './creates.ts';
import { type Remembered, recall, remember, replay } from './idempotency.ts';
import { deleteLabel, getLabel, listLabels, patchLabel } from './labels.ts';
import { listTasks, listTemplates } from './lists.ts';
import { checkQuery } from './query.ts';
import type { Change } from './records.ts';
import { Refused } from './refusal.ts';
import { type Handled, parseBody, parseRequest, type SandboxEnv, type SandboxRequest } from './request.ts';
import { showCredential } from './resources.ts';
import { matchRoute, type Route, scopesOf } from './routes.ts';
import type { SandboxState } from './state.ts';
import { deleteTask, getTask, patchTask, switchTask } from './tasks.ts';
import { deleteTemplate, getTemplate, patchTemplate } from './templates.ts';

/**
 * The whole service as a function: reads the state, answers, and says what changes. The answer must not go out before
 * the changes are committed. Clock, ids and every point that the interface leaves open come in through `env`.
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

/** A create: replayed when its key is known, else carried out and remembered. */
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
    case 'task':
      return onTask(route, context);
    case 'template':
      return onTemplate(route, context);
    case 'label':
      return onLabel(route, context);
  }
}

function onTask(route: Extract<Route, { family: 'task' }>, context: Context): OperationOutcome {
  const { kind } = route;
  switch (route.operation) {
    case 'get':
      return getTask(context, kind, route.id);
    case 'patch':
      return patchTask(context, kind, route.id);
    case 'delete':
      return deleteTask(context, kind, route.id);
    case 'pause':
    case 'resume':
      return switchTask(context, kind, route.id, route.operation === 'resume');
    default:
      return listTasks(context, kind);
  }
}

function onTemplate(route: Extract<Route, { family: 'template' }>, context: Context): OperationOutcome {
  const { kind } = route;
  switch (route.operation) {
    case 'get':
      return getTemplate(context, kind, route.id);
    case 'patch':
      return patchTemplate(context, kind, route.id);
    case 'delete':
      return deleteTemplate(context, kind, route.id);
    default:
      return listTemplates(context, kind);
  }
}

function onLabel(route: Extract<Route, { family: 'label' }>, context: Context): OperationOutcome {
  switch (route.operation) {
    case 'get':
      return getLabel(context, route.id);
    case 'patch':
      return patchLabel(context, route.id);
    case 'delete':
      return deleteLabel(context, route.id);
    default:
      return listLabels(context);
  }
}
