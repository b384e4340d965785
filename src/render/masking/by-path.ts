import { parsePath } from '../../manifest/spans.ts';
import { byKey } from '../../model/by-key.ts';
import type { Change, Operation, Plan } from '../../model/generated/plan.ts';
import type { ApplyReport } from '../../model/generated/report.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { hiddenField, maskObject } from '../../model/secret.ts';

/**
 * The plan in the form that may be printed: values from the environment are hidden. A saved plan keeps them, so that it can be
 * applied.
 */
export function maskPlan(plan: Plan): Plan {
  const secrets = new Map(plan.changes.map(({ address, secrets: paths }) => [address, paths]));
  return {
    ...plan,
    changes: plan.changes.map((change) => maskChange(change, secrets.get(change.address))),
    operations: plan.operations.map((operation) => maskOperation(operation, secrets.get(operation.address))),
  };
}

function maskChange<One extends Pick<Change, 'fields' | 'former' | 'successor'>>(
  change: One,
  secrets: readonly string[] | undefined,
): One {
  if (secrets === undefined) return change;
  const { former, successor } = change;
  return {
    ...change,
    fields: change.fields.map((field) => (field.sensitive ? hiddenField(field) : field)),
    former: former === null ? null : maskObject(former, secrets),
    ...(successor === undefined ? {} : { successor: maskObject(successor, secrets) }),
  };
}

function maskOperation(operation: Operation, secrets: readonly string[] | undefined): Operation {
  if (secrets === undefined || operation.body === null) return operation;
  const { body, body_if_refused: renewed } = operation;
  return {
    ...operation,
    body: maskObject(body, secrets),
    ...(renewed === undefined ? {} : { body_if_refused: maskObject(renewed, secrets) }),
  };
}

/** The report of an apply in the form that may be printed. */
export function maskReport(report: ApplyReport, plan: Plan): ApplyReport {
  const secrets = new Map(plan.changes.map(({ address, secrets: paths }) => [address, paths]));
  return {
    ...report,
    changes: report.changes.map((change) => maskChange(change, secrets.get(change.address))),
  };
}

/** The values of a plan that came from the environment, taken from the bodies that it sends. */
export function secretsOfPlan({ changes, operations }: Plan): readonly string[] {
  const chains = byKey(operations, ({ address }) => address);
  return changes.flatMap(({ address, secrets = [] }) =>
    (chains.get(address) ?? []).flatMap(({ body }) =>
      body === null ? [] : secrets.flatMap((path) => textAt(body as JsonObject, path)),
    ),
  );
}

function textAt(root: JsonObject, path: string): readonly string[] {
  const value = parsePath(path).reduce<Json | undefined>(
    (at, segment) =>
      Array.isArray(at)
        ? at[Number(segment)]
        : isObject(at) && Object.hasOwn(at, segment)
          ? at[segment]
          : undefined,
    root,
  );
  if (isObject(value) && typeof value.note === 'string') return [value.note];
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
}
