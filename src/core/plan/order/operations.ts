import { warning } from '../../diagnostics/diagnostic.ts';
import { bareName } from '../../model/address.ts';
import { idsOfChange } from '../../model/change.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Change, Operation, PlanDiagnostic } from '../../model/generated/plan.ts';
import { given } from '../../model/given.ts';
import { hiddenKinds, LABEL_KIND, TASK_KINDS, TEMPLATE_KINDS } from '../../model/kind.ts';
import type { ProjectNames } from '../../model/marker.ts';
import { count } from '../../model/named.ts';
import { reaches } from '../../model/reaches.ts';
import type { LiveState, LiveTask } from '../../model/resource.ts';
import { blockDraft, type Draft, type Need, operationId } from '../draft.ts';
import { ownedTasks } from '../identity/task-match.ts';
import { makeRoom, type TargetHolder } from './quota-and-targets.ts';

const COLLECTIONS: readonly string[] = [LABEL_KIND, ...TEMPLATE_KINDS, ...TASK_KINDS].map(
  ({ collection }) => collection,
);

/** The order in which people read changes: labels, templates, then tasks by kind and name. An address occurs once. */
export function byAddress(
  a: { kind: string; address: string },
  b: { kind: string; address: string },
): number {
  const rank = COLLECTIONS.indexOf(a.kind) - COLLECTIONS.indexOf(b.kind);
  return rank || compareTexts(a.address, b.address);
}

/** The operations of the changes, in the order of the drafts. `needs` contains the dependencies that are mandatory. */
export function operationsOf(drafts: readonly Draft[]): {
  readonly changes: Change[];
  readonly operations: Operation[];
} {
  const chains = drafts.map(({ change: { address }, steps, requires, after, createAfter }) =>
    steps.map(({ settle_ms, read_first, ...what }, index): Operation => {
      const first =
        index === 0 ? [...requires.map((needed) => ({ address: needed, step: 1 })), ...after] : [];
      const room = what.verb === 'create' ? createAfter : [];
      return {
        ...{ id: operationId({ address, step: index + 1 }), address, ...what },
        needs: [...new Set([...first, ...room].map(operationId))].sort(),
        ...given({ settle_ms, read_first }),
      };
    }),
  );
  const ids = (chain: readonly Operation[] = []) => chain.map(({ id }) => id);
  return {
    changes: drafts.map(({ change }, index) => ({ ...change, operations: ids(chains[index]) })),
    operations: chains.flat(),
  };
}

interface OrderInput {
  /** The drafts of this plan, in order. */
  readonly selected: readonly Draft[];
  readonly all: readonly Draft[];
  readonly live: LiveState;
  readonly project: ProjectNames;
  readonly holders: readonly TargetHolder[];
}

/**
 * Gives every create its place, and orders removals (DESIGN 6): a label is deleted after the tasks of the project no longer use it,
 * and changes that need a place or name wait for the removal that frees it. Whatever is impossible is blocked, with everything that
 * waits for it.
 */
export function orderDrafts(input: OrderInput): readonly Draft[] {
  const { selected, all, live, project, holders } = input;
  const roomFor = (drafts: readonly Draft[]) => makeRoom(drafts, live.account.quota.remaining, holders);
  if (!all.some(isRemoval)) return roomFor(selected);
  const owned = new Set(ownedTasks(project, live));
  const blocked = new Map<string, Draft>();
  for (;;) {
    const roomed = roomFor(selected.map((draft) => blocked.get(draft.change.address) ?? draft));
    const drafts = roomed.map((draft) => {
      const isLabels = isRemoval(draft) && draft.change.kind === 'label' && draft.steps.length > 0;
      return isLabels ? removeLabel(draft, roomed, input, owned) : draft;
    });
    const kept = drafts.filter(({ steps }, index) => steps.length === 0 && drafts[index] !== roomed[index]);
    const found = [...kept, ...forsaken(drafts)];
    if (found.length === 0) {
      const circle = circular(drafts);
      if (circle === undefined) return drafts;
      found.push(blockedByCircle(circle));
    }
    for (const draft of found) blocked.set(draft.change.address, draft);
  }
}

function isRemoval({ change }: Draft): boolean {
  return change.reason === 'removal';
}

/** The create in a cycle: it waits for a removal, which waits for a task, which waits for what is created. */
function circular(drafts: readonly Draft[]): Draft | undefined {
  const { operations } = operationsOf(drafts);
  const before = new Map(
    operations.map(({ id, address, needs }, index) => {
      const previous = operations[index - 1];
      return [id, previous?.address === address ? [...needs, previous.id] : needs];
    }),
  );
  return drafts.find(({ change, after }) => {
    const first = operationId({ address: change.address, step: 1 });
    const waits = after.some((need) => reaches(operationId(need), first, (id) => before.get(id) ?? []));
    return change.reason !== 'removal' && waits;
  });
}

/** Blocks drafts that wait for something that is not carried out. */
function forsaken(drafts: readonly Draft[]): readonly Draft[] {
  const done = new Set(drafts.flatMap(({ change, steps }) => (steps.length > 0 ? [change.address] : [])));
  const planned = new Set(drafts.map(({ change }) => change.address));
  return drafts.flatMap((draft) => {
    const { steps, after, requires } = draft;
    if (steps.length === 0 || isRemoval(draft)) return [];
    const label = requires.find((address) => !done.has(address));
    if (label !== undefined) {
      return [
        blockDraft(draft, 'no-room', `Its label ${bareName(label)} is not available; see ${label}.`, []),
      ];
    }
    const removal = after.map(({ address }) => address).find((address) => !done.has(address));
    if (removal === undefined) return [];
    const why = planned.has(removal) ? 'is not carried out: see that address' : 'is not part of the plan';
    return [blockDraft(draft, 'no-room', `It waits for the removal of ${removal}, which ${why}.`, [])];
  });
}

function blockedByCircle(draft: Draft): Draft {
  const [first] = draft.after;
  const text = `It waits for the removal of ${first?.address}, but tasks lose that label only in this plan. Remove the label from the tasks in an earlier apply, or rename it with metadata.previous_name instead.`;
  return blockDraft(draft, 'no-room', text, []);
}

/** The removal of a label with everything that it waits for; blocked if a task of this project keeps the label. */
function removeLabel(
  removal: Draft,
  drafts: readonly Draft[],
  { all, live }: OrderInput,
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
    // Other writes to a task must not coincide with the service removing its label.
    const last = step >= 0 ? step : planned.steps.length - 1;
    if (draft !== undefined && last >= 0) needs.push({ address: planned.change.address, step: last + 1 });
  }
  return {
    ...removal,
    after: [...removal.after, ...needs],
    warnings: [...removal.warnings, ...losesWarning(removal, losing, live, owned)],
  };
}

/** True if the draft changes the task, or is blocked because of it. */
function isAbout({ change, steps }: Draft, { id }: LiveTask): boolean {
  return (
    idsOfChange(change).includes(id) ||
    change.blocked?.ids.includes(id) === true ||
    steps.some(({ subject }) => subject === id)
  );
}

function letsGo({ verb, subject, body }: Draft['steps'][number], { id }: LiveTask): boolean {
  if (subject !== id) return false;
  return verb === 'delete' || (body !== null && 'risk_label_id' in body);
}

/** The interface does not show what deleting a label does to tasks that use it; the sandbox, like the web application, unlabels them. */
function losesWarning(
  { change: { address } }: Draft,
  losing: readonly LiveTask[],
  { visible }: LiveState,
  owned: ReadonlySet<LiveTask>,
): readonly PlanDiagnostic[] {
  const hidden = hiddenKinds(visible);
  if (losing.length === 0 && hidden.length === 0) return [];
  const ours = losing.filter((task) => owned.has(task)).length;
  const others = losing.length - ours;
  const counts = [
    ...(others === 0 ? [] : [`${count(others, 'task that is', 'tasks that are')} not of this project`]),
    ...(ours === 0
      ? []
      : [
          `${count(ours, 'task')} of this project that otherwise ${ours === 1 ? 'stays' : 'stay'} unchanged (released, kept, or by ignore_changes)`,
        ]),
  ].join(' and ');
  const unseen =
    hidden.length === 0 ? '' : ` tradeform cannot see whether ${hidden.join(' and ')} tasks use it.`;
  const used =
    counts === ''
      ? ''
      : `, and ${counts} ${losing.length === 1 ? 'loses' : 'lose'} it. Other effects on the tasks, such as a new version, are not documented`;
  return [warning('label-in-use', `${address} is deleted${used}.${unseen}`, undefined, { address })];
}
