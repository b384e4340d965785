import type { DesiredTask } from '../../src/core/desired/state.ts';
import { isOff } from '../../src/core/model/armed.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import type { LiveState } from '../../src/core/model/resource.ts';
import { isRefused } from '../../src/core/plan/plan.ts';
import type { HttpRequest } from '../../src/core/ports/transport.ts';
import { finishes, gotOver, nothingLeftPaused, secondPlanEmpty } from './at-rest.ts';
import type { Client, RunEnd } from './client.ts';
import {
  CLONE_GAP,
  isOutdatedAgain,
  legacyAddresses,
  OUTDATED_GAP,
  START_GAPS,
  UNNAMED_GAP,
} from './gaps.ts';
import { addressOf, FIELDS, fieldsOf, isPending, markOf } from './marks.ts';
import { subjectOf } from './requests.ts';
import type { Simulation } from './simulation.ts';
import type { Fact, Stop, Story } from './story.ts';
import type { NamedFact } from './world.ts';

/** A problem in words; undefined where all is well. */
type Problem = string | undefined;

/** Something that must hold at every commit, request, plan or end of a run, or once everything is at rest. */
export interface Invariant {
  readonly name: string;
  readonly onCommit?: (fact: Fact, simulation: Simulation) => Problem;
  readonly onNamed?: (fact: NamedFact) => Problem;
  readonly onRequest?: (client: Client, request: HttpRequest, simulation: Simulation) => Problem;
  /** `begun`: commits before the reading. */
  readonly onPlan?: (
    client: Client,
    plan: Plan,
    live: LiveState,
    simulation: Simulation,
    begun: number,
  ) => Problem;
  /** A chain begins. */
  readonly onBegin?: (client: Client, plan: Plan, address: string) => Problem;
  readonly onEnd?: (client: Client, end: RunEnd, simulation: Simulation) => Problem;
  readonly atRest?: (simulation: Simulation) => readonly string[];
}

export const INVARIANTS: readonly Invariant[] = [
  { name: 'one-task-per-address', onCommit: oneTaskPerAddress },
  { name: 'one-active-per-address', onCommit: oneActivePerAddress },
  { name: 'unowned-untouched', onCommit: unownedUntouched, onNamed: namedUntouched },
  { name: 'edit-stays', onCommit: editStays },
  { name: 'no-unasked-start', onCommit: noUnaskedStart },
  { name: 'buy-once-one-start-per-ask', onCommit: oneStartPerAsk },
  { name: 'version-decided-on', onRequest: versionDecidedOn },
  { name: 'unproven-view-writes-nothing', onPlan: provenView, onEnd: nothingWritten },
  { name: 'what-lowers-goes-first', onBegin: lowersFirst },
  { name: 'token-nowhere', onEnd: tokenNowhere },
  { name: 'left-paused-is-said', onEnd: leftPausedIsSaid },
  { name: 'said-held-is-held', onEnd: saidHeldIsHeld },
  { name: 'said-start-is-pending', onEnd: saidStartIsPending },
  { name: 'said-trading-was-not-paused', onEnd: saidTradingWasNotPaused },
  { name: 'saved-plan-goes-on-after-a-crash', onEnd: goesOn },
  { name: 'one-fault-is-got-over', atRest: gotOver },
  { name: 'undisturbed-run-finishes', atRest: finishes },
  { name: 'second-plan-empty', atRest: secondPlanEmpty },
  { name: 'nothing-left-paused', atRest: nothingLeftPaused },
];

function oneTaskPerAddress({ actor, id, before, after }: Fact, simulation: Simulation): Problem {
  const { ledger, fired } = simulation;
  if (actor.type !== 'runner' || after === undefined) return undefined;
  const address = addressOf(after);
  if (address === undefined || (before !== undefined && addressOf(before) === address)) return undefined;
  const others = ledger.owners(address).filter((story) => story.id !== id && story.createdBy !== 'person');
  const [other, more] = others;
  if (other === undefined) return undefined;
  const replaces = markOf(after.remark)?.replaces;
  if (more === undefined && replaces !== undefined && other.id.startsWith(replaces)) return undefined;
  if (isOutdatedAgain(fired)) return simulation.excuse(OUTDATED_GAP);
  return `${address}: ${id} beside ${others.map((story) => story.id).join(', ')}`;
}

/** What a person edited after a runner had planned is not written over by it, and not deleted. */
function editStays({ actor, id, before, after }: Fact, { ledger }: Simulation): Problem {
  if (actor.type !== 'runner' || before === undefined || !actor.request.path.includes(id)) return undefined;
  const saw = actor.client.saw.get(id);
  const [was, is] = [fieldsOf(before), after && fieldsOf(after)];
  const lost = FIELDS.find((field) => {
    const { value, version = 0 } = ledger.story(id).edits.get(field) ?? {};
    if (value !== was[field] || version <= (saw?.version ?? 0) || value === is?.[field]) return false;
    return saw === undefined || fieldsOf(saw)[field] !== value;
  });
  return lost && `${id}: the ${lost} that somebody wrote while the apply ran is gone`;
}

function isStart({ actor, before, after }: Fact): boolean {
  return actor.type === 'runner' && before?.is_active === false && after?.is_active === true;
}

function oneActivePerAddress(fact: Fact, simulation: Simulation): Problem {
  const { ledger } = simulation;
  if (!isStart(fact) || fact.after === undefined) return undefined;
  const address = addressOf(fact.after);
  if (address === undefined) return undefined;
  const running = ledger
    .owners(address)
    .filter(({ id, record, startedBy }) => id !== fact.id && record?.is_active && startedBy !== 'person');
  const [other] = running;
  if (other === undefined) return undefined;
  if (isOutdatedAgain(simulation.fired)) return simulation.excuse(OUTDATED_GAP);
  const clones = running.every(({ cloned }) => cloned) || ledger.story(fact.id).cloned;
  return clones ? simulation.excuse(CLONE_GAP) : `${address}: ${fact.id} beside ${other.id}`;
}

function unownedUntouched({ actor, id, before, after }: Fact, { base }: Simulation): Problem {
  if (actor.type !== 'runner' || before === undefined || markOf(before.remark) !== undefined)
    return undefined;
  const what = `${id} (${before.remark})`;
  if (after === undefined) return `deleted ${what}`;
  // What is adopted in order to be stopped is paused first, then marked.
  const adopted = actor.client.adopts.has(id);
  if (before.is_active && !after.is_active && adopted) return undefined;
  if (after.is_active !== before.is_active) return `switched ${what}`;
  // A deleted label is gone from its tasks, whosesoever they are.
  const { path } = actor.request;
  if (path.startsWith('/labels/') && after.remark === before.remark && after.config === before.config)
    return undefined;
  const wanted = actor.client.wanted(addressOf(after) ?? '');
  if (wanted === undefined) return `changed ${what}`;
  if (wanted.id === id) return undefined;
  const remark = parseRemark(before.remark);
  if (remark.type === 'marked' && base.spec.takeOver?.includes(remark.marker.project)) return undefined;
  if (remark.type !== 'plain') return `took over ${what}`;
  const certain = remark.note === wanted.note && remark.note !== '';
  const sameTarget = before.target_wallet === wanted.target_wallet;
  return sameTarget && (certain || wanted.collection === 'copy-trade') ? undefined : `adopted ${what}`;
}

/** Labels and templates are identified by their names: what git does not name is left alone. */
function namedUntouched({ actor, collection, before, after }: NamedFact): Problem {
  if (actor.type !== 'runner' || before === undefined) return undefined;
  const { labels, templates, removals } = actor.client.revision;
  const wanted = [...labels, ...templates].filter((one) => one.collection === collection);
  const isRemoved = removals.some((one) => one.collection === collection && one.name === before);
  if (after === undefined && isRemoved) return undefined;
  if (wanted.some(({ shownName, previousName }) => shownName === before || previousName === before))
    return undefined;
  return `${after === undefined ? 'removed' : 'changed'} ${before}`;
}

/** What a person or a first trade stopped stays stopped until the manifests or the operator ask anew. */
function noUnaskedStart(fact: Fact, simulation: Simulation): Problem {
  const { actor, id, after } = fact;
  if (!isStart(fact) || after === undefined || actor.type !== 'runner') return undefined;
  const story = simulation.ledger.story(id);
  const wanted = actor.client.wanted(addressOf(after) ?? '');
  if (wanted === undefined || wanted.state === 'paused') return `started ${id}, which is not to run`;
  if (
    wanted.state === 'manual' &&
    story.pausedBy === undefined &&
    story.createdBy !== 'runner' &&
    !seededPending(story) &&
    story.stop === undefined
  ) {
    return story.cloned ? simulation.excuse(CLONE_GAP) : `started ${id}, whose switch is not managed`;
  }
  for (const stop of stopsOf(story, simulation)) {
    if (isAskedAnew(stop, wanted, actor.client, story)) continue;
    const gap = gapOf(stop, story, actor.client) ?? unnamedGap(stop, story, simulation);
    if (gap === undefined) return `started ${id}, which was stopped by ${stop.by}`;
    simulation.excuse(gap);
  }
  return undefined;
}

/**
 * That of the task, and of the one that it replaces while that is still there, was still ours when it was stopped, and has a marker that
 * can be read: nobody knows what a damaged one said.
 */
function stopsOf(story: Story, { ledger }: Simulation): readonly Stop[] {
  const predecessor = ledger.predecessor(story);
  const isRead = parseRemark(predecessor?.record?.remark ?? '').type === 'marked';
  const counts = isRead && predecessor?.stop?.owned === true;
  const before = counts ? predecessor.stop : undefined;
  return [story.stop, before].filter((stop) => stop !== undefined);
}

function gapOf(stop: Stop, story: Story, starter: Client): string | undefined {
  return START_GAPS.find(({ explains }) => explains(stop, story, starter))?.name;
}

/** Nobody can tell why a former task without a marker is off, unless the new one has been told that it is to stay off. */
function unnamedGap({ on }: Stop, { id, remembers }: Story, { ledger }: Simulation): string | undefined {
  return on !== id && !remembers && ledger.story(on).unnamed ? UNNAMED_GAP : undefined;
}

function seededPending({ createdBy, stop }: Story): boolean {
  return createdBy === 'seed' && stop === undefined;
}

function isAskedAnew(stop: Stop, wanted: DesiredTask, client: Client, story: Story): boolean {
  if (stop.owned && stop.armed === undefined && wanted.state === 'active') return true;
  if (stop.owned && wanted.rearm !== undefined && wanted.rearm !== stop.rearm) return true;
  const buyOnce = wanted.config.buy_once === true || story.record?.config.buy_once === true;
  return stop.owned && client.revision.stoppedTasks === 'resume' && !buyOnce && !isOff(stop.armed);
}

function oneStartPerAsk(fact: Fact, simulation: Simulation): Problem {
  const { actor, id, after } = fact;
  if (!isStart(fact) || after?.config.buy_once !== true || actor.type !== 'runner') return undefined;
  const story = simulation.ledger.story(id);
  if (story.permits > 0 || story.cloned) return undefined;
  const explained = stopsOf(story, simulation).some((stop) => gapOf(stop, story, actor.client) !== undefined);
  return explained ? undefined : `started ${id} once more than was asked`;
}

/** A version that an answer has shown to this client: neither none, nor one that it made up. */
function versionDecidedOn(client: Client, request: HttpRequest): Problem {
  const id = subjectOf(request);
  if (id === undefined || request.method === 'GET') return undefined;
  const sent = request.headers['if-match'];
  const version = /^"v(\d+)"$/.exec(sent ?? '')?.[1];
  if (client.shown.has(`${id} ${version}`)) return undefined;
  return `${request.method} ${request.path}: sent ${sent}, which no answer has shown`;
}

/**
 * A view that counts as complete shows what was there all the time, and nothing that had gone before. Where `updated_at` lags the
 * `Date`, one reading is no proof (DESIGN 4): it may lack a task, and nothing is created or deleted on its word.
 */
function provenView(_: Client, plan: Plan, live: LiveState, simulation: Simulation, begun: number): Problem {
  const risky = plan.operations.some(({ verb }) => verb === 'create' || verb === 'delete');
  if (!live.complete) return risky && !isRefused(plan) ? 'creates or deletes on an unproven view' : undefined;
  if (simulation.fired.some(({ kind }) => kind === 'stale')) return undefined;
  if (simulation.base.choices.date_header === 'ahead' && !live.confirmed && !risky) return undefined;
  const shown = new Set(live.tasks.map(({ id }) => id));
  for (const { id, born, died } of simulation.ledger.stories.values()) {
    if (died === undefined && born <= begun && !shown.has(id)) return `${id} is missing in a complete view`;
    if (died !== undefined && died <= begun && shown.has(id)) return `${id} is gone and in a complete view`;
  }
  return undefined;
}

/** Nothing that raises or starts begins while a change that lowers has not begun, and waits for nothing but what changes no stake. */
function lowersFirst({ events, continued }: Client, plan: Plan, address: string): Problem {
  const rise = ({ exposure, starts_trading, stops_trading }: Plan['changes'][number]) =>
    stops_trading ? -1 : starts_trading ? 1 : Number(exposure.after) - Number(exposure.before);
  const begins = plan.changes.find((change) => change.address === address);
  if (begins === undefined || continued.has(address) || rise(begins) <= 0) return undefined;
  const begun = new Set<string>();
  const done = new Set<string>();
  for (const event of events) {
    if (event.type === 'chain-start' || event.type === 'chain-end') begun.add(event.address);
    if (event.type === 'step-done') done.add(event.operation);
  }
  const stakes = new Map(plan.changes.flatMap((one) => one.operations.map((id) => [id, rise(one)])));
  const waits = (of: string) =>
    plan.operations.some(
      (one) => one.address === of && one.needs.some((need) => !done.has(need) && stakes.get(need) !== 0),
    );
  const late = plan.changes.find(
    (one) => one.operations.length > 0 && rise(one) < 0 && !begun.has(one.address) && !waits(one.address),
  );
  return late && `${address} begins while ${late.address} waits`;
}

function nothingWritten(client: Client, end: RunEnd): Problem {
  if (end.type === 'applied' || end.type === 'crashed') return undefined;
  return client.writes === 0 ? undefined : `a run that ended ${end.type} wrote`;
}

function tokenNowhere(client: Client, end: RunEnd, simulation: Simulation): Problem {
  const said = JSON.stringify([end, client.events]);
  const secrets = [client.token, simulation.token].map((token) => token.split('.')[1] ?? token);
  return secrets.some((secret) => said.includes(secret)) ? 'the token is in what the run said' : undefined;
}

/**
 * Whatever a run paused and did not start again, although git does not want it paused, stands in its report: as left paused, or as
 * what may be running.
 */
function leftPausedIsSaid(client: Client, end: RunEnd, { ledger }: Simulation): Problem {
  if (end.type !== 'applied') return undefined;
  const said = new Set(end.report.left_paused.map(({ id }) => id));
  const started = end.report.changes.filter(({ operations }) =>
    operations.some(({ verb, status }) => verb === 'resume' && status === 'unknown'),
  );
  const mayRun = new Set(started.map(({ address }) => address));
  const runs = (address: string) => ledger.owners(address).some(({ record }) => record?.is_active === true);
  const stopping = new Set(
    end.plan.changes.flatMap(({ address, stops_trading, held }) => (stops_trading && !held ? [address] : [])),
  );
  for (const story of ledger.stories.values()) {
    const { id, record, pausedBy, pausedAs, pausedBeside, stop } = story;
    // The plan said that nothing runs afterwards, and that nothing is held.
    if (stopping.has(pausedAs)) continue;
    if (pausedBy !== client || record === undefined || record.is_active || stop !== undefined) continue;
    // The new half ran already and runs on. Somebody took its marker off, which the apply has not seen.
    if (pausedBeside.some((half) => runsUnseen(half, client))) continue;
    const wanted = client.wanted(addressOf(record) ?? '');
    if (wanted === undefined || wanted.state === 'paused' || runs(wanted.address)) continue;
    if (!said.has(id) && !mayRun.has(wanted.address)) return `${id} is left paused, and the report is silent`;
  }
  return undefined;
}

/** It runs, and no answer has shown its last version to this client. */
function runsUnseen({ record }: Story, { shown }: Client): boolean {
  return record?.is_active === true && !shown.has(`${record.id} ${record.version}`);
}

/** What the report calls held is not started by the next apply. */
function saidHeldIsHeld(client: Client, end: RunEnd, simulation: Simulation): Problem {
  const pending = leftPausedWith(/stays paused and held/, client, end, simulation).find(isPending);
  return pending && `${pending.id} is said to be held, and its start is pending`;
}

/** What the report says that the next apply starts has a pending start. */
function saidStartIsPending(client: Client, end: RunEnd, simulation: Simulation): Problem {
  const said = leftPausedWith(/next apply[^.]* starts it/, client, end, simulation);
  const idle = said.find((task) => !isPending(task));
  return idle && `the next apply is said to start ${idle.id}, and no start is pending`;
}

/** The paused tasks of which the report says these words, and that nobody has written to since the run saw them. */
function leftPausedWith(words: RegExp, { shown }: Client, end: RunEnd, { ledger }: Simulation) {
  if (end.type !== 'applied') return [];
  const said = end.report.left_paused.filter(({ text }) => words.test(text));
  const tasks = said.flatMap(({ id }) => ledger.stories.get(id ?? '')?.record ?? []);
  return tasks.filter(({ id, version, is_active }) => !is_active && shown.has(`${id} ${version}`));
}

/** A task of which the report says that its pause failed was not paused by this run; of several, the one that it names. */
function saidTradingWasNotPaused(client: Client, end: RunEnd, { ledger }: Simulation): Problem {
  if (end.type !== 'applied') return undefined;
  for (const { address, text } of end.report.changes) {
    const [said, named] = /(?:It|The task (\S+)) was not paused/.exec(text) ?? [];
    if (said === undefined) continue;
    const paused = ledger
      .owners(address)
      .filter(({ id }) => named === undefined || id === named)
      .find(({ pausedBy, record }) => pausedBy === client && !record?.is_active);
    if (paused !== undefined) return `${address}: ${paused.id} is said to trade, and this run paused it`;
  }
  return undefined;
}

/**
 * A run that dies is all that happens: its plan file finishes the work, unless it died right after a pause that nobody can tell
 * from one by somebody else.
 */
function goesOn(client: Client, end: RunEnd, simulation: Simulation): Problem {
  const { fired, ends, ledger, base, watched } = simulation;
  const again = client.watched && end.type !== 'crashed' && ends.some(({ type }) => type === 'crashed');
  if (!again || fired.length !== 1 || base.choices.version_step !== 1) return undefined;
  // A mark that was refused is left out, and then the pause has another version than in the plan.
  const leftOut = ({ id, pausedUnmarked }: Story) =>
    pausedUnmarked &&
    watched.some(({ refused }) => [...refused].some((path) => path.endsWith(`/configs/${id}`)));
  if (end.type === 'stale' && [...ledger.stories.values()].some(leftOut)) return undefined;
  if (end.type === 'stale' && [...ledger.stories.values()].some(isPauseUnclear)) return undefined;
  if (end.type === 'saved') return undefined;
  if (end.type !== 'applied') return `it ended ${end.type}`;
  // What the service refused before the crash it refuses after it.
  const excused = legacyAddresses(simulation, end);
  const left = end.report.changes.find(
    ({ status, address }) => /failed|unknown|skipped/.test(status) && !excused.has(address),
  );
  return left && `${left.address}: ${left.text}`;
}

/** It is as a runner's pause left it, and may have stopped itself before. */
function isPauseUnclear({ record, once, pausedBy, pausedVersion }: Story): boolean {
  return once && pausedBy !== undefined && record?.version === pausedVersion;
}
