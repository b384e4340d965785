import type { Operation, PlanDiagnostic } from '../model/generated/plan.ts';
import { TASK_KINDS } from '../model/kind.ts';
import type { ProjectNames } from '../model/marker.ts';
import type { LiveState, LiveTask } from '../model/resource.ts';
import { blockDraft, type Draft, type Need } from './draft.ts';
import { operationsOf } from './order.ts';
import { ownedTasks } from './policy.ts';
import type { Roomed } from './room.ts';

export interface LetGoInput {
  /** What is to be done of all there is; the order is kept. */
  readonly selected: readonly Draft[];
  readonly all: readonly Draft[];
  readonly live: Pick<LiveState, 'tasks' | 'visible'>;
  readonly project: ProjectNames;
  /** Finds every create its place; blocks those that have none. */
  readonly makeRoom: (drafts: readonly Draft[]) => Roomed;
}

/**
 * Puts removals into their order (DESIGN 6): a label goes once the tasks of the project that use it have let go of it, and
 * what takes a place or a name that a removal frees waits for that. What cannot be done so is blocked, and what waits for
 * that as well.
 */
export function orderRemovals(input: LetGoInput): Roomed {
  const removals = input.all.filter(isRemoval);
  if (removals.length === 0) return input.makeRoom(input.selected);
  const owned = new Set(ownedTasks(input.project, input.live));
  const blocked = new Map<string, Draft>();
  for (;;) {
    const now = (draft: Draft) => blocked.get(draft.change.address) ?? draft;
    const roomed = input.makeRoom(input.selected.map(now));
    const drafts = roomed.drafts.map((draft) =>
      isLabelRemoval(draft) ? letGo(draft, roomed, input, owned) : draft,
    );
    const kept = drafts.filter(
      ({ steps }, index) => steps.length === 0 && drafts[index] !== roomed.drafts[index],
    );
    const found = [...kept, ...forsaken(drafts)];
    if (found.length === 0) {
      const circle = circular(drafts, roomed);
      if (circle === undefined) return { drafts, createNeeds: roomed.createNeeds };
      found.push(blockedByCircle(circle));
    }
    for (const draft of found) blocked.set(draft.change.address, draft);
  }
}

function isRemoval({ change }: Draft): boolean {
  return change.reason === 'removal';
}

function isLabelRemoval(draft: Draft): boolean {
  return isRemoval(draft) && draft.change.kind === 'label' && draft.steps.length > 0;
}

/** The removal of a label with all that it has to wait for, or blocked where a task of ours keeps it. */
function letGo(
  removal: Draft,
  { drafts }: Roomed,
  { all, live }: LetGoInput,
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
      const why = keeps ? 'nothing is done to it' : 'it is not among what is planned';
      const text = `${planned.change.address} uses the label, and ${why}: see there.`;
      return blockDraft(removal, 'in-use', text, [task.id]);
    }
    if (step < 0) losing.push(task);
    // What else is written to a task must not meet the service taking its label away.
    const last = step >= 0 ? step : planned.steps.length - 1;
    if (draft !== undefined && last >= 0) needs.push(`${planned.change.address}#${last + 1}`);
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
    steps.some(({ path }) => path.split('/').includes(id))
  );
}

function letsGo({ verb, path, body }: Draft['steps'][number], { id }: LiveTask): boolean {
  if (!path.split('/').includes(id)) return false;
  return verb === 'delete' || (body !== null && 'risk_label_id' in body);
}

/** What deleting a label does to tasks that use it is not shown; the sandbox, like the web application, unlabels them. */
function losesWarning(
  { change }: Draft,
  losing: readonly LiveTask[],
  { visible }: LetGoInput['live'],
  owned: ReadonlySet<LiveTask>,
): readonly PlanDiagnostic[] {
  const hidden = TASK_KINDS.filter(({ collection }) => !visible.has(collection));
  if (losing.length === 0 && hidden.length === 0) return [];
  const ours = losing.filter((task) => owned.has(task)).length;
  const others = losing.length - ours;
  const counts = [
    ...(others === 0 ? [] : [`${tasks(others)} that ${others === 1 ? 'is' : 'are'} not this project’s`]),
    ...(ours === 0
      ? []
      : [
          `${tasks(ours)} of this project that ${ours === 1 ? 'stays' : 'stay'} otherwise as ${ours === 1 ? 'it is' : 'they are'} (released, kept, or by ignore_changes)`,
        ]),
  ].join(' and ');
  const names = hidden.map(({ collection }) => collection).join(' and ');
  const unseen = hidden.length === 0 ? '' : ` Whether ${names} tasks use it cannot be seen.`;
  const used =
    counts === ''
      ? ''
      : ` It is used by ${counts}: ${losing.length === 1 ? 'it loses' : 'they lose'} it. What else that does to a task, as to its version, is not documented.`;
  return [
    {
      severity: 'warning',
      code: 'label-in-use',
      address: change.address,
      message: `${change.address} is deleted.${used}${unseen}`,
    },
  ];
}

function tasks(count: number): string {
  return `${count} ${count === 1 ? 'task' : 'tasks'}`;
}

/** Of a circle: a create that waits for a removal, which waits for a task, which waits for what is created. */
function circular(drafts: readonly Draft[], { createNeeds }: Roomed): Draft | undefined {
  const { operations } = operationsOf(drafts, createNeeds);
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  return drafts.find(({ change, after = [] }) => {
    const first = `${change.address}#1`;
    return change.reason !== 'removal' && after.some((need) => waitsFor(need, first, byId));
  });
}

function waitsFor(from: Need, target: Need, byId: ReadonlyMap<string, Operation>): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === target) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    const { address, place } = partsOf(id);
    open.push(...(byId.get(id)?.needs ?? []), ...(place > 1 ? [`${address}#${place - 1}`] : []));
  }
  return false;
}

function partsOf(need: Need): { readonly address: string; readonly place: number } {
  const hash = need.lastIndexOf('#');
  return { address: need.slice(0, hash), place: Number(need.slice(hash + 1)) };
}

/** What waits for something that is not carried out. */
function forsaken(drafts: readonly Draft[]): readonly Draft[] {
  const done = new Set(drafts.flatMap(({ change, steps }) => (steps.length > 0 ? [change.address] : [])));
  const planned = new Set(drafts.map(({ change }) => change.address));
  return drafts.flatMap((draft) => {
    const { steps, after = [], requires } = draft;
    if (steps.length === 0 || isRemoval(draft)) return [];
    const label = requires.find((address) => !done.has(address));
    if (label !== undefined) {
      const name = label.slice(label.indexOf('/') + 1);
      return [blockDraft(draft, 'no-room', `Its label ${name} cannot be had; see ${label}.`, [])];
    }
    const removal = after.map((need) => partsOf(need).address).find((address) => !done.has(address));
    if (removal === undefined) return [];
    const why = planned.has(removal) ? 'is not carried out: see there' : 'is not among what is planned';
    return [blockDraft(draft, 'no-room', `It waits for the removal of ${removal}, which ${why}.`, [])];
  });
}

function blockedByCircle(draft: Draft): Draft {
  const [first = ''] = draft.after ?? [];
  const { address } = partsOf(first);
  const text = `It waits for the removal of ${address}, which tasks let go of only for this. Take the label off in an apply before, or rename it with metadata.previous_name instead.`;
  return blockDraft(draft, 'no-room', text, []);
}
