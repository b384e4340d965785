import type { DesiredTask } from '../../src/core/desired/state.ts';
import type { Strike } from './case.ts';
import { LEGACY_GAP, legacyAddresses, REST_GAPS } from './gaps.ts';
import { isFault } from './kinds.ts';
import type { Simulation } from './simulation.ts';
import type { Story } from './story.ts';

/** What must hold once an undisturbed run has been made and everything is at rest; each problem in words. */

/**
 * Faults that no run can get over: it dies, the service has its reasons, it looks as if another apply were at work, or a
 * `buy_once` may have fired.
 */
function isFatal({ kind, pick, path }: Strike, { ledger }: Simulation): boolean {
  const [, paused] = /\/([0-9a-f-]{36})\/pause$/.exec(path) ?? [];
  const story = paused === undefined ? undefined : ledger.stories.get(paused);
  // A pause without a mark: of `buy_once`, and of the new half of a replacement that is undone.
  if (story?.once === true || (story?.replaced !== undefined && story.pausedUnmarked)) return true;
  switch (kind) {
    case 'crash-before':
    case 'crash-after':
    case 'refused':
    case 'stale':
      return true;
    case 'twice':
      return pick % 2 === 1;
    case 'throttled-after':
    case 'unavailable-after':
      return path.endsWith('/pause');
    default:
      return false;
  }
}

/** A single answer that is lost, or is not what was done, costs time and nothing else; where versions count by one. */
export function gotOver(simulation: Simulation): readonly string[] {
  const { fired, ends, base } = simulation;
  if (base.choices.version_step !== 1) return [];
  const [strike, more] = fired;
  if (strike === undefined || more !== undefined || !isFault(strike.kind) || isFatal(strike, simulation))
    return [];
  const excused = legacyAddresses(simulation, simulation.healed?.end);
  return ends.flatMap((end, index) => {
    // The same plan again: what the first time left is told by its own end.
    const again = end.type === 'stale' && ends.slice(0, index).some(({ type }) => type === 'applied');
    if (again || end.type === 'saved') return [];
    if (end.type !== 'applied') return [`a run ended ${end.type}`];
    const left = end.report.changes.filter(({ status }) => /failed|unknown|skipped/.test(status));
    return left
      .filter(({ address }) => !excused.has(address))
      .map(({ address, text }) => `${address}: ${text}`);
  });
}

export function finishes(simulation: Simulation): readonly string[] {
  const { healed } = simulation;
  if (healed === undefined) return [];
  const { end } = healed;
  if (end.type === 'refused') return [`refused: ${end.plan.diagnostics.map(({ code }) => code).join(', ')}`];
  if (end.type !== 'applied') return [`it ended ${end.type}`];
  const excused = legacyAddresses(simulation, simulation.healed?.end);
  for (const _ of excused) simulation.excuse(LEGACY_GAP);
  return end.report.changes
    .filter(({ status }) => status !== 'done' && status !== 'held' && status !== 'blocked')
    .filter(({ address }) => !excused.has(address))
    .map(({ address, status, text }) => `${address}: ${status}: ${text}`);
}

export function secondPlanEmpty(simulation: Simulation): readonly string[] {
  const { healed } = simulation;
  if (healed === undefined) return [];
  if (healed.second === undefined) return ['the view is unreadable'];
  const excused = legacyAddresses(simulation, simulation.healed?.end);
  return healed.second.operations
    .filter(({ address }) => !excused.has(address))
    .map(({ id, verb }) => `${id} ${verb}`);
}

export function nothingLeftPaused(simulation: Simulation): readonly string[] {
  const { base, ledger, healed } = simulation;
  const blocked = new Set(
    healed?.second?.changes.filter(({ blocked: why }) => why !== null).map(({ address }) => address),
  );
  const excused = legacyAddresses(simulation, simulation.healed?.end);
  const problems: string[] = [];
  for (const desired of base.spec.desired.tasks) {
    if (blocked.has(desired.address) || excused.has(desired.address)) continue;
    const all = ledger.owners(desired.address);
    const owners = all.some(({ cloned }) => !cloned) ? all.filter(({ cloned }) => !cloned) : all;
    const [owner] = owners;
    const task = owner?.record;
    if (owner === undefined || task === undefined) {
      problems.push(`${desired.address} is not there`);
      continue;
    }
    if (owners.length > 1) problems.push(`${desired.address} is there ${owners.length} times`);
    const problem = pausedProblem(desired, owner, simulation);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

function pausedProblem(desired: DesiredTask, owner: Story, simulation: Simulation): string | undefined {
  const task = owner.record;
  if (task === undefined) return undefined;
  if (desired.state === 'paused') return task.is_active ? `${desired.address} runs` : undefined;
  const { base, ledger, fired } = simulation;
  const predecessor = ledger.predecessor(owner);
  if (task.is_active || owner.stop !== undefined || predecessor?.stop !== undefined) return undefined;
  if (desired.state === 'manual' && owner.pausedBy === undefined) return undefined;
  const undone = [...ledger.stories.values()].filter(
    (one) =>
      one !== owner && [owner, predecessor].some((of) => of !== undefined && ledger.predecessor(one) === of),
  );
  const gap = REST_GAPS.find(({ explains }) =>
    explains({ story: owner, predecessor, undone, desired, fired, choices: base.choices }),
  );
  if (gap !== undefined) return simulation.excuse(gap.name);
  return `${desired.address} is left paused (${task.remark}, v${task.version})`;
}
