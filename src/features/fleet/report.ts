import { createHash } from 'node:crypto';
import { compareCodes, worstCode } from '../../command/exit-codes.ts';
import { VERSION } from '../../command/version.ts';
import type { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { byKey } from '../../model/by-key.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { addDecimals, compareDecimals } from '../../model/decimal.ts';
import type { DriftReport } from '../../model/generated/drift.ts';
import type { FleetReport, FleetUnit, Stakes } from '../../model/generated/fleet-report.ts';
import type { Plan } from '../../model/generated/plan.ts';
import type { StatusReport } from '../../model/generated/status.ts';
import type { SwitchReport } from '../../model/generated/switch.ts';
import type { JsonObject } from '../../model/json.ts';
import type { UnitEnd } from './run-unit.ts';

export type FleetCommand = FleetReport['command'];

const RESULTS = {
  0: 'ok',
  1: 'failed',
  2: 'differs',
  3: 'invalid',
  4: 'refused',
  // A newer commit was applied already, and nothing was done.
  5: 'ok',
  130: 'interrupted',
} as const satisfies Record<FleetReport['exit_code'], FleetUnit['result']>;

/**
 * Whether a result and an exit code match. Both come from a document that others wrote, and an unknown code must not count as
 * success.
 */
export function isResult({ result, exit_code }: Pick<FleetUnit, 'result' | 'exit_code'>): boolean {
  if (result === 'not-run') return exit_code === 1;
  return Object.entries(RESULTS).some(([code, known]) => known === result && Number(code) === exit_code);
}

/** A unit's end, and further facts about it. */
export interface Ended extends UnitEnd {
  /** From the working directory. */
  readonly folder: string;
  /** For an apply: the plan that it carried out. */
  readonly plan?: JsonObject | undefined;
}

export type Shard = NonNullable<FleetReport['shard']>;

interface ReportInput extends Pick<FleetReport, 'command' | 'fleet' | 'file' | 'created_at' | 'chosen'> {
  readonly shard?: Shard | undefined;
  /** Problems beside the units. */
  readonly beside?: readonly Beside[] | undefined;
}

/** A problem of the whole run, with its severity. */
export type Beside = Pick<CommandFailure, 'exitCode' | 'diagnostics'>;

/** The only document of a fleet: the worst units first, then the most expensive, then by name. */
export function fleetReport(input: ReportInput, ended: readonly FleetUnit[]): FleetReport {
  const { command, fleet, file, created_at, chosen, shard, beside = [] } = input;
  const diagnostics = beside.flatMap((one) => one.diagnostics);
  const units = [...ended].sort(worstFirst);
  const results = byKey(units, ({ result }) => result);
  const number = (result: FleetUnit['result']) => results.get(result)?.length ?? 0;
  const planned = command === 'plan' || command === 'apply';
  return {
    format: 'tradeform.fleet/1',
    tool: { name: 'tradeform', version: VERSION },
    created_at,
    command,
    fleet,
    file,
    exit_code: worstCode([
      ...units.map(({ exit_code }) => exit_code),
      ...beside.map(({ exitCode }) => exitCode),
    ]),
    ...(planned ? { digest: fleetDigest(units) } : {}),
    chosen,
    ...(shard === undefined ? {} : { shard }),
    summary: {
      units: units.length,
      ok: number('ok'),
      differs: number('differs'),
      refused: number('refused'),
      failed: number('failed'),
      invalid: number('invalid'),
      interrupted: number('interrupted'),
      not_run: number('not-run'),
    },
    stakes: sumOf(units.flatMap(({ stakes }) => stakes ?? [])),
    ...(diagnostics.length === 0 ? {} : { diagnostics: diagnostics.map((one) => ({ ...one })) }),
    units,
  };
}

function worstFirst(a: FleetUnit, b: FleetUnit): number {
  return (
    compareCodes(b.exit_code, a.exit_code) ||
    compareDecimals(dearest(b), dearest(a)) ||
    compareTexts(a.name, b.name)
  );
}

function dearest({ stakes }: FleetUnit): string {
  if (stakes === null) return '0';
  return compareDecimals(stakes.before, stakes.after) > 0 ? stakes.before : stakes.after;
}

export function fleetUnitOf({ unit, code, document, diagnostics, folder, plan }: Ended): FleetUnit {
  const known = plan ?? document;
  // A refused plan is not carried out.
  const planned = plan ?? (code === 0 || code === 2 ? document : undefined);
  const digest = planned?.format === 'tradeform.plan/1' ? (planned as unknown as Plan).digest : undefined;
  const service = (known as unknown as Partial<Plan> | undefined)?.service;
  return {
    name: unit.name,
    folder,
    environment: unit.environment ?? null,
    base_url: unit.baseUrl,
    tags: [...unit.tags],
    wave: unit.wave,
    account: service?.login_username ?? null,
    result: code === undefined ? 'not-run' : RESULTS[code],
    // A unit that was not run counts as 1.
    exit_code: code ?? 1,
    ...(digest === undefined ? {} : { digest }),
    // A unit that did not begin has no share in the sums of what was done.
    stakes: known === undefined || code === undefined ? null : stakesOf(known),
    document: document ?? null,
    diagnostics: diagnostics.map((one) => ({ ...one })),
  };
}

/** The exposure of an account according to the document of a command. null if the document does not contain it. */
function stakesOf(document: JsonObject): Stakes | null {
  switch (document.format) {
    case 'tradeform.plan/1': {
      const { exposure, changes } = document as unknown as Plan;
      const having = (test: (change: Plan['changes'][number]) => boolean) => changes.filter(test).length;
      return {
        before: exposure.before,
        after: exposure.after,
        starts: having((change) => change.starts_trading),
        stops: having((change) => change.stops_trading),
        changes: having(({ operations }) => operations.length > 0),
      };
    }
    case 'tradeform.drift/1': {
      const { exposure, summary } = document as unknown as DriftReport;
      const { started, stopped, failing } = summary;
      return {
        before: exposure.live,
        after: exposure.git,
        starts: started,
        stops: stopped,
        changes: failing,
      };
    }
    case 'tradeform.status/1': {
      const { exposure, summary } = document as unknown as StatusReport;
      const { differs, pending } = summary;
      return { before: exposure, after: exposure, starts: pending, stops: 0, changes: differs };
    }
    case 'tradeform.switch/1': {
      const { exposure, summary } = document as unknown as SwitchReport;
      const { started, paused } = summary;
      return { ...exposure, starts: started, stops: paused, changes: started + paused };
    }
    default:
      return null;
  }
}

function sumOf(all: readonly Stakes[]): Stakes {
  const number = (field: 'starts' | 'stops' | 'changes') => all.reduce((sum, one) => sum + one[field], 0);
  return {
    before: addDecimals(all.map(({ before }) => before)),
    after: addDecimals(all.map(({ after }) => after)),
    starts: number('starts'),
    stops: number('stops'),
    changes: number('changes'),
  };
}

/** A digest over what was planned for each unit. A unit without a plan is included as such. */
export function fleetDigest(units: readonly Pick<FleetUnit, 'name' | 'digest'>[]): string {
  const listed = units.map(({ name, digest = null }) => [name, digest] as const);
  const sorted = listed.sort(([a], [b]) => compareTexts(a, b));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
