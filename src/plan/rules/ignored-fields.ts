import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import type { RuleChange } from '../../model/generated/plan.ts';

/**
 * Tasks whose `lifecycle.ignore_changes` differs from the base, by their current address. An ignored field can have any
 * value, and no change of the plan shows that. Pure.
 */
export function ignoredFieldChanges(
  base: Pick<DesiredState, 'tasks'>,
  here: Pick<DesiredState, 'tasks'>,
): readonly RuleChange[] {
  const former = new Map(base.tasks.map((task) => [task.address, task]));
  return here.tasks.flatMap((task) => {
    const before = former.get(task.address) ?? former.get(formerAddress(task));
    return before === undefined ? [] : ignoredFieldChange(before, task);
  });
}

function formerAddress({ collection, previousName, address }: DesiredTask): DesiredTask['address'] {
  return previousName === undefined ? address : `${collection}/${previousName}`;
}

function ignoredFieldChange(before: DesiredTask, after: DesiredTask): readonly RuleChange[] {
  const added = after.ignoreChanges.filter((path) => !before.ignoreChanges.includes(path));
  const removed = before.ignoreChanges.filter((path) => !after.ignoreChanges.includes(path));
  if (added.length === 0 && removed.length === 0) return [];
  const location = after.origin('lifecycle.ignore_changes');
  return [
    {
      rule: `${after.address} lifecycle.ignore_changes`,
      effect: added.length > 0 ? 'loosened' : 'tightened',
      before: listText(before.ignoreChanges),
      after: listText(after.ignoreChanges),
      ...(added.length === 0 ? {} : { added }),
      ...(removed.length === 0 ? {} : { removed }),
      ...(location === undefined ? {} : { location }),
    },
  ];
}

function listText(paths: readonly string[]): string | null {
  return paths.length === 0 ? null : paths.join(', ');
}
