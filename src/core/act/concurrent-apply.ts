import { type Armed, isArmedOrSettled, SETTLED } from '../model/armed.ts';
import { armedOf, formatRemark, isOpen, isPending, markerOf, remarkOf } from '../model/marker.ts';
import { isLabel, isTask, type LiveResource, type LiveTask } from '../model/resource.ts';
import { placeholder } from '../plan/draft.ts';
import type { ChainState } from './chain-state.ts';
import { sameConfig, sameLabel, sameTask } from './compare.ts';
import { findOwners } from './find-owners.ts';
import { type Failed, readingOf } from './outcome.ts';
import { predictChain } from './predict.ts';
import type { Owner } from './render-body.ts';

type Seen = 'as-planned' | 'in-progress' | 'maybe' | 'otherwise';

/**
 * How often to read the task, by the last finding: a pending mark shows another apply; `maybe` is a state that another
 * apply, or a person, could have left.
 */
const MOST_LOOKS: Readonly<Record<Seen, number>> = {
  'as-planned': 1,
  'in-progress': 6,
  maybe: 3,
  otherwise: 1,
};

/**
 * Two applies of the same manifests may run at the same time. If another apply works, or may work, on the same change,
 * this one waits a moment. Resolves to true if everything is then as this chain would have left it. Nothing is written.
 */
export async function carriedOutByAnother(state: ChainState, { failure }: Failed): Promise<boolean> {
  const { kind } = failure;
  if (kind !== 'moved' && kind !== 'gone' && kind !== 'stopped') return false;
  if (readingOf(failure) !== undefined && state.task?.ownMark !== undefined) return false;
  for (let look = 1; ; look += 1) {
    const seen = await compareWithEnd(state);
    // A task without a mark (`buy_once`) does not show who stopped it: another apply might start it again in a moment.
    const meaning = seen === 'otherwise' && kind === 'stopped' ? 'maybe' : seen;
    if (look >= MOST_LOOKS[meaning]) return seen === 'as-planned';
    await state.requests.backOff(look);
  }
}

/** True if the marker is the one that this run writes: the project's current name, and the name of the task. */
export function isOf(task: LiveTask, { project, name }: Owner): boolean {
  const marker = markerOf(task);
  return marker?.project === project && marker.name === name;
}

/** A mark of this address that announces a step: another apply wrote it and will continue. */
export function isInProgress(task: LiveTask, owner: Owner): boolean {
  return isOf(task, owner) && (task.is_active ? isOpen(task) : isPending(task));
}

async function compareWithEnd(state: ChainState): Promise<Seen> {
  const { change, operations } = state.chain;
  const views = predictChain(change, operations, state.owner, (address) => state.run.created.get(address));
  const first = views[0] ?? new Map();
  const last = views.at(-1) ?? new Map();
  const seen = new Set<Seen>();
  for (const key of new Set([...first.keys(), ...last.keys()])) {
    const id = key === placeholder(change.address) ? await createdId(state) : key;
    if (id === undefined) {
      // The task may not exist yet: a replacement without room deletes first.
      seen.add('maybe');
      continue;
    }
    const look = await state.requests.look(change.kind, id);
    if (look.type === 'unreadable') return 'otherwise';
    const found = look.type === 'found' ? look.resource : undefined;
    if (found !== undefined && isTask(found)) state.resources.task(key)?.seen(found);
    seen.add(compare(switched(last.get(key), found, state), found, state.owner));
  }
  const worst = (['in-progress', 'otherwise', 'maybe'] as const).find((one) => seen.has(one));
  // Without a former state in the plan there is nothing to compare.
  return worst ?? (seen.size > 0 ? 'as-planned' : 'otherwise');
}

/** A task that should stay held but runs now was only paused by another apply that then started it: git wants it running. */
function switched(
  wanted: LiveResource | undefined,
  found: LiveResource | undefined,
  { chain }: ChainState,
): LiveResource | undefined {
  const runs = found !== undefined && isTask(found) && found.is_active;
  if (!chain.change.held || !runs || wanted === undefined || !isTask(wanted)) return wanted;
  return { ...wanted, is_active: true };
}

function compare(wanted: LiveResource | undefined, found: LiveResource | undefined, owner: Owner): Seen {
  if (asPlanned(wanted, found)) return 'as-planned';
  if (found === undefined || !isTask(found)) return 'otherwise';
  if (isInProgress(found, owner)) return 'in-progress';
  // Everything except the mark, which the last patch removes.
  const same = wanted !== undefined && isTask(wanted) && sameTask(unmarked(wanted), unmarked(found));
  return same ? 'maybe' : 'otherwise';
}

/** Id of the resource that the chain should create, whoever created it. */
async function createdId(state: ChainState): Promise<string | undefined> {
  if (state.foundId !== undefined) return state.foundId;
  const { change, operations } = state.chain;
  const name = operations.find(({ verb }) => verb === 'create')?.body?.name;
  const shownName = typeof name === 'string' ? name : undefined;
  const identity = { collection: change.kind, owner: state.owner, shownName, known: state.run.known };
  const { requests, run } = state;
  const search = await findOwners({ identity, requests, readings: run.readings });
  if (search.type === 'found' && search.owners.length === 1) state.foundId = search.owners[0]?.id;
  return state.foundId;
}

/** True if the resource is as the chain would have left it. The version may differ, and for a running task also its used mark. */
function asPlanned(wanted: LiveResource | undefined, found: LiveResource | undefined): boolean {
  if (wanted === undefined || found === undefined) return wanted === found;
  if (isLabel(wanted) || isLabel(found)) return isLabel(wanted) && isLabel(found) && sameLabel(found, wanted);
  if (isTask(wanted) && isTask(found)) {
    if (!found.is_active) return sameTask(wanted, found);
    return !isOpen(found) && sameTask(unarmed(wanted), unarmed(found));
  }
  return !isTask(wanted) && !isTask(found) && wanted.name === found.name && sameConfig(wanted, found);
}

function unmarked(task: LiveTask): LiveTask {
  return remarked(task, undefined);
}

/** The task without the parts of its marker that are used up once it runs: the armed version, and the task that it replaced. */
function unarmed(task: LiveTask): LiveTask {
  const armed = armedOf(task);
  return remarked(task, isArmedOrSettled(armed) ? SETTLED : armed);
}

function remarked(task: LiveTask, armed: Armed): LiveTask {
  const { note, marker } = remarkOf(task);
  if (marker === undefined) return task;
  const { project, name, rearm } = marker;
  return { ...task, remark: formatRemark(note, { project, name, rearm, armed }) };
}
