import { type ApprovalOptions, approve } from '../../command/approval.ts';
import type { Io } from '../../command/io.ts';
import { CommandFailure, usage } from '../../diagnostics/diagnostic.ts';
import { byKey } from '../../model/by-key.ts';
import type { JsonObject } from '../../model/json.ts';
import { type ApplyOptions, runApply } from '../apply.ts';
import { runPlan } from '../plan.ts';
import { type FleetCommandOptions, planningOf } from './commands.ts';
import {
  endsText,
  notRun,
  presentFleet,
  type ReadyFleet,
  readyFleet,
  refuseShared,
  runUnits,
} from './fleet.ts';
import { gateFailure, soak, unsettled } from './gate.ts';
import {
  planFile,
  plansFolder,
  readSavedPlan,
  readSavedPlans,
  requireDigest,
  type SavedPlans,
  writeIndex,
} from './plans.ts';
import { fleetDigest } from './report.ts';
import type { BoundUnit, UnitCommand, UnitEnd } from './run-unit.ts';

export interface FleetApplyOptions
  extends FleetCommandOptions,
    ApprovalOptions,
    Pick<ApplyOptions, 'onFailure'> {
  /** The digest of the fleet's plan: all 64 digits. */
  readonly expectDigest?: string;
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
  const planning = planningOf(options);
  const detailedExitcode = options.detailedExitcode === true;
  // Signals are handled while the index is written as well.
  const release = io.stop.hear?.();
  try {
    const ran = await runUnits(
      ready.bound,
      (own, ownIo, { unit }) =>
        runPlan({ ...planning, ...own, detailedExitcode, out: planFile(folder, unit.name) }, ownIo),
      { io, env: ready.env, options },
    );
    const ends = refuseShared(ran);
    const digest = await writeIndex(folder, ends.map(listed));
    if (options.quiet !== true)
      io.stderr(
        `Saved to ${directory}, digest ${digest}; apply them with \`tradeform fleet apply ${directory}\`.\n`,
      );
    return await presentFleet('plan', ends, ready, options, io);
  } finally {
    release?.();
  }
}

/** True if the plan may be carried out. Its exit code says nothing more. */
function isPlanned(end: UnitEnd | undefined): boolean {
  return end?.code === 0 || end?.code === 2;
}

function listed(end: UnitEnd): Parameters<typeof fleetDigest>[0][number] {
  const { unit, document } = end;
  return {
    name: unit.name,
    ...(isPlanned(end) && document !== undefined ? { digest: String(document.digest) } : {}),
  };
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
  const ready = await readyFleet(options, io);
  const chosen = ready.fleet.units.filter(({ name }) => ready.chosen.includes(name));
  if (ready.shard !== undefined && new Set(chosen.map(({ wave }) => wave)).size > 1)
    throw usage(
      '--shard cannot be combined with waves, which need all units in one run',
      'Choose the units of one wave with --select or --tag.',
    );
  const saved = directory === undefined ? undefined : readSavedPlans(directory, ready.fleet.units, io);
  const plans = saved === undefined ? await planAll(ready, options, io) : await savedPlans(saved, ready, io);
  const ends = [...plans.values()];
  const digest = saved?.digest ?? fleetDigest(ends.map(listed));
  requireDigest(options.expectDigest, digest);
  const approved = saved !== undefined || options.expectDigest !== undefined;
  const work = ends.some(
    ({ document }) => Array.isArray(document?.operations) && document.operations.length > 0,
  );
  if (work && !approved && options.autoApprove !== true) {
    const text = await endsText('plan', ends, ready, options, io);
    io.stderr(text);
    await approve(options, io, {
      question: `Apply these ${ends.filter(isPlanned).length} plans? Only "yes" is accepted: `,
      hint: `Use --expect-digest ${digest}, --auto-approve, or save the plans with \`tradeform fleet plan --out DIR\`.`,
    });
  }
  const command = applying(plans, saved, options);
  // Signals are handled between two waves as well, so that an interrupted run reports what is done.
  const release = io.stop.hear?.();
  try {
    const { ends: applied, beside } = await inWaves(ready, plans, command, options, io);
    const told = applied.map((end) => {
      const plan = plans.get(end.unit.name);
      return { ...end, plan: isPlanned(plan) ? plan?.document : undefined };
    });
    return await presentFleet('apply', told, { ...ready, beside }, options, io);
  } finally {
    release?.();
  }
}

type Plans = ReadonlyMap<string, UnitEnd>;

async function planAll(ready: ReadyFleet, options: FleetApplyOptions, io: Io): Promise<Plans> {
  const planning = planningOf(options);
  const command: UnitCommand = (own, ownIo) => runPlan({ ...planning, ...own }, ownIo);
  const ends = await runUnits(ready.bound, command, {
    io,
    env: ready.env,
    options: { ...options, quiet: true },
  });
  return new Map(refuseShared(ends).map((end) => [end.unit.name, end]));
}

async function savedPlans(saved: SavedPlans, { bound }: ReadyFleet, io: Io): Promise<Plans> {
  const ends = await Promise.all(
    bound.map(async ({ unit, diagnostics, sources }): Promise<UnitEnd> => {
      const end = { unit, document: undefined, sources };
      if (diagnostics.some(({ severity }) => severity === 'error')) return { ...end, code: 3, diagnostics };
      try {
        const plan = await readSavedPlan(saved, unit.name, io);
        return { ...end, code: 0, document: plan as unknown as JsonObject, diagnostics };
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        return { ...end, code: 3, diagnostics: [...diagnostics, ...error.diagnostics] };
      }
    }),
  );
  return new Map(refuseShared(ends).map((end) => [end.unit.name, end]));
}

/** Carries out exactly what was approved: the saved plan, or a current plan with the same digest. */
function applying(plans: Plans, saved: SavedPlans | undefined, options: FleetApplyOptions): UnitCommand {
  const { autoApprove = false, expectDigest, onFailure, ...rest } = options;
  const how = onFailure === undefined ? {} : { onFailure };
  return (own, io, { unit }) => {
    const digest = String(plans.get(unit.name)?.document?.digest);
    // The file may have been replaced since it was read, because earlier waves take time.
    if (saved !== undefined)
      return runApply(saved.file(unit.name), { ...own, ...how, ...first(rest), listed: digest }, io);
    const planning = planningOf(rest);
    // Nobody looked at this plan, so it is carried out as carefully as by the single command.
    if (autoApprove && expectDigest === undefined)
      return runApply(undefined, { ...planning, ...own, ...how, autoApprove: true }, io);
    return runApply(undefined, { ...planning, ...own, ...how, expectDigest: digest }, io);
  };
}

function first({ firstApply }: FleetCommandOptions): Pick<ApplyOptions, 'firstApply'> {
  return firstApply === undefined ? {} : { firstApply };
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
  let stopped: string | undefined;
  let unproven: string | undefined;
  for (const [index, [wave, bound]] of waves.entries()) {
    if (stopped !== undefined || io.stop.soft.aborted) {
      ends.push(...bound.map((one) => notRun(one, stopped)));
      continue;
    }
    if (waves.length > 1 && options.quiet !== true)
      io.stderr(`Wave ${wave}: ${bound.map(({ unit }) => unit.name).join(', ')}\n`);
    const planned = bound.filter(({ unit }) => isPlanned(plans.get(unit.name)));
    const unplanned = bound
      .filter((one) => !planned.includes(one))
      .flatMap(({ unit }) => plans.get(unit.name) ?? []);
    const done = await runUnits(planned, command, { io, env: ready.env, options });
    ends.push(...done, ...unplanned);
    const failed = [...done, ...unplanned].find(({ code }) => code !== 0);
    const last = index === waves.length - 1;
    if (last && (failed !== undefined || !watched)) continue;
    const why =
      failed === undefined
        ? await gateOf(planned, plans, ready, options, io)
        : `${failed.unit.name} did not end with 0`;
    if (last) unproven = why;
    else if (why !== undefined) stopped = `wave ${wave} was the last one: ${why}`;
  }
  return { ends, beside: unproven === undefined ? [] : [unprovenEnd(unproven)] };
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
    const planning = planningOf(options);
    const command: UnitCommand = (own, ownIo) => runPlan({ ...planning, ...own }, ownIo);
    const ends = await runUnits(bound, command, { io, env: ready.env, options: { ...options, quiet: true } });
    return ends
      .map((end) => unsettled(end, plans.get(end.unit.name)?.document))
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
