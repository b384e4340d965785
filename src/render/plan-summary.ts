import type { Change, Plan } from '../model/generated/plan.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';

/** True where apply would send something for this change. */
export function hasWork(change: Change): boolean {
  return change.operations.length > 0;
}

/** `Plan: 3 to create, 1 to update; 1 held, 12 unchanged.`, or `No changes. …`. */
export function summaryLine(plan: Plan): string {
  const { summary } = plan;
  const work = [
    [summary.create, 'to create'],
    [summary.update, 'to update'],
    [summary.replace, 'to replace'],
    [summary.delete, 'to delete'],
    [summary.adopt, 'to adopt'],
    [summary.rename, 'to rename'],
    [summary.take_over ?? 0, 'to take over'],
    [summary.release, 'to release'],
    [summary.start, 'to start'],
    [summary.stop, 'to stop'],
    [summary.finish, 'to finish'],
  ] as const;
  const rest = [
    [summary.held, 'held'],
    [summary.blocked, 'blocked'],
    [plan.left?.length ?? 0, 'left'],
    [summary.unmanaged, 'unmanaged'],
    [summary.foreign, 'foreign'],
    [summary.unchanged, 'unchanged'],
  ] as const;
  const done = words(work);
  const other = words(rest);
  if (isRefused(plan)) {
    const would = [done, other].filter((text) => text !== '').join('; ');
    return `The plan is refused, nothing of it is carried out${would === '' ? '' : `: ${would}`}.`;
  }
  if (isEmptyPlan(plan)) {
    const counts = other === '' ? '' : `: ${other}`;
    const state =
      summary.blocked > 0
        ? 'Nothing can be done'
        : plan.only === undefined
          ? 'The live state is as the manifests want it'
          : 'Nothing that git changed is left to do';
    if (plan.selection !== undefined) {
      const among = 'No changes among the selected addresses';
      return summary.blocked > 0 ? `${among}. ${state}${counts}.` : `${among}${counts}.`;
    }
    return `No changes. ${summary.held > 0 && summary.blocked === 0 ? 'Nothing to do' : state}${counts}.`;
  }
  return `Plan: ${[done, other].filter((text) => text !== '').join('; ')}.`;
}

/** `Only: sniper/a; without: sniper/b`: what was planned of all there is; undefined where everything was. */
export function selectionText(
  { selection }: Pick<Plan, 'selection'>,
  shown: (address: string) => string,
): string | undefined {
  if (selection === undefined) return undefined;
  const { targets, excludes } = selection;
  return [
    ...(targets.length === 0 ? [] : [`Only: ${targets.map(shown).join(', ')}`]),
    ...(excludes.length === 0
      ? []
      : [`${targets.length === 0 ? 'Without' : 'without'}: ${excludes.map(shown).join(', ')}`]),
  ].join('; ');
}

function words(counts: readonly (readonly [number, string])[]): string {
  return counts
    .filter(([number]) => number > 0)
    .map(([number, text]) => `${number} ${text}`)
    .join(', ');
}
