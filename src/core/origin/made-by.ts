import { warning } from '../diagnostics/diagnostic.ts';
import { isUndone } from '../model/change.ts';
import { overlaps } from '../model/field-path.ts';
import type { Change, Field, Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import { acceptingText, named } from '../model/named.ts';
import type { NeverNamed } from '../plan/identity/never-named.ts';
import { type FieldVerdict, standingsOf, standsAt, type Verdict } from './verdict.ts';

/** The maximum of addresses that the warning names. */
const MOST_NAMED = 5;

/**
 * The plan with who made each difference since the last apply. Its first warning says what a person changed on the service and this
 * plan undoes. The digest does not change, because the same is done.
 */
export function withOrigin(plan: Plan, verdicts: readonly Verdict[], limit?: NeverNamed['limit']): Plan {
  const known = new Map(
    verdicts.flatMap((verdict) =>
      'fields' in verdict && verdict.fields.length > 0 ? [[verdict.change.address, verdict] as const] : [],
    ),
  );
  const newer = new Set(
    verdicts.flatMap((verdict) => (standsAt(verdict, 'newer') ? [verdict.change.address] : [])),
  );
  const older = plan.changes.filter(
    ({ address, operations, fields, actions }) =>
      newer.has(address) && operations.length > 0 && (fields.length > 0 || actions.includes('delete')),
  );
  const rolledBack = rollbacks(plan, verdicts);
  if (known.size === 0 && older.length === 0 && rolledBack.length === 0) return plan;
  const changes = plan.changes.map((change) => {
    const fields = known.get(change.address);
    return fields === undefined ? change : withMakers(change, fields);
  });
  const said = [...rolledBack, ...takingBack(older), ...undoing(changes, plan, limit), ...plan.diagnostics];
  return { ...plan, changes, diagnostics: said };
}

/** The commands with which git keeps what a rollback to a revision did. */
export function revertText(revision: string): readonly [string, string] {
  return [`\`git revert --no-edit -m 1 --first-parent ${revision}..HEAD\``, '`git push`'];
}

/** A warning for each change that takes a rollback back. */
function rollbacks({ changes }: Plan, verdicts: readonly Verdict[]): readonly PlanDiagnostic[] {
  const writes = new Set(changes.flatMap((one) => (one.operations.length > 0 ? [one.address] : [])));
  return verdicts.flatMap((verdict) => {
    const { address } = verdict.change;
    const commit = standingsOf(verdict).find(({ rolledBack }) => rolledBack)?.base?.step?.commit;
    if (commit === undefined || !writes.has(address)) return [];
    const hash = commit.hash.slice(0, 7);
    return [
      warning(
        'undoes-rollback',
        `a rollback put ${address} back to the commit ${hash}, and an apply of this plan takes that back`,
        `Keep the rollback: ${revertText(hash).join(', then ')}.`,
        { address },
      ),
    ];
  });
}

function takingBack(changes: readonly Change[]): readonly PlanDiagnostic[] {
  if (changes.length === 0) return [];
  const addresses = changes.map(({ address }) => address);
  return [
    warning(
      'takes-back',
      `a newer commit than this one, or another history, was applied; an apply of this plan takes it back: ${named(addresses, MOST_NAMED)}`,
      'Pull, and plan again. If this is the newest commit of the branch, review the plan and apply it.',
    ),
  ];
}

function withMakers(
  change: Change,
  { fields: verdicts, secrets }: Extract<Verdict, { readonly fields: readonly FieldVerdict[] }>,
): Change {
  const by = new Map(verdicts.map(({ field, by: who }) => [field.path, who]));
  const fields = change.fields.map((field): Field => {
    const who = by.get(field.path);
    const sensitive = field.sensitive || overlaps(secrets, field.path);
    return { ...field, sensitive, ...(who === undefined ? {} : { made_by: who }) };
  });
  return { ...change, fields };
}

function undoing(changes: Plan['changes'], { environment }: Plan, limit: NeverNamed['limit']) {
  const warn = (
    meant: (field: Field) => boolean,
    message: string,
    hint: (edits: readonly Change[]) => string,
  ) => {
    const edits = changes.filter(({ fields, operations }) => operations.length > 0 && fields.some(meant));
    if (edits.length === 0) return [];
    const addresses = edits.map(({ address }) => address);
    const text = `${message}: ${named(addresses, MOST_NAMED)}.`;
    return [warning('undoes-edit', text, hint(edits))];
  };
  const unread = limit === undefined ? '' : `Here, ${limit.text}: ${limit.hint}. `;
  return [
    ...warn(
      isUndone,
      'An apply undoes edits on the service',
      (edits) => `Keep them: \`--only pending\`, or ${acceptingText(edits, environment)}.`,
    ),
    ...warn(
      // The version names a variable of the environment and not its value.
      ({ made_by, sensitive }) => made_by === 'unknown' && sensitive,
      'Values from the environment differ on the service. Nobody can tell whether the environment or somebody changed them, and an apply writes those of the environment',
      () => `${unread}To keep the values on the service, plan with \`--only pending\`.`,
    ),
  ];
}
