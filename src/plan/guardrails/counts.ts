import type { CountLimit, Guardrail } from '../../desired/guardrails/settings.ts';
import { isTaskCollection } from '../../model/kind.ts';
import { type GuardrailFinding, type JudgedChange, type JudgedState, named } from './judged.ts';

type CountGuardrail = Guardrail<CountLimit>;

/** `max_deletes`: tasks, and resources of Removals, that are deleted; replacements do not count. */
export function maxDeletes(judged: JudgedState, guardrail: CountGuardrail): readonly GuardrailFinding[] {
  const deleted = judged.changes.filter(({ actions }) => actions.includes('delete'));
  return overLimit('max_deletes', 'deletes', deleted, judged, guardrail);
}

/** `max_changes`: tasks, templates and labels that are written to. */
export function maxChanges(judged: JudgedState, guardrail: CountGuardrail): readonly GuardrailFinding[] {
  const changed = judged.changes.filter(({ written }) => written);
  return overLimit('max_changes', 'changes', changed, judged, guardrail);
}

/**
 * `max_starts`: tasks that are started. The completion of an interrupted apply was counted when that apply began, and
 * must be able to converge. For the same reason the default does not count new tasks: an interrupted first apply
 * continues with thousands of them. Tasks that `tradeform pause` stopped do not count either, so that the operator can
 * resume them.
 */
export function maxStarts(judged: JudgedState, guardrail: CountGuardrail): readonly GuardrailFinding[] {
  const started = judged.changes.filter(
    ({ starts, returns, actions }) =>
      starts && !(guardrail.standard && (returns === true || actions.includes('create'))),
  );
  return overLimit('max_starts', 'starts', started, judged, guardrail);
}

function overLimit(
  name: string,
  verb: string,
  changes: readonly JudgedChange[],
  { owned, what }: JudgedState,
  { limit, location }: CountGuardrail,
): readonly GuardrailFinding[] {
  // Without tasks a percentage is meaningless: a first plan would never pass.
  if (owned === 0 && limit.count === 0 && limit.percent > 0) return [];
  const most = Math.max(limit.count, Math.ceil((owned * limit.percent) / 100));
  if (changes.length <= most) return [];
  const one = changes.length === 1;
  const things =
    name !== 'max_changes' && changes.every(({ kind }) => isTaskCollection(kind))
      ? one
        ? 'task'
        : 'tasks'
      : one
        ? 'resource'
        : 'resources';
  return [
    {
      message: `The ${what} ${verb} ${changes.length} ${things} (${named(changes.map(({ address }) => address))}), but ${name} allows ${most}${limitText(limit, owned)}.`,
      hint: `${what === 'plan' ? 'Split the plan with --target' : 'Name fewer tasks'}, or raise the limit in the project file.`,
      location,
      worse: true,
    },
  ];
}

function limitText({ count, percent }: CountLimit, owned: number): string {
  if (percent === 0) return '';
  const share = `${percent}% of ${owned} owned ${owned === 1 ? 'task' : 'tasks'}`;
  return count === 0 ? `, ${share}` : `, the greater of ${count} and ${share}`;
}
