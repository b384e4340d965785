import type { ProjectNames } from '../../model/marker.ts';
import { reaches } from '../../model/reaches.ts';
import type { LiveState } from '../../model/resource.ts';
import { blockDraft, type Draft, operationId } from '../draft.ts';
import { ownedTasks } from '../identity/task-match.ts';
import { removeLabel } from './label-removal.ts';
import { operationsOf } from './operations.ts';
import type { Roomed } from './quota-and-targets.ts';

interface RemovalInput {
  /** The drafts of this plan; the order is kept. */
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
export function orderRemovals(input: RemovalInput): Roomed {
  const removals = input.all.filter(isRemoval);
  if (removals.length === 0) return input.makeRoom(input.selected);
  const owned = new Set(ownedTasks(input.project, input.live));
  const blocked = new Map<string, Draft>();
  for (;;) {
    const now = (draft: Draft) => blocked.get(draft.change.address) ?? draft;
    const roomed = input.makeRoom(input.selected.map(now));
    const drafts = roomed.drafts.map((draft) =>
      isLabelRemoval(draft) ? removeLabel(draft, roomed.drafts, input, owned) : draft,
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

/** The create of a circle: it waits for a removal, which waits for a task, which waits for what is created. */
function circular(drafts: readonly Draft[], { createNeeds }: Roomed): Draft | undefined {
  const { operations } = operationsOf(drafts, createNeeds);
  const before = new Map(
    operations.map(({ id, address, needs }, index) => {
      const previous = operations[index - 1];
      return [id, previous?.address === address ? [...needs, previous.id] : needs];
    }),
  );
  return drafts.find(({ change, after = [] }) => {
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
    const { steps, after = [], requires } = draft;
    if (steps.length === 0 || isRemoval(draft)) return [];
    const label = requires.find((address) => !done.has(address));
    if (label !== undefined) {
      const name = label.slice(label.indexOf('/') + 1);
      return [blockDraft(draft, 'no-room', `Its label ${name} is not available; see ${label}.`, [])];
    }
    const removal = after.map(({ address }) => address).find((address) => !done.has(address));
    if (removal === undefined) return [];
    const why = planned.has(removal) ? 'is not carried out: see that address' : 'is not part of the plan';
    return [blockDraft(draft, 'no-room', `It waits for the removal of ${removal}, which ${why}.`, [])];
  });
}

function blockedByCircle(draft: Draft): Draft {
  const [first] = draft.after ?? [];
  const text = `It waits for the removal of ${first?.address}, but tasks lose that label only in this plan. Remove the label from the tasks in an earlier apply, or rename it with metadata.previous_name instead.`;
  return blockDraft(draft, 'no-room', text, []);
}
