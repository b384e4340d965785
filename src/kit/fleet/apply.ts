import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { type ApprovalOptions, approve } from '../../core/command/approval.ts';
import { SYSTEM_CLOCK } from '../../core/command/clock.ts';
import { stopped } from '../../core/command/interruption.ts';
import type { Io } from '../../core/command/io.ts';
import { notWritten } from '../../core/command/unwritten.ts';
import { CommandFailure, usage } from '../../core/diagnostics/diagnostic.ts';
import { fleetDigest } from '../../core/documents/fleet.ts';
import { type ApplyOptions, runApply } from '../../core/features/apply.ts';
import { runPlan } from '../../core/features/plan.ts';
import { byKey } from '../../core/model/by-key.ts';
import { isGood } from '../../core/model/exit-codes.ts';
import { PLAN_FORMAT, type Plan } from '../../core/model/generated/plan.ts';
import { given } from '../../core/model/given.ts';
import { isObject, type Json, parseJson } from '../../core/model/json.ts';
import { riseOf } from '../../core/plan/order/turn.ts';
import { digestOfList } from '../../core/plan/review/digest.ts';
import { notApproved, readDigest } from '../../core/planning/expected-plan.ts';
import { type ApprovedPlan, invalidPlanFile, readApproval } from '../../core/planning/plan-file.ts';
import { requireNamed } from '../../core/project/read-file.ts';
import { makeFolders, replaceFile } from '../../core/project/replace-file.ts';
import { jsonText } from '../../core/render/result.ts';
import { leftText } from '../../core/render/words.ts';
import { isTokenRefused } from '../../core/service/resources/failure.ts';
import { type FleetCommandOptions, planningOf } from './commands.ts';
import {
  endsText,
  hearing,
  notRun,
  presentFleet,
  type ReadyFleet,
  readyFleet,
  refuseShared,
  runUnits,
} from './fleet.ts';
import type { Unit } from './fleet-file.ts';
import type { BoundUnit, UnitCommand, UnitEnd } from './run-unit.ts';

export interface FleetApplyOptions
  extends FleetCommandOptions,
    ApprovalOptions,
    Pick<ApplyOptions, 'onFailure'> {
  /** The digest of the fleet's plan: all 64 digits. */
  readonly expect?: string;
  /** Digests that were approved before, and not applied. */
  readonly earlier?: readonly string[];
  /** Milliseconds that the tasks of a wave must run before the next wave begins. */
  readonly soak?: number;
  /** A command that must succeed before the next wave. */
  readonly gate?: string;
}

/**
 * `tradeform fleet plan --out DIR`: saves each plan, and an index with one digest. A unit is listed without a plan if its plan is
 * refused or failed.
 */
export async function runPlanOut(directory: string, options: FleetCommandOptions, io: Io): Promise<number> {
  const ready = await readyFleet(options, io);
  const folder = await plansFolder(directory, io);
  const planning = { ...planningOf(options), detailedExitcode: options.detailedExitcode === true };
  const command: UnitCommand = (own, ownIo, { unit }) =>
    runPlan({ ...planning, ...own, out: planFile(folder, unit.name) }, ownIo);
  // Also while the index is written.
  return hearing(io, async () => {
    const ends = refuseShared(await runUnits(ready, command, options, io));
    const digest = await writeIndex(folder, ends.map(listed));
    if (options.quiet !== true)
      io.stderr(
        `Saved to ${directory}, digest ${digest}; apply them with \`tradeform fleet apply ${directory}\`.\n`,
      );
    return presentFleet('plan', ends, ready, options, io);
  });
}

/** True if the plan may be carried out. Its exit code says nothing more. */
function isPlanned(end: UnitEnd | undefined): boolean {
  return isGood(end?.code);
}

function planIn(end: UnitEnd | undefined): Plan | undefined {
  return end?.document?.format === PLAN_FORMAT ? end.document : undefined;
}

function listed(end: UnitEnd): ListedUnit {
  return { name: end.unit.name, ...given({ digest: isPlanned(end) ? planIn(end)?.digest : undefined }) };
}

/**
 * `tradeform fleet apply [DIR]`: plans every chosen unit or reads saved plans, asks for one approval, and carries each plan out as
 * `tradeform apply` would, wave by wave. If the plan of a unit is no longer the approved one, nothing is sent for it. Returns the
 * worst exit code. A unit in a wave that did not begin counts as failed.
 */
export async function runApplyFleet(
  directory: string | undefined,
  options: FleetApplyOptions,
  io: Io,
): Promise<number> {
  const all = await readyFleet(options, io);
  const saved = directory === undefined ? undefined : readSavedPlans(directory, all.fleet.units, io);
  // Saved plans are for the units that were chosen then.
  const isFree = [options.select, options.tag, options.exclude].every((one) => one === undefined);
  const isMeant = (name: string) => !isFree || saved?.units.some((unit) => unit.name === name) !== false;
  const bound = all.bound.filter(({ unit }) => isMeant(unit.name));
  const ready = { ...all, bound, chosen: all.chosen.filter(isMeant) };
  const chosen = ready.fleet.units.filter(({ name }) => ready.chosen.includes(name));
  if (ready.shard !== undefined && new Set(chosen.map(({ wave }) => wave)).size > 1)
    throw usage(
      '--shard cannot be combined with waves, which need all units in one run',
      'Choose the units of one wave with --select or --tag.',
    );
  const ends = refuseShared(
    saved === undefined ? await planQuietly(ready, options, io) : await savedPlans(saved, ready, io),
  );
  const plans = new Map(ends.map((end) => [end.unit.name, end]));
  const digest = saved?.digest ?? fleetDigest(ends.map(listed));
  requireDigest(options.expect, digest);
  requireDone(ends, digest, options.earlier);
  const approved = saved !== undefined || options.expect !== undefined;
  const work = ends.some((end) => (planIn(end)?.operations ?? []).length > 0);
  if (work && !approved && options.autoApprove !== true) {
    const text = await endsText('plan', ends, ready, options, io);
    io.stderr(text);
    await approve(options, io, {
      question: `Apply these ${ends.filter(isPlanned).length} plans? Only "yes" is accepted: `,
      hint: `Use --expect ${digest}, --auto-approve, or save the plans with \`tradeform fleet plan --out DIR\`.`,
    });
  }
  const command = applying(plans, saved, options);
  // Also between two waves.
  return hearing(io, async () => {
    const { ends: applied, beside } = await inWaves(ready, plans, command, options, io);
    const told = applied.map((end) => {
      const plan = plans.get(end.unit.name);
      return { ...end, plan: isPlanned(plan) ? plan?.document : undefined };
    });
    return presentFleet('apply', told, { ...ready, beside }, options, io);
  });
}

type Plans = ReadonlyMap<string, UnitEnd>;

function planQuietly(ready: ReadyFleet, options: FleetApplyOptions, io: Io, bound = ready.bound) {
  const planning = planningOf(options);
  const command: UnitCommand = (own, ownIo) => runPlan({ ...planning, ...own }, ownIo);
  return runUnits(ready, command, { ...options, quiet: true }, io, bound);
}

function savedPlans(saved: SavedPlans, { bound }: ReadyFleet, io: Io): Promise<readonly UnitEnd[]> {
  return Promise.all(
    bound.map(async ({ unit, diagnostics }): Promise<UnitEnd> => {
      const end = { unit, document: null };
      if (diagnostics.some(({ severity }) => severity === 'error')) return { ...end, code: 3, diagnostics };
      try {
        const plan = await readSavedPlan(saved, unit.name, io);
        return { ...end, code: 0, document: plan, diagnostics };
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        return { ...end, code: 3, diagnostics: [...diagnostics, ...error.diagnostics] };
      }
    }),
  );
}

/** Carries out what was approved: what is left of the saved plan, or a current plan with the same digest. */
function applying(plans: Plans, saved: SavedPlans | undefined, options: FleetApplyOptions): UnitCommand {
  const { autoApprove = false, expect, onFailure, firstApply } = options;
  const how = given({ onFailure, firstApply });
  const planning = planningOf(options);
  // Nobody looked at these plans, so they are carried out as carefully as by the single command.
  const unseen = autoApprove && expect === undefined;
  return (own, io, { unit }) => {
    const digest = planIn(plans.get(unit.name))?.digest ?? '';
    const approval = unseen ? { autoApprove: true } : { expect: [digest] };
    // As it was read: the file may have been replaced since, because earlier waves take time.
    const file = saved?.read.get(unit.name);
    return runApply(file, { ...planning, ...own, ...how, ...(saved === undefined && approval) }, io);
  };
}

/**
 * A wave begins after the previous wave is done and its tasks have kept running. A unit without a plan is not carried out, and
 * fails its wave. After the last wave, `--soak` and `--gate` check once more. Their result is reported beside the units, which are
 * done.
 */
async function inWaves(
  ready: ReadyFleet,
  plans: Plans,
  command: UnitCommand,
  options: FleetApplyOptions,
  io: Io,
): Promise<{ readonly ends: readonly UnitEnd[]; readonly beside: readonly CommandFailure[] }> {
  const waves = [...byKey(ready.bound, ({ unit }) => unit.wave)].sort(([left], [right]) => left - right);
  const ends: UnitEnd[] = [];
  const watched = options.soak !== undefined || options.gate !== undefined;
  // What a later wave cannot do is known now: no wave begins, because the fleet would be left half done.
  const refused =
    waves.length === 1
      ? undefined
      : [...plans.values()].find((end) => !isPlanned(end) && hopelessPart(end) !== undefined);
  let stopped =
    refused &&
    `no wave began: the ${hopelessPart(refused)} of ${refused.unit.name} is refused; \`--exclude ${refused.unit.name}\` goes on without it`;
  let unproven: string | undefined;
  for (const [index, [wave, bound]] of waves.entries()) {
    if (stopped !== undefined || io.stop.soft.aborted) {
      ends.push(
        ...bound.map((one) => (one.unit === refused?.unit ? refused : notRun(one, stopped, options.expect))),
      );
      continue;
    }
    if (waves.length > 1 && options.quiet !== true)
      io.stderr(`Wave ${wave}: ${bound.map(({ unit }) => unit.name).join(', ')}\n`);
    const rise = ({ unit }: BoundUnit) => {
      const plan = planIn(plans.get(unit.name));
      return plan === undefined ? 0n : riseOf(plan);
    };
    const planned = bound.filter(({ unit }) => isPlanned(plans.get(unit.name)));
    planned.sort((a, b) => Number(rise(a) - rise(b)));
    const unplanned = bound
      .filter((one) => !planned.includes(one))
      .flatMap(({ unit }) => plans.get(unit.name) ?? []);
    const done = await runUnits(ready, command, options, io, planned);
    ends.push(...done, ...unplanned);
    const failed = [...done, ...unplanned].find(({ code }) => code !== 0);
    const last = index === waves.length - 1;
    if (last && (failed !== undefined || !watched)) continue;
    const why =
      failed === undefined ? await gateOf(planned, plans, ready, options, io) : `${failed.unit.name} failed`;
    if (last) unproven = why;
    else if (why !== undefined) stopped = `wave ${wave} stopped, because ${why}`;
  }
  return { ends, beside: unproven === undefined ? [] : [unprovenEnd(unproven)] };
}

/** What no repetition makes good. */
function hopelessPart({ diagnostics }: UnitEnd): string | undefined {
  if (diagnostics.some(isTokenRefused)) return 'token';
  return diagnostics.some(({ code }) => code === 'plan-file-invalid') ? 'plan file' : undefined;
}

function unprovenEnd(why: string): CommandFailure {
  const message = `all waves are done, but the last one is not proven: ${why}`;
  const hint =
    'Look at the accounts with `tradeform fleet status`; `tradeform fleet pause --all` stops everything.';
  return CommandFailure.of(1, 'wave-unproven', message, hint);
}

/** Why the next wave must not begin. Undefined if it may. */
async function gateOf(
  bound: readonly BoundUnit[],
  plans: Plans,
  ready: ReadyFleet,
  options: FleetApplyOptions,
  io: Io,
): Promise<string | undefined> {
  const look = async () => {
    const ends = await planQuietly(ready, options, io, bound);
    return ends
      .map((end) => unsettled(end, planIn(plans.get(end.unit.name))))
      .find((why) => why !== undefined);
  };
  try {
    let why = await look();
    if (why === undefined && options.soak !== undefined) {
      await soak(options.soak, io);
      why = await look();
    }
    return why ?? (options.gate === undefined ? undefined : await gateFailure(options.gate, ready.env, io));
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return error.message;
  }
}

/**
 * Why a unit does not match its manifests, according to a new plan. Undefined if it matches. `before` is the approved plan: tasks
 * that it knew as held may stay held.
 */
function unsettled(end: UnitEnd, before: Plan | undefined): string | undefined {
  const { name } = end.unit;
  const plan = planIn(end);
  if (end.code !== 0 || plan === undefined) return `${name} could not be read again`;
  if (!plan.complete) return `the view of ${name} is incomplete`;
  if (plan.operations.length > 0) return `${name} does not match its manifests`;
  const known = new Set(before && heldIn(before));
  const stopped = heldIn(plan).find((address) => !known.has(address));
  return stopped === undefined ? undefined : `${stopped} of ${name} was stopped in the meantime`;
}

function heldIn({ changes }: Plan): readonly string[] {
  return changes.flatMap(({ held, address }) => (held ? [address] : []));
}

const UNPROVEN = ' before the wave was proven';
/** How long the operator's command may take to end itself. */
const GRACE_MS = 3_000;

/** Waits. Fails with 130 if it is interrupted. */
async function soak(milliseconds: number, { stop }: Pick<Io, 'stop'>): Promise<void> {
  const end = SYSTEM_CLOCK.now() + milliseconds;
  // In steps, so that the time during which a machine slept counts.
  for (let left = milliseconds; left > 0 && !stop.soft.aborted; left = end - SYSTEM_CLOCK.now())
    await SYSTEM_CLOCK.sleep(Math.min(left, 1_000), stop.soft);
  if (stop.soft.aborted) throw stopped(stop.soft, UNPROVEN);
}

/**
 * Runs the operator's command in a shell. Undefined if it ends with 0, else what happened. The command gets no token of the fleet,
 * and its output goes to stderr.
 */
async function gateFailure(command: string, env: Io['env'], io: Io): Promise<string | undefined> {
  if (io.stop.soft.aborted) throw stopped(io.stop.soft, UNPROVEN);
  const child = spawn(command, {
    shell: true,
    cwd: io.cwd,
    env: { ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, which can be ended with everything that the shell started.
    detached: process.platform !== 'win32',
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', io.stderr);
  const onHard = () => end(child, 'SIGKILL');
  const onStop = () => {
    end(child, 'SIGTERM');
    setTimeout(onHard, GRACE_MS).unref();
  };
  io.stop.soft.addEventListener('abort', onStop);
  io.stop.hard.addEventListener('abort', onHard);
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve(`the gate could not be run: ${error.message}`));
      child.once('close', (code, signal) =>
        resolve(code === 0 ? undefined : `the gate ended with ${code ?? signal}: ${command}`),
      );
    });
  } finally {
    io.stop.soft.removeEventListener('abort', onStop);
    io.stop.hard.removeEventListener('abort', onHard);
  }
}

/**
 * Ends the shell and everything that it started. Windows has no process groups. A process that ignores the signal would keep the
 * streams open.
 */
function end(child: ChildProcessByStdio<null, Readable, Readable>, signal: NodeJS.Signals): void {
  const { pid, stdout, stderr } = child;
  for (const stream of [stdout, stderr]) stream.destroy();
  if (pid === undefined || process.platform === 'win32') {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Everything has ended.
  }
}

/** The index in a folder of saved plans. The folder also has one file for each plan. */
const INDEX = 'fleet-plans.json';
const FORMAT = 'tradeform.fleet-plans/1';

/** Without a digest if there was no plan to save. */
type ListedUnit = Parameters<typeof fleetDigest>[0][number];

interface SavedPlans {
  readonly digest: string;
  readonly units: readonly ListedUnit[];
  /** Absolute. */
  readonly folder: string;
  readonly read: Map<string, ApprovedPlan>;
}

/** The folder that `--out` names: new, empty, or with earlier saved plans. Fails with exit 3 for any other. */
async function plansFolder(directory: string, { cwd }: Pick<Io, 'cwd'>): Promise<string> {
  const folder = resolve(cwd, directory);
  try {
    await makeFolders(folder, 0o700);
    const files = await readdir(folder);
    if (files.length === 0 || files.includes(INDEX)) return folder;
  } catch (error) {
    throw notWritten(`the plans cannot be saved to ${directory}`, error, 'Use another folder for --out.');
  }
  throw usage(`--out ${directory} is a folder with other files`, 'Use a new folder.');
}

function planFile(folder: string, name: string): string {
  return join(folder, `${name}.plan.json`);
}

/** Written last, because plans without an index are not saved plans. Returns the digest. */
async function writeIndex(folder: string, units: readonly ListedUnit[]): Promise<string> {
  const digest = fleetDigest(units);
  const text = jsonText({ format: FORMAT, digest, units });
  try {
    await replaceFile(join(folder, INDEX), text, { mode: 0o666 });
  } catch (error) {
    throw notWritten('the index of the plans could not be written', error, 'Plan again.');
  }
  return digest;
}

/**
 * The index of saved plans. Fails (exit 3) with `plan-file-invalid` if it is no index, was changed, or has a unit that was removed
 * from the fleet: the plan of that unit was approved, but nobody would carry it out or report it.
 */
function readSavedPlans(
  directory: string,
  fleet: readonly Pick<Unit, 'name'>[],
  { cwd }: Pick<Io, 'cwd'>,
): SavedPlans {
  const folder = resolve(cwd, directory);
  const index = parseJson(requireNamed(join(folder, INDEX), join(directory, INDEX)).text);
  const listed: readonly Json[] = isObject(index) && Array.isArray(index.units) ? index.units : [];
  const units = listed.filter(isListed);
  const whole = units.length === listed.length;
  if (!isObject(index) || index.format !== FORMAT || !whole || index.digest !== fleetDigest(units))
    throw invalidPlanFile(
      `${directory} contains no plans of a fleet, or the plans were changed`,
      'Save plans with `tradeform fleet plan --out DIR`.',
    );
  const gone = units.filter(({ name }) => fleet.every((unit) => unit.name !== name));
  if (gone.length > 0) {
    const names = gone.map(({ name }) => name).join(', ');
    const message = `${directory} has plans of units that the fleet does not have: ${names}`;
    const hint = 'Plan again with `tradeform fleet plan --out DIR`, or bring these units back.';
    throw invalidPlanFile(message, hint);
  }
  return { digest: index.digest, units, folder, read: new Map() };
}

function isListed(unit: Json): unit is Json & ListedUnit {
  if (!isObject(unit) || typeof unit.name !== 'string') return false;
  return unit.digest === undefined || typeof unit.digest === 'string';
}

/** A saved plan, which must be the one in the index. */
async function readSavedPlan(saved: SavedPlans, name: string, io: Io): Promise<Plan> {
  const digest = saved.units.find((unit) => unit.name === name)?.digest;
  const approved = digest === undefined ? undefined : await readApproval(planFile(saved.folder, name), io);
  const { plan, changes = [], order } = approved ?? {};
  // A file that was edited is found before the first wave.
  const proven =
    plan?.digest === digest && plan !== undefined && digestOfList(plan, changes, order) === digest;
  if (approved !== undefined && proven) {
    saved.read.set(name, approved);
    return plan;
  }
  const message =
    plan === undefined
      ? `there is no saved plan for ${name}`
      : `the saved plan of ${name} differs from the index`;
  throw invalidPlanFile(message, 'Plan again with `tradeform fleet plan --out DIR`.');
}

/** Fails with exit 3 if the text is no digest, and with exit 4 if the plans differ from the approved ones. */
function requireDigest(expect: string | undefined, digest: string): void {
  if (expect === undefined) return;
  const expected = readDigest(expect, 'fleet plan');
  if (digest === expected) return;
  const hint =
    'Review `tradeform fleet plan` again. A unit that could not be planned, or another choice of units, changes the digest.';
  throw new CommandFailure(4, [notApproved('plan of the fleet', digest, [expected], hint)]).with({ digest });
}

/** The digest does not say whether what an earlier approved plan did is done, or left: fails with exit 4 if anything is left. */
function requireDone(ends: readonly UnitEnd[], digest: string, earlier: readonly string[] = []): void {
  const left = ends.flatMap(({ unit, document }) =>
    document?.format !== PLAN_FORMAT
      ? []
      : (document.left ?? []).map((one) => `${unit.name}: ${leftText(one)}`),
  );
  if (left.length === 0 || earlier.every((one) => one === digest)) return;
  const message = `plans were approved before this one and not applied, and what they were to change may be left: ${left.join('; ')}. Nothing was changed`;
  const hint = `If it may stay, approve the current plan: --expect ${digest}`;
  throw CommandFailure.of(4, 'digest-differs', message, hint).with({ digest });
}
