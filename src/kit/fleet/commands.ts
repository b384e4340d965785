import type { Io } from '../../core/command/io.ts';
import { type DriftOptions, runDrift } from '../../core/features/drift/drift.ts';
import { type PlanCommandOptions, runPlan } from '../../core/features/plan.ts';
import { runStatus } from '../../core/features/status/status.ts';
import { runValidate } from '../../core/features/validate.ts';
import { type FleetOptions, presentFleet, readyFleet, refuseShared, runUnits } from './fleet.ts';
import type { UnitCommand } from './run-unit.ts';

/** Options of single commands that apply to each unit. */
export interface FleetCommandOptions
  extends FleetOptions,
    Pick<PlanCommandOptions, 'base' | 'only' | 'detailedExitcode' | 'firstApply' | 'resumeStopped'>,
    Pick<DriftOptions, 'ignore' | 'failOn'> {}

/** Options that decide what is planned. Two equal plans need equal options. */
export function planningOf({
  base,
  only,
  firstApply,
  resumeStopped,
}: FleetCommandOptions): PlanCommandOptions {
  return { base, only, firstApply, resumeStopped };
}

/** Commands that send only GET requests, by the work for a single unit. */
const READING = {
  validate: () => runValidate,
  status: () => (options, io) => runStatus([], options, io),
  plan: (given) => {
    const planning = planningOf(given);
    const detailedExitcode = given.detailedExitcode === true;
    return (options, io) => runPlan({ ...planning, ...options, detailedExitcode }, io);
  },
  drift:
    ({ ignore, failOn }) =>
    (options, io) =>
      runDrift({ ignore, failOn, ...options }, io),
} as const satisfies Record<string, (options: FleetCommandOptions) => UnitCommand>;

/**
 * `tradeform fleet validate | plan | status | drift`: runs this command for every chosen unit, as for its account
 * alone. Returns the worst of their exit codes. Sends only GET requests.
 */
export async function runReading(
  command: keyof typeof READING,
  options: FleetCommandOptions,
  io: Io,
): Promise<number> {
  const ready = await readyFleet(options, io, { offline: command === 'validate' });
  const ends = await runUnits(ready, READING[command](options), options, io);
  return presentFleet(command, refuseShared(ends), ready, options, io);
}
