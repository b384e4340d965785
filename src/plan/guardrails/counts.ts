import type { CountLimit, Guardrail } from '../../desired/guardrails/settings.ts';
import type { Change } from '../../model/generated/plan.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import { type Finding, named, type Scene } from './scene.ts';

type CountGuardrail = Guardrail<CountLimit>;

/** Tasks, and what Removals name, that go for good; a replacement puts another in their place. */
export function maxDeletes(scene: Scene, guardrail: CountGuardrail): readonly Finding[] {
  const deleted = scene.changes.filter(({ actions }) => actions.includes('delete'));
  return overLimit('max_deletes', 'deletes', deleted, scene, guardrail);
}

/** Tasks, templates and labels that are written to. */
export function maxChanges(scene: Scene, guardrail: CountGuardrail): readonly Finding[] {
  const changed = scene.changes.filter(({ operations }) => operations.length > 0);
  return overLimit('max_changes', 'changes', changed, scene, guardrail);
}

/**
 * Tasks that are started. What finishes an interrupted apply was counted when that began, and must be able to converge; for
 * the same reason the default leaves new tasks out: a first apply that broke off goes on with thousands of them.
 */
export function maxStarts(scene: Scene, guardrail: CountGuardrail): readonly Finding[] {
  const started = tasks(scene).filter(
    ({ starts_trading, actions }) =>
      starts_trading && !actions.includes('finish') && !(guardrail.standard && actions.includes('create')),
  );
  return overLimit('max_starts', 'starts', started, scene, guardrail);
}

function tasks({ changes }: Scene): readonly Change[] {
  return changes.filter(isTask);
}

function isTask({ kind }: Change): boolean {
  return TASK_KINDS.some(({ collection }) => collection === kind);
}

function overLimit(
  name: string,
  verb: string,
  changes: readonly Change[],
  { owned }: Scene,
  { limit, location }: CountGuardrail,
): readonly Finding[] {
  const most = Math.max(limit.count, Math.ceil((owned * limit.percent) / 100));
  if (changes.length <= most) return [];
  const one = changes.length === 1;
  const things =
    name !== 'max_changes' && changes.every(isTask)
      ? one
        ? 'task'
        : 'tasks'
      : one
        ? 'resource'
        : 'resources';
  return [
    {
      message: `The plan ${verb} ${changes.length} ${things} (${named(changes.map(({ address }) => address))}), and ${name} allows ${most}${limitText(limit, owned)}.`,
      hint: 'Do it in parts with --target, or raise the limit in the project file.',
      location,
      touched: true,
    },
  ];
}

function limitText({ count, percent }: CountLimit, owned: number): string {
  if (percent === 0) return '';
  const share = `${percent}% of ${owned} owned ${owned === 1 ? 'task' : 'tasks'}`;
  return count === 0 ? `, ${share}` : `, the greater of ${count} and ${share}`;
}
