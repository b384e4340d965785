import {
  LABEL_KIND,
  type LabelKind,
  TASK_KINDS,
  type TaskKind,
  TEMPLATE_KINDS,
  type TemplateKind,
} from '../model/kind.ts';

/** An operation of the interface (section "Endpoints") that a request asks for. */
export type Route = { readonly family: 'me' } | TaskRoute | TemplateRoute | LabelRoute;

type TaskRoute = { readonly family: 'task'; readonly kind: TaskKind } & (
  | Basic
  | { readonly operation: 'pause' | 'resume'; readonly id: string }
);
type TemplateRoute = { readonly family: 'template'; readonly kind: TemplateKind } & Basic;
type LabelRoute = { readonly family: 'label'; readonly kind: LabelKind } & Basic;

type Basic =
  | { readonly operation: 'list' | 'create' }
  | { readonly operation: 'get' | 'patch' | 'delete'; readonly id: string };

/** undefined where the interface has no such path or method. */
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

/** Any one of these scopes allows the operation. */
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
