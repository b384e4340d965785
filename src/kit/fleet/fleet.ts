import { dirname, relative, sep } from 'node:path';
import { SYSTEM_CLOCK } from '../../core/command/clock.ts';
import {
  repositoryWith,
  tokenHost,
  unconfirmed,
  unconfirmedHosts,
} from '../../core/command/confirmed-hosts.ts';
import { stopped } from '../../core/command/interruption.ts';
import type { Io } from '../../core/command/io.ts';
import { refuseTogether } from '../../core/command/options.ts';
import {
  type PresentOptions,
  present,
  presentedText,
  type Shown,
} from '../../core/command/output/present.ts';
import { type Diagnostic, problem } from '../../core/diagnostics/diagnostic.ts';
import { isGood } from '../../core/model/exit-codes.ts';
import type { FleetReport } from '../../core/model/generated/fleet-report.ts';
import { given } from '../../core/model/given.ts';
import { lastStake } from '../log/journal.ts';
import { chosenUnits, type FleetChoice, type OpenedFleet, openFleet, type Unit } from './fleet-file.ts';
import {
  type Beside,
  type Ended,
  type FleetCommand,
  fleetReport,
  fleetUnitOf,
  isOfShard,
  readShard,
  type Shard,
  sharing,
} from './report.ts';
import {
  type BoundUnit,
  bindUnits,
  type RunOptions,
  runUnit,
  sharedAccount,
  type UnitCommand,
  type UnitEnd,
  unitEnvironment,
} from './run-unit.ts';

export interface FleetOptions extends FleetChoice, RunOptions, PresentOptions {
  /** A reviewed revision that each unit is compared with. */
  readonly base?: string | undefined;
  /** `I/N`. */
  readonly shard?: string | undefined;
  /** A name that all shards of one run share, and no shard of another run. */
  readonly run?: string | undefined;
  readonly accountsAtOnce?: number | undefined;
  /** Starts no further unit after one has failed. */
  readonly failFast?: boolean | undefined;
}

const AT_ONCE = 8;
const MOST_NAMED = 5;

export interface ReadyFleet {
  readonly fleet: OpenedFleet;
  readonly bound: readonly BoundUnit[];
  readonly chosen: readonly string[];
  readonly shard: Shard | undefined;
  /** The environment that units see. */
  readonly env: Io['env'];
  /** Known problems beside the units. */
  readonly beside?: readonly Beside[];
}

/** Reads the fleet file, chooses units and finds their tokens. Sends nothing. */
export async function readyFleet(
  options: FleetOptions,
  io: Io,
  binding: Parameters<typeof bindUnits>[2] = {},
): Promise<ReadyFleet> {
  const { fleet, units } = namedUnits(options, io, binding.emergency);
  const shard = options.shard === undefined ? undefined : readShard(options, fleet, io);
  // Other shards may run on other machines, and have the tokens of their units.
  const own = units.filter(({ name }) => shard === undefined || isOfShard(name, shard));
  const refused = binding.offline === true ? undefined : await unconfirmedUnits(own, fleet.path, io);
  const bound = await bindUnits(own, io, { ...binding, refused });
  const chosen = units.map(({ name }) => name).sort();
  return { fleet, bound, chosen, shard, env: unitEnvironment(io.env, fleet.units, bound) };
}

/**
 * What a fleet file in a repository says about tokens is a proposal, like what a project file says: the operator confirms the host
 * for each of them. A fleet file outside of a repository is the operator's own word. `path` is absolute.
 */
async function unconfirmedUnits(
  units: readonly Unit[],
  path: string,
  io: Io,
): Promise<ReadonlyMap<Unit, Diagnostic>> {
  const reviewed = repositoryWith(path);
  if (reviewed === undefined) return new Map();
  const usable = units.filter(({ baseUrl }) => baseUrl !== '');
  const hosts = new Map(
    usable.map((unit) => [unit, tokenHost(unit.token, unit.baseUrl, dirname(path), reviewed)]),
  );
  const open = await unconfirmedHosts([...hosts.values()], 'fleet', io);
  return new Map(
    [...hosts].flatMap(([unit, host]) => {
      if (!open.has(host)) return [];
      const { code, message, hint } = unconfirmed(host, undefined, 'fleet', [...open]);
      const field = 'env' in unit.token ? 'token_env' : 'token_file';
      return [[unit, unit.declared(code, message, hint, field)] as const];
    }),
  );
}

/** The fleet, and its units that `--select`, `--tag` and `--exclude` choose. Needs no token. */
export function namedUnits(options: FleetOptions, io: Io, emergency = false) {
  const single = ['project', 'environment', 'baseUrl', 'tokenFile'] as const;
  refuseTogether('fleet', options, single, 'which is for one account', 'Write it in the fleet file.');
  const fleet = openFleet(options, io, emergency);
  return { fleet, units: chosenUnits(fleet, options) };
}

/**
 * Runs a command for units, several at the same time. A failure in one unit does not stop the others unless `failFast` is set. A
 * unit that did not begin, after a failure or after Ctrl-C, has no code.
 */
export async function runUnits(
  { env, bound: all }: ReadyFleet,
  command: UnitCommand,
  options: FleetOptions,
  io: Io,
  bound = all,
): Promise<readonly UnitEnd[]> {
  const ends = new Map<BoundUnit, UnitEnd>();
  const waiting = [...bound];
  let failed = false;
  const work = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      if (io.stop.soft.aborted || (failed && options.failFast === true)) continue;
      const end = await runUnit(one, command, { io, env, options });
      ends.set(one, end);
      failed ||= !isGood(end.code);
      const open = bound.flatMap((other) => (ends.has(other) ? [] : [other.unit.name]));
      // Of the last ones the names are known at once: an account that does not answer can take minutes.
      const still = open.length > 0 && open.length <= MOST_NAMED ? `; still at work: ${open.join(', ')}` : '';
      if (options.quiet !== true) io.stderr(`${endText(end)} (${ends.size} of ${bound.length}${still})\n`);
    }
  };
  await hearing(io, () => Promise.all(Array.from({ length: options.accountsAtOnce ?? AT_ONCE }, work)));
  return bound.map((one) => ends.get(one) ?? notRun(one));
}

function endText({ unit, code, diagnostics }: UnitEnd): string {
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  return `${unit.name}: ended with ${code}${first === undefined ? '' : `, ${first.code}`}`;
}

export function notRun({ unit, diagnostics }: BoundUnit, why?: string, expect?: string): UnitEnd {
  const said = problem(
    'unit-not-run',
    why === undefined ? 'the account was not reached' : `not started: ${why}`,
    // Alone, this unit would get the change that a wave before it was to prove.
    why === undefined
      ? `Run the command again, only for this unit, with --select ${unit.name}.`
      : expect === undefined
        ? 'Correct that, and run the same command again: it begins with the first wave.'
        : 'Correct that, and review `tradeform fleet plan` again: the plans have another digest then.',
  );
  return { unit, code: undefined, document: null, diagnostics: [...diagnostics, said] };
}

/** Refuses two units of one project on one account, according to the service: each would delete the tasks of the other. */
export function refuseShared(ends: readonly UnitEnd[]): readonly UnitEnd[] {
  const others = sharing(ends, ({ unit: { name, baseUrl }, document }) => ({
    name,
    base_url: baseUrl,
    document,
  }));
  return ends.map((end) => {
    const names = others(end);
    if (names === '') return end;
    const said = sharedAccount(end.unit, `${names} is the same project on the same account`);
    return { ...end, code: 3, diagnostics: [...end.diagnostics, said] };
  });
}

/** The account is the one that the fleet file or the project file names, else the one of the last run with this token. */
async function lastKnown({ unit, project: read, policy, token }: BoundUnit, io: Io) {
  const project = unit.projectName ?? read;
  const login = unit.account?.login_username ?? policy?.account?.login_username;
  const isAccount: Parameters<typeof lastStake>[1] = ({ base_url, login_username, token_prefix }) =>
    base_url === unit.baseUrl &&
    (login === undefined ? token_prefix === token?.split('.', 1)[0] : login_username === login);
  return project === undefined ? undefined : lastStake(project, isAccount, io);
}

/** Shows the only document of a fleet. Returns the exit code. */
export async function presentFleet(
  command: FleetCommand,
  ends: readonly (UnitEnd & Pick<Ended, 'plan'>)[],
  ready: ReadyFleet,
  options: FleetOptions,
  io: Io,
): Promise<number> {
  return presentReport(await reported(command, ends, ready, io), options, io);
}

/** A signal no longer ends the run here: what was done to the accounts is always reported. */
export function presentReport(document: FleetReport, options: FleetOptions, io: Io): Promise<number> {
  return hearing(io, () => present(shownFleet(document), options, io));
}

/** Signals are handled meanwhile, so that an interrupted run reports what is done. */
export async function hearing<Result>({ stop }: Io, work: () => Promise<Result>): Promise<Result> {
  const release = stop.hear?.();
  try {
    return await work();
  } finally {
    release?.();
  }
}

/** The same as text, for a question. */
export async function endsText(
  command: FleetCommand,
  ends: readonly UnitEnd[],
  ready: ReadyFleet,
  options: FleetOptions,
  io: Io,
): Promise<string> {
  return presentedText(shownFleet(await reported(command, ends, ready, io)), options, io);
}

function shownFleet(document: FleetReport): Shown<FleetReport> {
  return { document, command: `fleet ${document.command}`, exitCode: document.exit_code };
}

async function reported(
  command: FleetCommand,
  ends: readonly (UnitEnd & Pick<Ended, 'plan'>)[],
  { fleet, bound, chosen, shard, beside = [] }: ReadyFleet,
  io: Io,
): Promise<FleetReport> {
  const created_at = new Date(SYSTEM_CLOCK.now()).toISOString();
  const folderOf = ({ unit }: UnitEnd) => relative(io.cwd, unit.folder).replaceAll(sep, '/') || '.';
  const units = await Promise.all(
    ends.map(async (end) => {
      const unit = await fleetUnitOf(command, { ...end, folder: folderOf(end) });
      if (unit.stakes !== null || command === 'validate' || command === 'init') return unit;
      const one = bound.find((other) => other.unit === end.unit);
      return { ...unit, ...given({ last_known: one && (await lastKnown(one, io)) }) };
    }),
  );
  const { name, file, diagnostics } = fleet;
  const unusable = diagnostics.length === 0 ? [] : [{ exitCode: 3 as const, diagnostics }];
  const { soft } = io.stop;
  const ended = soft.aborted ? [stopped(soft, '')] : [];
  const all = [...unusable, ...beside, ...ended];
  const about = { command, fleet: name, file, created_at, chosen: [...chosen], shard, beside: all };
  return fleetReport(about, units);
}
