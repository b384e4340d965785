import type { Change, Operation, Plan } from '../../model/generated/plan.ts';
import type { ApplyReport } from '../../model/generated/report.ts';
import { maskObject, shownField } from '../../model/secret.ts';

/** The plan in the form that may be printed or saved: values from the environment are hidden. */
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
    fields: change.fields.map((field) => shownField(field)),
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
