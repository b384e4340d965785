import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ApprovalOptions, approve } from '../../command/approval.ts';
import type { Io } from '../../command/io.ts';
import { usage } from '../../diagnostics/diagnostic.ts';
import { PROJECT_FILE } from '../../project/find-project.ts';
import { writtenChoice } from '../switch/choice.ts';
import { type PauseOptions, runPause } from '../switch/pause.ts';
import { runResume } from '../switch/resume.ts';
import { environmentFleet } from './environments.ts';
import { endsText, type FleetOptions, presentFleet, readyFleet, runUnits } from './fleet.ts';
import type { BoundUnit, UnitCommand, UnitEnd } from './run-unit.ts';

export interface FleetSwitchOptions
  extends FleetOptions,
    ApprovalOptions,
    Pick<PauseOptions, 'all' | 'includeUnmanaged' | 'dryRun' | 'for'> {
  /** For resume: only tasks that are due. */
  readonly due?: boolean | undefined;
}

/** All units begin at once, because the most expensive task of an account must not wait for another account. */
const AT_ONCE = 200;

/**
 * `tradeform fleet pause --all`: the operator's switch for every chosen unit. It needs only the fleet file if that names the
 * `project_name`, asks nobody, and continues after every failure. Returns 0 only if everything in every account is off and stays
 * off.
 */
export async function runPauseFleet(options: FleetSwitchOptions, io: Io): Promise<number> {
  if (options.all !== true) throw usage('fleet pause needs --all', '--select and --tag choose accounts.');
  const ready = await readyFleet(options, io, { emergency: true });
  const { includeUnmanaged, dryRun, for: time } = options;
  const chosen = { all: true, includeUnmanaged, dryRun, for: time };
  const command: UnitCommand = (own, ownIo, bound) =>
    runPause([], { ...chosen, ...own, ...named(bound) }, ownIo);
  const ends = await runUnits(ready.bound, command, {
    io,
    env: ready.env,
    options: { ...options, accountsAtOnce: options.accountsAtOnce ?? AT_ONCE, failFast: false },
  });
  return presentFleet('pause', ends, ready, options, io);
}

/**
 * `tradeform pause --all-environments`: the same for the environments of one project, with any choice of tasks. Returns the worst
 * exit code.
 */
export async function runPauseEnvironments(
  names: readonly string[],
  options: PauseOptions,
  io: Io,
): Promise<number> {
  writtenChoice(names, options);
  const ready = await environmentFleet(options, io);
  const project = ready.fleet.path;
  const ends = await runUnits(
    ready.bound,
    (own, ownIo) => runPause(names, { ...options, ...own, project }, ownIo),
    { io, env: ready.env, options: { ...options, accountsAtOnce: AT_ONCE } },
  );
  return presentFleet('pause', ends, ready, options, io);
}

/** Whose tasks are meant. A project file in a folder above is never used. */
function named({ unit, project }: BoundUnit): Pick<PauseOptions, 'project' | 'projectName'> {
  return {
    ...(project === undefined ? {} : { projectName: unit.projectName ?? project }),
    ...(existsSync(join(unit.folder, PROJECT_FILE)) ? {} : { project: PROJECT_FILE }),
  };
}

/**
 * `tradeform fleet resume --all | --due`: shows what the switch stopped in every chosen unit, asks for one approval, and starts
 * it. Each unit is then judged as with `--auto-approve` alone, which refuses tasks that differ from their manifests.
 */
export async function runResumeFleet(options: FleetSwitchOptions, io: Io): Promise<number> {
  const { all, due, dryRun } = options;
  if (all !== true && due !== true)
    throw usage('fleet resume needs --all or --due', '--select and --tag choose accounts.');
  const ready = await readyFleet(options, io);
  const run = (how: { readonly dryRun: true } | { readonly autoApprove: true }, said: FleetSwitchOptions) => {
    const command: UnitCommand = (own, ownIo) => runResume([], { all, due, ...own, ...how }, ownIo);
    return runUnits(ready.bound, command, { io, env: ready.env, options: said });
  };
  if (dryRun === true)
    return presentFleet('resume', await run({ dryRun: true }, options), ready, options, io);
  if (options.autoApprove !== true) {
    const ends = await run({ dryRun: true }, { ...options, quiet: true });
    if (ends.some(wouldStart)) {
      io.stderr(await endsText('resume', ends, ready, options, io));
      const question = 'Start these tasks? Only "yes" is accepted: ';
      await approve(options, io, { question, hint: 'Use --auto-approve.' });
    }
  }
  return presentFleet('resume', await run({ autoApprove: true }, options), ready, options, io);
}

function wouldStart({ document }: UnitEnd): boolean {
  return Array.isArray(document?.tasks) && document.tasks.length > 0;
}
