import type { DesiredRemoval, DesiredState } from '../../desired/state.ts';
import type { Json } from '../../model/json.ts';
import type { LiveNamed, LiveState } from '../../model/resource.ts';
import { blockDraft, type Draft, draftOf, StepChain } from '../draft.ts';
import { ownedTasks } from '../identity/task-match.ts';
import { field } from '../task/compare-task.ts';

/**
 * Deletes the templates and labels of Removals (DESIGN 2); entries that are not on the service are done. `claimed`:
 * live resources that manifests describe, with the addresses of these manifests. Labels that no task of the project
 * uses come first: they wait for nothing.
 */
export function planRemovals(
  desired: DesiredState,
  live: LiveState,
  claimed: ReadonlyMap<LiveNamed, string>,
): readonly Draft[] {
  const { removals } = desired;
  if (removals.length === 0) return [];
  const used = new Set(ownedTasks(desired, live).map(({ risk_label_id: id }) => id));
  const isUsed = ({ change }: Draft) => Number(used.has(change.id));
  return removals
    .flatMap((removal) => removalOf(removal, [...live.labels, ...live.templates], claimed))
    .sort((a, b) => isUsed(a) - isUsed(b));
}

function removalOf(
  removal: DesiredRemoval,
  live: readonly LiveNamed[],
  claimed: ReadonlyMap<LiveNamed, string>,
): readonly Draft[] {
  const found = live.filter(
    ({ collection, name }) => collection === removal.collection && name.trim() === removal.name,
  );
  const [first, second] = found;
  if (first === undefined) return [];
  const draft = deletion(removal, first);
  const owner = found.map((item) => claimed.get(item)).find((address) => address !== undefined);
  const ids = found.map(({ id }) => id).sort();
  if (owner !== undefined) {
    const text = `${owner} describes it, by metadata.id or previous_name. Remove one of the two.`;
    return [blockDraft(draft, 'conflict', text, ids)];
  }
  if (second === undefined) return [draft];
  const text = `${ids.length} resources have this name: ${ids.join(', ')}. None is deleted; delete the right one in the web application.`;
  return [blockDraft(draft, 'conflict', text, ids)];
}

function deletion(removal: DesiredRemoval, live: LiveNamed): Draft {
  const chain = new StepChain(removal.address);
  chain.delete(live);
  const gone = (path: string, before: Json | undefined) => field(removal, path, before, undefined);
  const order = 'sort_order' in live && live.sort_order !== null ? [gone('sort_order', live.sort_order)] : [];
  const fields = [gone('name', live.name), ...order];
  return draftOf(removal, live, { actions: ['delete'], reason: 'removal', fields }, { steps: chain.steps });
}

/**
 * Names are unique on the service among labels and among templates, perhaps across both template kinds and perhaps
 * ignoring case (not documented): a change that needs a name waits for the removal that frees it.
 */
export function afterRemovals(drafts: readonly Draft[], removed: readonly Draft[]): readonly Draft[] {
  const freed = new Map(
    removed
      .filter(({ change }) => change.blocked === null)
      .map(({ change }) => [nameKey(change.kind, change.name), change.address]),
  );
  if (freed.size === 0) return drafts;
  return drafts.map((draft) => {
    const { change } = draft;
    const taken = change.fields.find(({ path }) => path === 'name')?.after;
    const address = typeof taken === 'string' ? freed.get(nameKey(change.kind, taken)) : undefined;
    return change.blocked === null && address !== undefined ? waitingFor(draft, address) : draft;
  });
}

function nameKey(kind: string, name: string): string {
  return `${kind === 'label' ? 'label' : 'template'} ${name.trim().toLowerCase()}`;
}

/** Removals are one request each. */
export function waitingFor(draft: Draft, removal: string): Draft {
  if (draft.after.some(({ address }) => address === removal)) return draft;
  return { ...draft, after: [...draft.after, { address: removal, step: 1 }] };
}
