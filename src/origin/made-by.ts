import { warning } from '../diagnostics/diagnostic.ts';
import { isUndone } from '../model/change.ts';
import type { Change, Field, Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import { isSecretPath } from '../model/secret.ts';
import type { FieldVerdict, Verdict } from './verdict.ts';

/** The maximum of addresses that the warning names. */
const MOST_NAMED = 5;

/**
 * The plan with who made each difference since the last apply. Its first warning says what a person changed on the service and this
 * plan undoes. The digest does not change, because the same is done.
 */
export function withOrigin(plan: Plan, verdicts: readonly Verdict[]): Plan {
  const known = new Map(verdicts.flatMap((verdict) => fieldsOf(verdict)));
  if (known.size === 0) return plan;
  const changes = plan.changes.map((change) => {
    const fields = known.get(change.address);
    return fields === undefined ? change : told(change, fields);
  });
  const undone = changes.filter((change) => change.operations.length > 0 && change.fields.some(isUndone));
  return { ...plan, changes, diagnostics: [...undoing(undone), ...plan.diagnostics] };
}

interface Known {
  readonly verdicts: readonly FieldVerdict[];
  readonly secrets: readonly string[];
}

function fieldsOf(verdict: Verdict): readonly (readonly [string, Known])[] {
  if (!('fields' in verdict) || verdict.fields.length === 0) return [];
  const { change, fields: verdicts, secrets } = verdict;
  return [[change.address, { verdicts, secrets }]];
}

function told(change: Change, { verdicts, secrets }: Known): Change {
  const by = new Map(verdicts.map(({ field, by: who }) => [field.path, who]));
  const fields = change.fields.map((field): Field => {
    const who = by.get(field.path);
    const sensitive = field.sensitive || isSecretPath(secrets, field.path);
    return { ...field, sensitive, ...(who === undefined ? {} : { made_by: who }) };
  });
  return { ...change, fields };
}

function undoing(changes: readonly Change[]): readonly PlanDiagnostic[] {
  if (changes.length === 0) return [];
  const named = changes.slice(0, MOST_NAMED).map(
    ({ address, fields }) =>
      `${address} (${fields
        .filter(isUndone)
        .map(({ path }) => path)
        .join(', ')})`,
  );
  const more = changes.length > MOST_NAMED ? ` and ${changes.length - MOST_NAMED} more` : '';
  const what = changes.length === 1 ? '1 task or label was' : `${changes.length} tasks or labels were`;
  return [
    warning(
      'undoes-edit',
      `${what} changed on the service since the last apply, and an apply undoes it: ${named.join(', ')}${more}.`,
      'To keep what people changed, plan with --only pending, or take it over into the manifests with `tradeform export --out .`.',
    ),
  ];
}
