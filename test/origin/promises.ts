import type { ApplyResult } from '../../src/core/act/report.ts';
import type { Change, Plan } from '../../src/core/model/generated/plan.ts';
import { formatVersion, isPending, markerOf } from '../../src/core/model/marker.ts';
import { unitOf } from '../../src/core/origin/tracks.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import { wallet } from '../support/builders.ts';
import {
  type Commit,
  type Content,
  describedBy,
  FIELDS,
  type Field,
  fieldAt,
  isNewer,
  pastOf,
  type Ref,
  type Values,
  valuesOf,
} from './history.ts';
import { isEdited, type Memory, nameOf, wroteLater } from './memory.ts';
import type { Planned } from './runner.ts';
import type { Strike } from './steps.ts';
import type { World } from './world.ts';

/** A run as the promises see it. */
export interface RunFacts {
  readonly name: string;
  readonly way: 'only' | 'plain' | 'rollback';
  readonly ref: Ref;
  readonly base: Ref | undefined;
  readonly to: Ref | undefined;
  /** What it carries out. */
  readonly commit: Commit;
  readonly strikes: readonly Strike[];
  writes: number;
  disturbed: boolean;
  /** The tasks as they were when it planned. */
  view: ReadonlyMap<string, StoredTask>;
}

interface Fact {
  readonly id: string;
  readonly before: StoredTask | undefined;
  readonly after: StoredTask | undefined;
}

/** The content of a task in a commit, also under its former name. */
function contentOf(commit: Commit, name: string | undefined): Content | undefined {
  return commit.find((content) => content.name === name) ?? commit.find(({ previous }) => previous === name);
}

/** Every write of a run: the promises E, R and C of DESIGN 3, and what the test remembers. */
export function onRun(world: World, run: RunFacts, fact: Fact): void {
  const { before, after } = fact;
  if (before === undefined && after !== undefined) created(world, run, after);
  else if (before !== undefined && after === undefined) deleted(world, run, before);
  else if (before !== undefined && after !== undefined) changed(world, run, before, after);
}

function created(world: World, run: RunFacts, after: StoredTask): void {
  const name = nameOf(after) ?? '';
  const content = contentOf(run.commit, name);
  const names = [name, content?.previous];
  const former = [...run.view.values()].find((task) => names.includes(nameOf(task) ?? ''));
  if (run.way === 'only' && former === undefined) createdAnew(world, run, after, name, content);
  const values = valuesOf(after);
  const by = { ref: run.ref, wrote: true, content };
  world.memories.set(after.id, {
    id: after.id,
    ack: values,
    edits: new Set(),
    by: new Map([...FIELDS, 'name' as const, 'state' as const, 'exists' as const].map((what) => [what, by])),
    stopped: undefined,
    stoppedByRun: world.memories.get(former?.id ?? '')?.stoppedByRun === true,
  });
  world.gone.delete(name);
}

function createdAnew(
  world: World,
  run: RunFacts,
  { target_wallet: target }: StoredTask,
  name: string,
  content: Content | undefined,
): void {
  const { base } = run;
  if (base === undefined) {
    world.violation('C', `${run.name} creates ${name} without a base`);
    return;
  }
  const there = world
    .line(base)
    [base.at]?.some((each) => each.name === name || each.name === content?.previous);
  const retargeted = world
    .line(base)
    .slice(base.at, run.ref.at)
    .some((commit) => {
      const was = contentOf(commit, name) ?? contentOf(commit, content?.previous ?? '');
      return (was?.target ?? content?.target) !== content?.target;
    });
  if (there && retargeted) {
    world.gap('C: a person deletes a task while git changes its target');
    return;
  }
  if (there) {
    world.violation('C', `${run.name} creates ${name}, which its base names`);
    return;
  }
  const twin = world.tasks.find(
    (task) => task.target_wallet === target && nameOf(task) !== name && nameOf(task)?.[0] === name[0],
  );
  if (twin !== undefined)
    world.violation(
      'R',
      `${run.name} creates ${name} beside ${nameOf(twin)}, the same task under another name`,
    );
  const gone = world.gone.get(name);
  if (gone === undefined) return;
  const line = world.line(run.ref);
  const { at } = gone.ref;
  const addedSince = line.some(
    (commit, index) =>
      index > at &&
      index <= run.ref.at &&
      commit.some((each) => each.name === name) &&
      !line[index - 1]?.some((each) => each.name === name),
  );
  if (gone.by === 'person' && !addedSince) world.gap('C: re-run of the job that adds it, deleted in between');
  if (gone.by === 'run' && isNewer(gone.ref, run.ref))
    world.gap('R: re-run of the job that adds it, removed by a newer run');
}

function deleted(world: World, run: RunFacts, before: StoredTask): void {
  const { id } = before;
  const memory = world.memories.get(id);
  const name = nameOf(before) ?? '';
  if (memory !== undefined && run.way === 'only') {
    for (const field of isEdited(memory, before))
      world.violation('E', `${run.name} deletes ${name}, of which a person changed ${field}`);
    const later = wroteLater(memory, 'exists', run.ref);
    if (later !== undefined) world.violation('R', `${run.name} deletes ${name}, which c${later.at + 1} made`);
    knownOnly(world, run, before, 'deletes');
    const pair = [...run.view.values()].filter((task) => task.id !== id && nameOf(task) === name);
    for (const half of pair) knownOnly(world, run, half, 'deletes the other half of');
  }
  if (contentOf(run.commit, name) === undefined) world.gone.set(name, { by: 'run', ref: run.ref });
  world.memories.delete(id);
}

/** Nothing is done to a task that was written from a commit that this run does not know. */
function knownOnly(world: World, run: RunFacts, { id }: StoredTask, what: string): void {
  const seen = run.view.get(id);
  const marker = seen && markerOf(seen);
  if (seen === undefined || marker === undefined || run.way !== 'only') return;
  if (describedBy(world.kind, world.line(run.ref), run.ref.at, marker) !== undefined) return;
  world.violation(
    'unknown',
    `${run.name} ${what} ${marker.name}, which was written from a commit that it does not know`,
  );
}

function adopted(world: World, { name: run, base }: RunFacts, name: string): void {
  if (base === undefined || contentOf(world.line(base)[base.at] ?? [], name) !== undefined)
    world.violation('E', `${run} adopts ${name}, which its base does not lack`);
}

interface Overwritten {
  readonly field: Field;
  readonly before: StoredTask;
  readonly after: StoredTask;
}

function overwritten(world: World, run: RunFacts, memory: Memory, { field, before, after }: Overwritten) {
  const name = nameOf(after) ?? '';
  const [was, is] = [valuesOf(before), valuesOf(after)];
  if (isEdited(memory, before).includes(field))
    world.violation(
      'E',
      `${run.name} writes ${field} ${was[field]} → ${is[field]} of ${name}, which a person set`,
    );
  const later = memory.edits.has(field) ? undefined : wroteLater(memory, field, run.ref);
  if (later !== undefined && later.line !== run.ref.line)
    world.gap('R: a run of the former history, of which a commit has the same text as the rewritten one');
  else if (later !== undefined)
    world.violation('R', `${run.name} writes ${field} of ${name} over what c${later.at + 1} wrote`);
  knownOnly(world, run, before, `writes ${field} of`);
}

function changed(world: World, run: RunFacts, before: StoredTask, after: StoredTask): void {
  const memory = world.memories.get(before.id);
  const name = nameOf(after) ?? '';
  const content = contentOf(run.commit, name);
  if (memory === undefined) return;
  if (run.way === 'only' && nameOf(before) === undefined) adopted(world, run, name);
  const [was, is] = [valuesOf(before), valuesOf(after)];
  for (const field of FIELDS) {
    if (was[field] === is[field]) continue;
    if (run.way === 'only') overwritten(world, run, memory, { field, before, after });
    memory.edits.delete(field);
    memory.ack = { ...memory.ack, [field]: is[field] };
    memory.by.set(field, { ref: run.ref, wrote: true, content });
  }
  if (nameOf(before) !== undefined && nameOf(before) !== name) {
    if (run.way === 'only') renamed(world, run, memory, before, name);
    memory.by.set('name', { ref: run.ref, wrote: true, content });
  }
  const [old, next] = [markerOf(before)?.version, markerOf(after)?.version];
  if (old !== undefined && next !== undefined && formatVersion(old) !== formatVersion(next))
    knownOnly(world, run, before, 'writes the version of');
  acknowledged(world, memory, before, after);
  if (before.is_active === after.is_active) return;
  if (after.is_active) started(world, run, memory, before, name, content);
  else {
    memory.stoppedByRun = content?.state !== 'active';
    if (content?.state === 'paused') memory.by.set('state', { ref: run.ref, wrote: true, content });
  }
}

function renamed(world: World, run: RunFacts, memory: Memory, before: StoredTask, name: string): void {
  const later = wroteLater(memory, 'name', run.ref);
  if (later !== undefined && later.line === run.ref.line)
    world.violation('R', `${run.name} renames ${nameOf(before)} to ${name} over c${later.at + 1}`);
  knownOnly(world, run, before, 'renames');
}

/** A version was written: what it names is acknowledged. */
function acknowledged(world: World, memory: Memory, before: StoredTask, after: StoredTask): void {
  const [was, is] = [markerOf(before)?.version, markerOf(after)?.version];
  const marker = markerOf(after);
  if (is === undefined || marker === undefined || was?.digest === is.digest) return;
  for (const line of world.histories.lines) {
    const content = describedBy(world.kind, line, Infinity, marker);
    if (content === undefined) continue;
    const { amount, tip, note }: Values = content;
    memory.ack = { amount, tip, note };
  }
}

function started(
  world: World,
  run: RunFacts,
  memory: Memory,
  before: StoredTask,
  name: string,
  content: Content | undefined,
): void {
  const { stopped } = memory;
  if (run.way === 'only') {
    const by = memory.by.get('state');
    if (by?.content?.state === 'paused' && wroteLater(memory, 'state', run.ref) !== undefined)
      world.violation('R', `${run.name} starts ${name}, which c${by.ref.at + 1} stopped`);
    // A rename writes the value with the name, before the start.
    const seen = markerOf(run.view.get(before.id) ?? before);
    const rearmed = content?.rearm !== undefined && content.rearm !== seen?.rearm;
    if (stopped !== undefined && !rearmed && !isAskedAnew(world, run, stopped, name)) {
      if (stopped.gap) world.gap('1 of DESIGN 3: a person pauses in the midst of an interrupted apply');
      else world.violation('E', `${run.name} starts ${name}, which a person stopped`);
    }
    knownOnly(world, run, before, 'starts');
    mixed(world, run, before, name, content);
  }
  memory.stopped = undefined;
  memory.stoppedByRun = false;
  memory.by.set('state', { ref: run.ref, wrote: true, content });
}

/** Git's state changed after the stop, or git wanted it paused already; or the commit has a rearm value that the marker lacks. */
function isAskedAnew(
  world: World,
  run: RunFacts,
  { ref, wanted }: NonNullable<Memory['stopped']>,
  name: string,
): boolean {
  if (ref.line !== run.ref.line || wanted === 'paused') return true;
  const past = pastOf(world.line(run.ref), run.ref.at, name);
  const since = world
    .line(run.ref)
    .slice(ref.at, run.ref.at + 1)
    .map((commit) => commit.find((each) => each.name[0] === name[0]));
  return (
    past.length > 0 &&
    since.some((each, index) => {
      const former = since[index - 1];
      return index > 0 && (each?.state !== former?.state || each?.rearm !== former?.rearm);
    })
  );
}

/** A stopped task that git newly starts does not start with somebody's values. */
function mixed(
  world: World,
  run: RunFacts,
  before: StoredTask,
  name: string,
  content: Content | undefined,
): void {
  const seen = run.view.get(before.id);
  if (seen === undefined || seen.is_active || isPending(seen) || content === undefined) return;
  const { amount, tip } = valuesOf(before);
  if (amount !== content.amount || tip !== content.tip)
    world.violation('E', `${run.name} starts ${name} with values that git does not have`);
}

/** Where `drift` and `--only pending` speak of the same difference: one set of fields each. */
export function afterPlan(world: World, run: RunFacts, { plan, drift }: Planned): void {
  if (run.way !== 'only') return;
  // The fields of a pair are those of both halves together, and what a person changed in the new one trades next.
  const pairs = new Set(
    plan.changes.flatMap(({ reason, address }) => (reason === 'replacement-in-progress' ? [address] : [])),
  );
  const alone = plan.changes.filter((change) => isDone(change) && !pairs.has(change.address));
  const taken = new Set(alone.flatMap((change) => fieldsOf(change)));
  const pending = new Set(
    drift
      .filter(({ address }) => !pairs.has(address ?? ''))
      .flatMap(({ address, fields }) =>
        fields.flatMap((field) => (field.class === 'pending' ? [`${address} ${unitOf(field.path)}`] : [])),
      ),
  );
  const left = new Set(
    (plan.left ?? []).flatMap(({ address, fields, text }) => [
      ...(text === null ? [] : [address]),
      ...fields.map(({ path }) => `${address} ${unitOf(path)}`),
    ]),
  );
  for (const what of pending)
    if (!taken.has(what) && !left.has(what) && !left.has(what.split(' ')[0] ?? '') && !isBlocked(plan, what))
      world.violation('law', `drift calls ${what} pending, ${run.name} neither takes nor leaves it`);
  for (const what of taken)
    if (!pending.has(what))
      world.violation('law', `${run.name} takes ${what}, which drift does not call pending`);
  for (const change of plan.changes.filter(isDone)) {
    const memory = world.memories.get(String(change.former?.id ?? ''));
    const task = world.tasks.find(({ id }) => id === memory?.id);
    if (memory === undefined || task === undefined) continue;
    for (const { path } of change.fields) {
      const field = fieldAt(world.kind, path);
      if (field !== undefined && isEdited(memory, task).includes(field))
        world.violation('law', `${run.name} plans ${change.address} ${path}, which a person set`);
    }
  }
}

function isBlocked({ changes }: Plan, what: string): boolean {
  return changes.some(({ address, blocked }) => blocked !== null && what.startsWith(`${address} `));
}

function isDone({ blocked, operations }: Change): boolean {
  return blocked === null && operations.length > 0;
}

/** The fields that a change in place writes. Creates and deletes are decided by the base, or whole. */
function fieldsOf({ address, former, actions, fields }: Change): readonly string[] {
  if (former === null || actions.includes('delete') || actions.includes('adopt')) return [];
  return fields.filter(({ legacy }) => legacy !== true).map(({ path }) => `${address} ${unitOf(path)}`);
}

interface Ended {
  readonly plan: Plan;
  readonly report: ApplyResult;
  /** The plan of the same run once more; undefined if something came between. */
  readonly again: Plan | undefined;
}

const GOOD = new Set(['done', 'held', 'unchanged']);

/** The end of a run that was not killed. */
export function afterRun(world: World, run: RunFacts, { plan, report, again }: Ended): void {
  const bad = report.changes.filter(({ status }) => !GOOD.has(status));
  const blocked = plan.changes.some((change) => change.blocked !== null);
  if (again !== undefined) {
    for (const { address, status, text } of bad)
      if (!plan.changes.some((change) => change.address === address && change.blocked !== null))
        world.violation('clean', `${run.name}, undisturbed: ${address} ${status} ${text}`);
    if (again.operations.length > 0)
      world.violation(
        'empty',
        `${run.name} once more: ${again.operations.map(({ address, verb }) => `${verb} ${address}`).join(', ')}`,
      );
    for (const address of unsaid(world, run, again))
      world.violation('said', `${run.name} leaves ${address} and does not say so`);
  }
  if (bad.length > 0) return;
  found(world, run, plan);
  const { whole } = world;
  const isWhole = !blocked && (plan.left ?? []).length === 0 && !plan.changes.some(({ held }) => held);
  if (!isWhole || run.ref.line !== world.head.line) return;
  const ref = run.to ?? run.ref;
  // What is applied whole without --only is what the service has now, however old it is.
  if (run.way !== 'only' || whole === undefined || isNewer(ref, whole)) world.whole = ref;
}

/**
 * What the run found in place, it confirms. Where git changed the task since the base, no commit in between may write over it any
 * more, as if the run had written it.
 */
function found(world: World, { commit, ref, base, way }: RunFacts, { left = [] }: Plan): void {
  const since = base === undefined || way !== 'only' ? [] : world.line(ref).slice(base.at, ref.at);
  for (const task of world.tasks) {
    const name = nameOf(task);
    const memory = world.memories.get(task.id);
    const content = commit.find((each) => each.name === name);
    if (memory === undefined || content === undefined) continue;
    if (left.some(({ address }) => address.endsWith(`/${name}`))) continue;
    const wrote = since.some((one) => JSON.stringify(contentOf(one, name)) !== JSON.stringify(content));
    for (const what of [...FIELDS, 'name' as const, 'exists' as const]) {
      const by = memory.by.get(what);
      if (by === undefined || isNewer(ref, by.ref)) memory.by.set(what, { ref, wrote, content });
    }
  }
}

/** Addresses at which the service is not as the commit says, and of which the plan says nothing. */
export function unsaid(world: World, run: RunFacts, plan: Plan): readonly string[] {
  const said = new Set([
    ...(plan.left ?? []).map(({ address }) => address),
    ...plan.changes.flatMap(({ address, previous_address, held, blocked }) =>
      held || blocked !== null ? [address, previous_address] : [],
    ),
  ]);
  const observed = new Set(plan.observations.map(({ id }) => id));
  return differing(world, run.commit)
    .filter(({ address, ids }) => !said.has(address) && !ids.some((id) => observed.has(id)))
    .map(({ address }) => address);
}

interface Difference {
  readonly address: string;
  readonly ids: readonly string[];
  /** It differs in nothing but that it is paused. */
  readonly paused: boolean;
}

export function differing({ kind, tasks }: World, commit: Commit): readonly Difference[] {
  const named = (name: string) => tasks.filter((task) => nameOf(task) === name);
  const wanted = commit.flatMap((content): Difference[] => {
    const address = `${kind}/${content.name}`;
    const [task, more] = named(content.name);
    const same =
      task !== undefined &&
      more === undefined &&
      FIELDS.every((field) => valuesOf(task)[field] === content[field]) &&
      task.target_wallet === wallet(content.target);
    const asWanted = content.state === 'manual' || task?.is_active === (content.state === 'active');
    if (same && asWanted) return [];
    const ids = [task, more].flatMap((each) => each?.id ?? []);
    return [{ address, ids, paused: same && content.state === 'active' }];
  });
  const orphans = tasks.flatMap((task): Difference[] => {
    const name = nameOf(task);
    return name === undefined ||
      commit.some((each) => each.name === name || (each.previous === name && named(each.name).length === 0))
      ? []
      : [{ address: `${kind}/${name}`, ids: [task.id], paused: false }];
  });
  return [...wanted, ...orphans];
}
