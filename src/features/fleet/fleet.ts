import { dirname, relative } from 'node:path';
import { repositoryWith, tokenHost, unconfirmed, unconfirmedHosts } from '../../command/confirmed-hosts.ts';
import type { Io } from '../../command/io.ts';
import { shown } from '../../command/masking.ts';
import { refuseTogether } from '../../command/options.ts';
import { fittedText } from '../../command/output/fitted-markdown.ts';
import {
  findingsFormats,
  type PresentOptions,
  present,
  type Renderings,
} from '../../command/output/present.ts';
import { diagnosticsText } from '../../command/show-diagnostics.ts';
import type { Diagnostic, Texts } from '../../diagnostics/diagnostic.ts';
import { byKey } from '../../model/by-key.ts';
import type { FleetReport, FleetUnit } from '../../model/generated/fleet-report.ts';
import { isObject } from '../../model/json.ts';
import { jsonText } from '../../render/result.ts';
import { SYSTEM_CLOCK } from '../../service/http/clock.ts';
import { changedSince } from './changed.ts';
import { detailText, saidBeside } from './detail.ts';
import { chosenUnits, type FleetChoice, type OpenedFleet, openFleet } from './fleet-file.ts';
import {
  type Beside,
  type Ended,
  type FleetCommand,
  fleetReport,
  fleetUnitOf,
  type Shard,
} from './report.ts';
import {
  type BoundUnit,
  bindUnits,
  type RunOptions,
  runUnit,
  type UnitCommand,
  type UnitEnd,
  unitEnvironment,
} from './run-unit.ts';
import { isOfShard, readShard } from './shard.ts';
import { fleetText } from './text.ts';
import type { Unit } from './units.ts';
import { besideOf } from './words.ts';

export interface FleetOptions extends FleetChoice, Omit<RunOptions, 'timeout'>, PresentOptions {
  /** A reviewed revision that each unit is compared with. */
  readonly base?: string | undefined;
  /** Of the chosen units, those that differ from a git revision. */
  readonly changedSince?: string | undefined;
  /** `I/N`. */
  readonly shard?: string | undefined;
  /** A name that all shards of one run share, and no shard of another run. */
  readonly run?: string | undefined;
  readonly accountsAtOnce?: number | undefined;
  /** Starts no further unit after one has failed. */
  readonly failFast?: boolean | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly quiet?: boolean | undefined;
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
}

const AT_ONCE = 8;

/** A fleet whose units are ready to run. */
export interface ReadyFleet {
  readonly fleet: OpenedFleet;
  readonly bound: readonly BoundUnit[];
  /** Names of the chosen units in all shards. */
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
  const { fleet, units } = await namedUnits(options, io, binding.emergency);
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
      const { code, message, hint } = unconfirmed(host, undefined, 'fleet');
      const field = 'env' in unit.token ? 'token_env' : 'token_file';
      return [[unit, unit.declared({ code, message, hint }, field)] as const];
    }),
  );
}

/** The fleet, and its units that `--select`, `--tag` and `--changed-since` choose. Needs no token. */
export async function namedUnits(
  options: FleetOptions,
  io: Io,
  emergency = false,
): Promise<{ readonly fleet: OpenedFleet; readonly units: readonly Unit[] }> {
  refuseSingle(options);
  const fleet = openFleet(options, io, emergency);
  const named = chosenUnits(fleet, options);
  const { changedSince: revision } = options;
  if (revision === undefined) return { fleet, units: named };
  const env = unitEnvironment(io.env, fleet.units, []);
  return { fleet, units: await changedSince(revision, named, { path: fleet.path, env }) };
}

/** The fleet file sets these options for each unit. */
function refuseSingle({ project, environment, baseUrl, tokenFile }: FleetOptions): void {
  const given = {
    '--project': project,
    '--environment': environment,
    '--base-url': baseUrl,
    '--token-file': tokenFile,
  };
  refuseTogether('fleet', given, 'which is for one account', 'Write it in the fleet file.');
}

/**
 * Runs a command for units, several at the same time. A failure in one unit does not stop the others unless `failFast` is set. A
 * unit that did not begin, after a failure or after Ctrl-C, has no code.
 */
export async function runUnits(
  bound: readonly BoundUnit[],
  command: UnitCommand,
  { io, env, options }: { readonly io: Io; readonly env: Io['env']; readonly options: FleetOptions },
): Promise<readonly UnitEnd[]> {
  const ends = new Map<BoundUnit, UnitEnd>();
  const waiting = [...bound];
  let failed = false;
  const work = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      if (io.stop.soft.aborted || (failed && options.failFast === true)) continue;
      const end = await runUnit(one, command, { io, env, options });
      ends.set(one, end);
      failed ||= end.code !== 0 && end.code !== 2;
      if (options.quiet !== true) io.stderr(`${endText(end)} (${ends.size} of ${bound.length})\n`);
    }
  };
  const release = io.stop.hear?.();
  try {
    await Promise.all(Array.from({ length: options.accountsAtOnce ?? AT_ONCE }, work));
  } finally {
    release?.();
  }
  return bound.map((one) => ends.get(one) ?? notRun(one));
}

function endText({ unit, code, diagnostics }: UnitEnd): string {
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  return `${unit.name}: ended with ${code}${first === undefined ? '' : `, ${first.code}`}`;
}

/** `why` the unit was not run, if known. */
export function notRun({ unit, diagnostics, sources }: BoundUnit, why?: string): UnitEnd {
  const said = {
    severity: 'error',
    code: 'unit-not-run',
    message: `the account was not reached${why === undefined ? '' : `: ${why}`}`,
    hint: `Run the command again, only for this unit, with --select ${unit.name}.`,
  } as const;
  return { unit, code: undefined, document: undefined, diagnostics: [...diagnostics, said], sources };
}

/** Refuses two units of one project on one account, according to the service: each would delete the tasks of the other. */
export function refuseShared(ends: readonly UnitEnd[]): readonly UnitEnd[] {
  const keyOf = ({ unit, document }: UnitEnd) => {
    const account = isObject(document?.service) ? document.service.login_username : undefined;
    return typeof account === 'string' ? JSON.stringify([account, unit.baseUrl, document?.project]) : unit;
  };
  const groups = byKey(ends, keyOf);
  return ends.map((end) => {
    const others = (groups.get(keyOf(end)) ?? []).filter((other) => other !== end);
    if (others.length === 0) return end;
    const message = `${others.map(({ unit }) => unit.name).join(', ')} is the same project on the same account`;
    const hint = 'each would delete the tasks of the other: use another account, or remove one of them';
    const said = end.unit.declared({ code: 'account-shared', message, hint });
    return { ...end, code: 3, diagnostics: [...end.diagnostics, said] };
  });
}

/** Shows the only document of a fleet. Returns the exit code. */
export function presentFleet(
  command: FleetCommand,
  ends: readonly (UnitEnd & Pick<Ended, 'plan'>)[],
  ready: ReadyFleet,
  options: FleetOptions,
  io: Io,
): Promise<number> {
  const { report, sources } = reported(command, ends, ready, io);
  return presentReport(report, sources, options, io);
}

/** A signal no longer ends the run here: what was done to the accounts is always reported. */
export async function presentReport(
  report: FleetReport,
  sources: Sources,
  options: FleetOptions,
  io: Io,
): Promise<number> {
  const release = io.stop.hear?.();
  try {
    const ending = { command: `fleet ${report.command}`, exitCode: report.exit_code };
    return await present(renderingsOf(report, sources, options, io), options, io, ending);
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
  const { report, sources } = reported(command, ends, ready, io);
  const view = { columns: io.columns, color: io.color.stderr, file: false };
  return renderingsOf(report, sources, options, io).text(view);
}

function reported(
  command: FleetCommand,
  ends: readonly (UnitEnd & Pick<Ended, 'plan'>)[],
  { fleet, chosen, shard, beside = [] }: ReadyFleet,
  io: Io,
): { readonly report: FleetReport; readonly sources: Sources } {
  const created_at = new Date(SYSTEM_CLOCK.now()).toISOString();
  const units = ends.map((end) => fleetUnitOf({ ...end, folder: folderOf(end.unit, io) }));
  const { name, file, diagnostics } = fleet;
  const unusable = diagnostics.length === 0 ? [] : [{ exitCode: 3 as const, diagnostics }];
  const all = [...unusable, ...beside];
  const about = { command, fleet: name, file, created_at, chosen: [...chosen], shard, beside: all };
  const made = shown(fleetReport(about, units), io);
  const sources = new Map(ends.map(({ unit, sources: own }) => [unit.name, own]));
  return {
    report: io.stop.soft.aborted ? { ...made, exit_code: 130 } : made,
    sources: { fleet: fleet.sources, units: sources },
  };
}

function folderOf({ folder }: Unit, { cwd }: Io): string {
  return relative(cwd, folder).replaceAll('\\', '/') || '.';
}

interface Sources {
  readonly fleet: Texts;
  readonly units: ReadonlyMap<string, Texts>;
}

function renderingsOf(report: FleetReport, sources: Sources, options: FleetOptions, io: Io): Renderings {
  const detail = (view: { readonly columns: number; readonly color: boolean }) => (unit: FleetUnit) => {
    const own = sources.units.get(unit.name) ?? new Map<string, string>();
    const texts = {
      get: (file: string) => own.get(file) ?? sources.fleet.get(file),
      has: (file: string) => own.has(file) || sources.fleet.has(file),
      keys: () => own.keys(),
    };
    return detailText(unit, view) + diagnosticsText(saidBeside(unit), io, texts, view);
  };
  const findings = async () => (await import('./findings.ts')).fleetFindings(report);
  return {
    ...findingsFormats(findings, options, io),
    text: (view) => {
      const beside = diagnosticsText(besideOf(report), io, sources.fleet, view);
      return fleetText(report, { ...view, detail: detail(view), beside, all: options.verbose === true });
    },
    json: () => jsonText(report),
    html: async () => {
      const { fleetPage } = await import('../report/pages.ts');
      return (await import('../../render/html/page.ts')).pageText(fleetPage(report));
    },
    markdown: async ({ maxBytes }) => {
      const { fleetMarkdown, fleetMarkdownWithin } = await import('./markdown.ts');
      const text = detail({ columns: 100, color: false });
      if (maxBytes === undefined) return fleetMarkdown(report, text);
      const essence = 'the report does not fit BYTES bytes: its result';
      return fittedText(fleetMarkdownWithin(report, text, maxBytes), maxBytes, { essence, less: 'look at' });
    },
  };
}
