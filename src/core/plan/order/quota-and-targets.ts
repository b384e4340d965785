import { idsOfChange } from '../../model/change.ts';
import { isTaskCollection } from '../../model/kind.ts';
import { reaches } from '../../model/reaches.ts';
import { blockDraft, type Draft, type Need } from '../draft.ts';

/**
 * The shared task quota (DESIGN 3 and 6): creates that have no free place wait for deletes that free one; a replacement
 * borrows a place and gives one back; without any it deletes first. What still finds no place is blocked.
 */
function withinQuota(drafts: readonly Draft[], remaining: number): readonly Draft[] {
  const noPlace = `The task quota of the account is used up (${Math.max(0, remaining)} remaining). Delete a task, or ask for a larger quota.`;
  const free: (Need | undefined)[] = Array.from({ length: Math.max(0, remaining) }, () => undefined);
  for (const draft of drafts) if (!needsPlace(draft)) free.push(...spareDeletes(draft));
  const givenBack: (Need | undefined)[] = [];
  const result = new Map<string, Draft>();

  const take = (draft: Draft, place: Need | undefined): void => {
    result.set(draft.change.address, place === undefined ? draft : { ...draft, createAfter: [place] });
    givenBack.push(...deleteIds(draft));
  };
  const replacements = drafts.filter(({ withoutRoom }) => withoutRoom !== undefined);
  const yielding = new Set(replacements.filter(canDeleteFirst));
  for (const draft of [...replacements.filter((one) => !yielding.has(one)), ...yielding]) {
    if (!needsPlace(draft)) result.set(draft.change.address, draft);
    else if (free.length > 0) take(draft, free.shift());
    else if (!yielding.has(draft) && givenBack.length > 0) take(draft, givenBack.shift());
    else {
      const other = draft.withoutRoom?.() ?? draft;
      free.push(...spareDeletes(other));
      result.set(draft.change.address, other);
    }
  }
  for (const draft of drafts) {
    if (draft.withoutRoom !== undefined || !needsPlace(draft)) continue;
    const places = free.length > 0 ? free : givenBack;
    if (places.length > 0) take(draft, places.shift());
    else result.set(draft.change.address, blockDraft(draft, 'no-room', noPlace, []));
  }
  return drafts.map((draft) => result.get(draft.change.address) ?? draft);
}

/** Labels and templates do not use the quota (interface, "Templates"). */
function creates({ change, steps }: Draft): boolean {
  return isTaskCollection(change.kind) && steps.some(({ verb }) => verb === 'create');
}

/** False if the chain itself deletes a task before it creates one. */
function needsPlace(draft: Draft): boolean {
  const { steps } = draft;
  if (!creates(draft)) return false;
  const create = steps.findIndex(({ verb }) => verb === 'create');
  const firstDelete = steps.findIndex(({ verb }) => verb === 'delete');
  return firstDelete < 0 || create < firstDelete;
}

/** False for a replacement that is refused without room for both tasks, since nothing would remember that somebody stopped it. */
function canDeleteFirst({ withoutRoom }: Draft): boolean {
  return withoutRoom?.().change.blocked === null;
}

/** Deletes that free a place for others. If the chain creates as well, its first delete frees its own place. */
function spareDeletes(draft: Draft): readonly Need[] {
  return creates(draft) ? deleteIds(draft).slice(1) : deleteIds(draft);
}

function deleteIds({ change, steps }: Draft): readonly Need[] {
  if (!isTaskCollection(change.kind)) return [];
  return steps.flatMap(({ verb }, index) =>
    verb === 'delete' ? [{ address: change.address, step: index + 1 }] : [],
  );
}

/** Who holds a target now, of a kind whose targets are unique, or may be. */
export interface TargetHolder {
  readonly collection: string;
  readonly id: string;
  readonly target: string;
  /** True if it is documented that only one task can have it; else a create is tried also while it is held. */
  readonly unique: boolean;
}

function holderKey(collection: string, target: string): string {
  return `${collection} ${target}`;
}

/**
 * Finds every create a place in the quota and, for kinds whose targets are or may be unique, its target (DESIGN 6): a create waits for
 * the delete that frees them. If replacements wait for each other in a cycle, one of them deletes first. A target that
 * stays used blocks its change; then everything is computed again without that change.
 */
export function makeRoom(
  drafts: readonly Draft[],
  remaining: number,
  holders: readonly TargetHolder[],
): readonly Draft[] {
  const byTarget = new Map<string, TargetHolder>(
    holders.map((holder) => [holderKey(holder.collection, holder.target), holder]),
  );
  const decided = new Map<string, Draft>();
  /** Changes that try their create while another task has the target. */
  const tried = new Set<string>();
  for (;;) {
    const roomed = withinQuota(
      drafts.map((draft) => decided.get(draft.change.address) ?? draft),
      remaining,
    );
    const { needs, blocked: holding } = waitsOf(roomed, byTarget, tried);
    const placed = roomed.map((draft) => {
      const need = needs.get(draft.change.address);
      return need === undefined ? draft : { ...draft, createAfter: [...draft.createAfter, need] };
    });
    const circular = holding.size > 0 ? undefined : circle(placed);
    if (holding.size === 0 && circular === undefined) return placed;
    for (const draft of roomed) {
      const { address } = draft.change;
      const blocked = holding.get(address);
      if (blocked !== undefined)
        decided.set(address, blockDraft(draft, 'target-held', blocked.text, [blocked.id]));
      else if (address !== circular) continue;
      else if (canDeleteFirst(draft) || tried.has(address))
        decided.set(address, draft.withoutRoom?.() ?? draft);
      else tried.add(address);
    }
  }
}

function waitsOf(
  drafts: readonly Draft[],
  holders: ReadonlyMap<string, TargetHolder>,
  tried: ReadonlySet<string>,
) {
  const freed = new Map<string, Draft>();
  for (const draft of drafts) {
    if (!draft.steps.some(({ verb }) => verb === 'delete')) continue;
    for (const target of draft.freesTargets ?? []) freed.set(holderKey(draft.change.kind, target), draft);
  }
  const needs = new Map<string, Need>();
  const blocked = new Map<string, { id: string; text: string }>();
  for (const { change, steps, takesTarget } of drafts) {
    if (takesTarget === undefined || !steps.some(({ verb }) => verb === 'create')) continue;
    const key = holderKey(change.kind, takesTarget);
    const holder = holders.get(key);
    if (holder === undefined || (!holder.unique && tried.has(change.address))) continue;
    const release = freed.get(key);
    if (release === undefined) {
      if (!holder.unique) continue;
      // What no manifest names keeps its target: it is released, or only paused.
      const own = drafts.find(
        ({ change: { reason, ...of } }) =>
          idsOfChange(of).includes(holder.id) &&
          !['released', 'not-in-manifests', 'never-named'].includes(reason),
      )?.change.address;
      const advice =
        own === undefined
          ? 'Remove that task, or adopt it with metadata.id.'
          : `${own} has to give it up first.`;
      const text = `The task ${holder.id} has the target ${takesTarget} already, and only one task can copy a target. ${advice}`;
      blocked.set(change.address, { id: holder.id, text });
    } else if (release.change.address !== change.address) {
      needs.set(change.address, { address: release.change.address, step: deletePlace(release, holder) + 1 });
    }
  }
  return { needs, blocked };
}

/** The index of the step that deletes the holder of a target. A chain may delete two tasks. */
function deletePlace({ steps }: Draft, { id }: TargetHolder): number {
  const exact = steps.findIndex(({ verb, subject }) => verb === 'delete' && subject === id);
  return exact >= 0 ? exact : steps.findLastIndex(({ verb }) => verb === 'delete');
}

/**
 * Chooses one change from a cycle in which all create before they free what the next one waits for. The chosen change must be able
 * to delete first. One that is refused then is chosen only if there is no other.
 */
function circle(drafts: readonly Draft[]): string | undefined {
  const byAddress = new Map(drafts.map((draft) => [draft.change.address, draft]));
  /** The changes that a create waits for, if these create before they free what it needs. */
  const next = (waiting: string) =>
    (byAddress.get(waiting)?.createAfter ?? []).flatMap(({ address, step }) => {
      const create = byAddress.get(address)?.steps.findIndex(({ verb }) => verb === 'create') ?? -1;
      return create >= 0 && create < step - 1 ? [address] : [];
    });
  const yielding = drafts.filter(({ withoutRoom, steps }) => withoutRoom !== undefined && steps.length > 0);
  const found = yielding.filter(({ change: { address } }) =>
    next(address).some((needed) => reaches(needed, address, next)),
  );
  return (found.find(canDeleteFirst) ?? found[0])?.change.address;
}
