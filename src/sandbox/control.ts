import type { Clock, Edit, FaultRule, Rotation } from '../model/generated/sandbox.ts';
import type { Json } from '../model/json.ts';
import type { HttpResponse } from '../ports/transport.ts';
import { bodyField, checkField } from './fields.ts';
import { Refused, statusOf } from './refusal.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * Control endpoints, below the root and not below the base URL. Loopback only, without a token, JSON in and out:
 *
 * - `GET    /_sandbox/state`            accounts, tokens (without secrets), labels, templates, tasks; choices; time
 * - `GET    /_sandbox/openapi.json`     the OpenAPI document of the interface, with this sandbox as its server
 * - `GET    /_sandbox/log`              `{entries}`: every request with method, path, status, If-Match, key, time
 * - `DELETE /_sandbox/log`
 * - `POST   /_sandbox/faults`           a rule or a list of rules (`faultRule` in the schema): `{"path": "resume$", "method": "POST",
 *                                       "times": 1, "skip": 0, "fault": {"type": "drop", "when": "after-commit"}}`
 * - `GET    /_sandbox/faults`           `{struck}`: how often each rule struck
 * - `DELETE /_sandbox/faults`
 * - `POST   /_sandbox/tasks/{id}/fire`  triggers a trade; with `buy_once` the task is deactivated: `{traded, deactivated}`
 * - `POST   /_sandbox/edit`             `{"id": …, "config" | "merge" | "remark" | "is_active" | … , "bump": true}`: changes
 *                                       what is stored without any check (see doors.ts)
 * - `POST   /_sandbox/tokens/rotate`    `{"token_prefix": "svc_live_…"}`: returns the new token
 * - `POST   /_sandbox/clock`            `{"advance_ms": 90000000}`: moves the service's clock forward
 */
export const CONTROL_PREFIX = '/_sandbox/';

/** Answers a control request; changes are durable before it resolves. */
export async function control(
  sandbox: Sandbox,
  method: string,
  path: string,
  body: string,
): Promise<HttpResponse> {
  try {
    const answer = await act(sandbox, method, path.slice(CONTROL_PREFIX.length), body);
    await sandbox.flushed();
    return json(200, answer);
  } catch (error) {
    if (error instanceof Refused) {
      const { code, message } = error;
      return json(statusOf(code, sandbox.choices), { error: { code, message } });
    }
    if (error instanceof SyntaxError)
      return json(400, { error: { code: 'invalid_request', message: error.message } });
    throw error;
  }
}

function act(sandbox: Sandbox, method: string, path: string, body: string): object | Promise<object> {
  const fired = /^tasks\/([^/]+)\/fire$/.exec(path);
  if (method === 'POST' && fired !== null) return sandbox.fire(fired[1] ?? '');
  switch (`${method} ${path}`) {
    case 'GET state':
      return describe(sandbox);
    case 'GET openapi.json':
      return openapi();
    case 'GET log':
      return { entries: sandbox.log };
    case 'DELETE log':
      sandbox.clearLog();
      return {};
    case 'GET faults':
      return { struck: sandbox.faults.struck() };
    case 'DELETE faults':
      sandbox.faults.clear();
      return {};
    case 'POST faults': {
      sandbox.faults.add(...faultRules(body));
      return {};
    }
    case 'POST edit': {
      const { id, ...edit } = checked<Edit>(JSON.parse(body), 'edit');
      sandbox.editStored(id, edit);
      return {};
    }
    case 'POST tokens/rotate':
      return { token: sandbox.rotate(checked<Rotation>(JSON.parse(body), 'rotation').token_prefix) };
    case 'POST clock': {
      sandbox.advance(checked<Clock>(JSON.parse(body), 'clock').advance_ms);
      return { now: sandbox.now() };
    }
    default:
      throw new Refused('not_found', 'There is no such control endpoint.');
  }
}

/** Loaded on demand. The server's URL is relative to the address of the document. */
async function openapi(): Promise<object> {
  const { default: document } = await import('../../schemas/service.openapi.json');
  return { ...document, servers: [{ url: '/v1', description: 'This sandbox.' }] };
}

function describe(sandbox: Sandbox): object {
  const { state } = sandbox;
  return {
    now: sandbox.now(),
    choices: sandbox.choices,
    accounts: [...state.accounts.values()],
    tokens: [...state.tokens.values()].map(({ secret: _secret, ...token }) => token),
    labels: [...state.labels.values()],
    templates: [...state.templates.values()],
    tasks: [...state.tasks.values()],
  };
}

function faultRules(text: string): readonly FaultRule[] {
  const body: Json = JSON.parse(text);
  const rules = Array.isArray(body) ? body : [body];
  return rules.map((rule) => checked<FaultRule>(rule, 'faultRule'));
}

/** The checked body of a request. Throws `invalid_request`, which names every problem. */
function checked<Body>(value: Json, name: Parameters<typeof bodyField>[0]): Body {
  const problems: string[] = [];
  checkField(bodyField(name), value, [], (path, message) => {
    problems.push(`${['body', ...path].join('.')} ${message}`);
  });
  if (problems.length > 0) throw new Refused('invalid_request', problems.join(' '));
  return value as unknown as Body;
}

function json(status: number, value: object): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
