import { relative } from 'node:path';
import type { Io } from '../../command/io.ts';
import { shown } from '../../command/masking.ts';
import { fittedMarkdown } from '../../command/output/fitted-markdown.ts';
import {
  findingsFormats,
  type PresentOptions,
  present,
  type Renderings,
} from '../../command/output/present.ts';
import { diagnosticsText } from '../../command/show-diagnostics.ts';
import type { Texts } from '../../diagnostics/diagnostic.ts';
import { usage } from '../../diagnostics/diagnostic.ts';
import { byKey } from '../../model/by-key.ts';
import type { FleetReport, FleetUnit } from '../../model/generated/fleet-report.ts';
import { isObject } from '../../model/json.ts';
import { jsonText } from '../../render/result.ts';
import { SYSTEM_CLOCK } from '../../service/http/clock.ts';
import { detailText, saidBeside } from './detail.ts';
import { chosenUnits, type FleetChoice, type OpenedFleet, openFleet } from './fleet-file.ts';
import { type Ended, type FleetCommand, fleetReport } from './report.ts';
import {
  type BoundUnit,
  bindUnits,
  type RunOptions,
  runUnit,
  type UnitCommand,
  type UnitEnd,
  unitEnvironment,
} from './run-unit.ts';
import { fleetText } from './text.ts';
import type { Unit } from './units.ts';

export interface FleetOptions extends FleetChoice, Omit<RunOptions, 'timeout'>, PresentOptions {
  readonly accountsAtOnce?: number;
  /** Begins no further unit once one has failed. */
  readonly failFast?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly quiet?: boolean;
  readonly project?: string;
  readonly environment?: string;
  readonly baseUrl?: string;
  readonly tokenFile?: string;
}

const AT_ONCE = 8;

/** A fleet whose units may be run. */
export interface ReadyFleet {
  readonly fleet: OpenedFleet;
  readonly bound: readonly BoundUnit[];
  /** What units see of the environment. */
  readonly env: Io['env'];
}

/** Reads the fleet file, chooses units and finds their tokens; nothing is sent. */
export async function readyFleet(
  options: FleetOptions,
  io: Io,
  binding: Parameters<typeof bindUnits>[2] = {},
): Promise<ReadyFleet> {
  refuseSingle(options);
  const fleet = openFleet(options, io, binding.emergency);
  const units = chosenUnits(fleet, options);
  const bound = await bindUnits(units, io, binding);
  return { fleet, bound, env: unitEnvironment(io.env, fleet.units, bound) };
}

/** The fleet file says these for each unit. */
function refuseSingle({ project, environment, baseUrl, tokenFile }: FleetOptions): void {
  const given = {
    '--project': project,
    '--environment': environment,
    '--base-url': baseUrl,
    '--token-file': tokenFile,
  };
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length > 0)
    throw usage(
      `fleet stands beside ${names.join(', ')}, which is for one account`,
      'Write it in the fleet file.',
    );
}

/**
 * Runs a command for units, several at the same time; what fails in one stops no other, unless `failFast` is given. A unit that
 * was not begun, after that or after Ctrl-C, has no code.
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

/** `why` nobody looked at it, where that is known. */
export function notRun({ unit, diagnostics, sources }: BoundUnit, why?: string): UnitEnd {
  const said = {
    severity: 'error',
    code: 'unit-not-run',
    message: `${unit.name} was not looked at${why === undefined ? '' : `: ${why}`}`,
    hint: `Run the command again, for this unit alone with --select ${unit.name}.`,
  } as const;
  return { unit, code: undefined, document: undefined, diagnostics: [...diagnostics, said], sources };
}

/** Two units of one project on one account, by what the service said of both: each would delete the tasks of the other. */
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
    const hint = 'each would delete the tasks of the other: use another account, or leave one of them out';
    const said = end.unit.declared({ code: 'account-shared', message, hint });
    return { ...end, code: 3, diagnostics: [...end.diagnostics, said] };
  });
}

/** Shows the one document of a fleet; returns the exit code. */
export async function presentFleet(
  command: FleetCommand,
  ends: readonly (UnitEnd & Pick<Ended, 'plan'>)[],
  { fleet }: ReadyFleet,
  options: FleetOptions,
  io: Io,
): Promise<number> {
  const { report, renderings } = rendered(command, ends, fleet, options, io);
  return present(renderings, options, io, report.exit_code);
}

/** The same as text, for a question. */
export async function endsText(
  command: FleetCommand,
  ends: readonly UnitEnd[],
  { fleet }: ReadyFleet,
  options: FleetOptions,
  io: Io,
): Promise<string> {
  const { renderings } = rendered(command, ends, fleet, options, io);
  return renderings.text({ columns: io.columns, color: io.color.stderr, file: false });
}

function rendered(
  command: FleetCommand,
  ends: readonly (UnitEnd & Pick<Ended, 'plan'>)[],
  fleet: OpenedFleet,
  options: FleetOptions,
  io: Io,
): { readonly report: FleetReport; readonly renderings: Renderings } {
  const told = ends.map((end) => ({ ...end, folder: folderOf(end.unit, io) }));
  const made = shown(fleetReport({ command, fleet, now: SYSTEM_CLOCK.now(), ends: told }), io);
  const report: FleetReport = io.stop.soft.aborted ? { ...made, exit_code: 130 } : made;
  const units = new Map(ends.map(({ unit, sources }) => [unit.name, sources]));
  return { report, renderings: renderingsOf(report, { fleet: fleet.sources, units }, options, io) };
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
    text: (view) => fleetText(report, { ...view, detail: detail(view), all: options.verbose === true }),
    json: () => jsonText(report),
    markdown: async ({ maxBytes }) => {
      const { fleetMarkdown, fleetMarkdownWithin } = await import('./markdown.ts');
      const text = detail({ columns: 100, color: false });
      return fittedMarkdown(report, maxBytes, {
        whole: (one) => fleetMarkdown(one, text),
        within: (one, bytes) => fleetMarkdownWithin(one, text, bytes),
        essence: 'the report does not fit BYTES bytes: its result',
        less: 'look at',
      });
    },
  };
}
