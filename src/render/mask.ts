import type { Change, Operation, Plan } from '../model/generated/plan.ts';
import type { ApplyReport } from '../model/generated/report.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { isSecretPath, SECRET } from '../model/secret.ts';

/** The plan as it may be printed: what came from the environment is hidden. A saved plan keeps it, to be applied. */
export function maskPlan(plan: Plan): Plan {
  const secrets = new Map(
    plan.changes.flatMap(({ address, secrets: paths }) =>
      paths === undefined ? [] : [[address, paths] as const],
    ),
  );
  if (secrets.size === 0) return plan;
  return {
    ...plan,
    changes: plan.changes.map((change) => maskChange(change, secrets.get(change.address))),
    operations: plan.operations.map((operation) => maskOperation(operation, secrets.get(operation.address))),
  };
}

function maskChange(change: Change, secrets: readonly string[] | undefined): Change {
  if (secrets === undefined) return change;
  const { former, successor } = change;
  return {
    ...change,
    fields: change.fields.map((field) =>
      field.sensitive
        ? {
            ...field,
            ...(field.before === undefined ? {} : { before: SECRET }),
            ...(field.after === undefined ? {} : { after: SECRET }),
          }
        : field,
    ),
    former: former === null ? null : maskObject(former as JsonObject, secrets),
    ...(successor === undefined ? {} : { successor: maskObject(successor as JsonObject, secrets) }),
  };
}

function maskOperation(operation: Operation, secrets: readonly string[] | undefined): Operation {
  if (secrets === undefined || operation.body === null) return operation;
  return { ...operation, body: maskObject(operation.body as JsonObject, secrets) };
}

/** The report of an apply as it may be printed. */
export function maskReport(report: ApplyReport, plan: Plan): ApplyReport {
  const secrets = new Map(plan.changes.map(({ address, secrets: paths }) => [address, paths]));
  return {
    ...report,
    changes: report.changes.map((change) => {
      const paths = secrets.get(change.address);
      if (paths === undefined || change.former === null) return change;
      return { ...change, former: maskObject(change.former as JsonObject, paths) };
    }),
  };
}

/** The values at the secret paths; of a remark the note. Paths of a list hide all of the list. */
export function maskObject(value: JsonObject, secrets: readonly string[]): JsonObject {
  return mask(value, '', secrets) as JsonObject;
}

function mask(value: Json, path: string, secrets: readonly string[]): Json {
  if (path !== '' && !isSecretPath(secrets, path)) return value;
  if (!isObject(value)) return SECRET;
  if (path === 'remark') return { ...value, note: SECRET };
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      mask(child, path === '' ? key : `${path}.${key}`, secrets),
    ]),
  );
}

/** Properties that hold what the service or a person wrote; the others are names and words of ours. */
const TEXTS: ReadonlySet<string> = new Set(['message', 'hint', 'text', 'remark', 'before', 'after']);

/**
 * The document with `hide` upon every text of others in it. Markdown takes texts apart: what is to be hidden has to be before
 * it is written.
 */
export function maskTexts<Document>(document: Document, hide: (text: string) => string): Document {
  return texts(document as unknown as Json, false, hide) as unknown as Document;
}

function texts(value: Json, inside: boolean, hide: (text: string) => string): Json {
  if (typeof value === 'string') return inside ? hide(value) : value;
  if (Array.isArray(value)) return value.map((item) => texts(item, inside, hide));
  if (!isObject(value)) return value;
  // `reason` is a word of ours in a change, and a sentence beside the field that the service refused.
  const refused = 'path' in value && typeof value.reason === 'string';
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      texts(item, inside || TEXTS.has(key) || (refused && key === 'reason'), hide),
    ]),
  );
}
