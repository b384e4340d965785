import type { PlanDiagnostic } from '../../model/generated/plan.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import type { LiveState, LiveTask } from '../../model/resource.ts';
import { blockDraft, type Draft, type Need } from '../draft.ts';

type View = Pick<LiveState, 'tasks' | 'visible'>;

/** The removal of a label with all that it has to wait for, or blocked where a task of ours keeps it. */
export function removeLabel(
  removal: Draft,
  drafts: readonly Draft[],
  { all, live }: { readonly all: readonly Draft[]; readonly live: View },
  owned: ReadonlySet<LiveTask>,
): Draft {
  const label = removal.change.id;
  const needs: Need[] = [];
  const losing: LiveTask[] = [];
  for (const task of live.tasks.filter(({ risk_label_id: used }) => used === label)) {
    const draft = drafts.find((each) => isAbout(each, task));
    const planned = draft ?? all.find((each) => isAbout(each, task));
    if (planned === undefined) {
      losing.push(task);
      continue;
    }
    const step = planned.steps.findIndex((each) => letsGo(each, task));
    const keeps = planned.change.blocked !== null && owned.has(task);
    if (keeps || (step >= 0 && draft === undefined)) {
      const why = keeps ? 'it is left alone' : 'it is not part of the plan';
      const text = `${planned.change.address} uses the label, and ${why}: see that address.`;
      return blockDraft(removal, 'in-use', text, [task.id]);
    }
    if (step < 0) losing.push(task);
    // What else is written to a task must not meet the service taking its label away.
    const last = step >= 0 ? step : planned.steps.length - 1;
    if (draft !== undefined && last >= 0) needs.push({ address: planned.change.address, step: last + 1 });
  }
  return {
    ...removal,
    after: [...(removal.after ?? []), ...needs],
    warnings: [...removal.warnings, ...losesWarning(removal, losing, live, owned)],
  };
}

/** The draft works on the task, or is blocked because of it. */
function isAbout({ change, steps }: Draft, { id }: LiveTask): boolean {
  const { former, successor, blocked } = change;
  return (
    [change.id, change.replaces_id, former?.id, successor?.id].includes(id) ||
    blocked?.ids.includes(id) === true ||
    steps.some(({ subject }) => subject === id)
  );
}

function letsGo({ verb, subject, body }: Draft['steps'][number], { id }: LiveTask): boolean {
  if (subject !== id) return false;
  return verb === 'delete' || (body !== null && 'risk_label_id' in body);
}

/** The interface does not show what deleting a label does to tasks that use it; the sandbox, like the web application, unlabels them. */
function losesWarning(
  { change }: Draft,
  losing: readonly LiveTask[],
  { visible }: View,
  owned: ReadonlySet<LiveTask>,
): readonly PlanDiagnostic[] {
  const hidden = TASK_KINDS.filter(({ collection }) => !visible.has(collection));
  if (losing.length === 0 && hidden.length === 0) return [];
  const ours = losing.filter((task) => owned.has(task)).length;
  const others = losing.length - ours;
  const counts = [
    ...(others === 0 ? [] : [`${tasks(others)} that ${others === 1 ? 'is' : 'are'} not of this project`]),
    ...(ours === 0
      ? []
      : [
          `${tasks(ours)} of this project that otherwise ${ours === 1 ? 'stays' : 'stay'} unchanged (released, kept, or by ignore_changes)`,
        ]),
  ].join(' and ');
  const names = hidden.map(({ collection }) => collection).join(' and ');
  const unseen = hidden.length === 0 ? '' : ` tradeform cannot see whether ${names} tasks use it.`;
  const used =
    counts === ''
      ? ''
      : `, and ${counts} ${losing.length === 1 ? 'loses' : 'lose'} it. Other effects on the tasks, such as a new version, are not documented`;
  return [
    {
      severity: 'warning',
      code: 'label-in-use',
      address: change.address,
      message: `${change.address} is deleted${used}.${unseen}`,
    },
  ];
}

function tasks(count: number): string {
  return `${count} ${count === 1 ? 'task' : 'tasks'}`;
}
