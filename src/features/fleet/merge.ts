import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Io } from '../../command/io.ts';
import { notWritten } from '../../command/unwritten.ts';
import { CommandFailure, type Diagnostic, usage } from '../../diagnostics/diagnostic.ts';
import { byKey } from '../../model/by-key.ts';
import { isDecimal } from '../../model/decimal.ts';
import type { FleetReport, FleetUnit } from '../../model/generated/fleet-report.ts';
import { readDocument } from '../report/saved.ts';
import { type FleetOptions, presentReport } from './fleet.ts';
import { type Beside, fleetReport, isResult } from './report.ts';
import { isOfShard, runOf } from './shard.ts';

/**
 * `tradeform fleet merge DIR`: makes one report from the documents of all shards (`*.json`). A unit without a document is
 * `not-run`; so are all units of a missing shard. Fails (exit 3) for documents that do not belong together.
 */
export async function runMerge(directory: string, options: FleetOptions, io: Io): Promise<number> {
  const names = await filesIn(directory, io);
  const reports: FleetReport[] = [];
  for (const name of names) reports.push(await readReport(join(directory, name), io));
  const [first] = reports;
  if (first === undefined)
    throw usage(
      `${directory} contains no documents of a fleet`,
      'Give each shard --report json=DIR/NAME.json.',
    );
  requireOneRun(names, reports, options.run ?? runOf(io.env));
  const units = reports.flatMap((report) => report.units);
  const doubled = units.find(({ name }, at) => units.findIndex((one) => one.name === name) !== at);
  if (doubled !== undefined) throw invalid(`two documents have the unit ${doubled.name}`);
  const missing = first.chosen.filter((name) => units.every((unit) => unit.name !== name));
  const created_at =
    reports
      .map((report) => report.created_at)
      .sort()
      .at(-1) ?? '';
  const { command, fleet, file, chosen } = first;
  // Each shard saw only its own units.
  const shared = byKey(units, accountOf);
  const judged = units.map((unit) => {
    const group = shared.get(accountOf(unit)) ?? [];
    const told = unit.diagnostics.some(({ code }) => code === 'account-shared');
    return group.length > 1 && !told ? twice(unit, group) : unit;
  });
  const beside = reports.flatMap(besideIn);
  const about = { command, fleet, file, created_at, chosen, beside };
  const merged = fleetReport(about, [...judged, ...missing.map(absent)]);
  return presentReport(merged, { fleet: new Map(), units: new Map() }, options, io);
}

/** A problem beside the units of a shard (a gate, a signal) is a problem of the whole run. */
function besideIn({ exit_code, diagnostics = [] }: FleetReport): readonly Beside[] {
  if (exit_code === 0 || exit_code === 2) return [];
  return [{ exitCode: exit_code, diagnostics: diagnostics as unknown as readonly Diagnostic[] }];
}

/** Without this check, a leftover document of an earlier run could replace a shard of this run. */
function requireOneRun(names: readonly string[], reports: readonly FleetReport[], run: string | null): void {
  const about = ({ command, fleet, file, chosen, shard }: FleetReport) =>
    JSON.stringify([command, fleet, file, chosen, shard === undefined ? null : { ...shard, index: 0 }]);
  const [first] = reports.map(about);
  for (const [at, report] of reports.entries()) {
    const name = names[at];
    const own = report.shard?.run;
    if (own === null || own === '') {
      const hint = 'Run all shards with the same --run ID, and use the ID for no other run.';
      throw invalid(`${name} does not name its run`, hint);
    }
    if (own !== undefined && run !== null && own !== run)
      throw invalid(`${name} is of the run ${own}, not of ${run}`);
    const { shard, units, chosen } = report;
    const stray = units.find(
      (unit) => !chosen.includes(unit.name) || (shard !== undefined && !isOfShard(unit.name, shard)),
    );
    if (stray !== undefined)
      throw invalid(`${name} has the unit ${stray.name}, which is not one of its shard`);
    if (about(report) !== first)
      throw invalid(
        `${name} is of another run than ${names[0]}: another run, command, fleet file or choice of units`,
      );
  }
}

async function filesIn(directory: string, { cwd }: Io): Promise<readonly string[]> {
  try {
    const names = await readdir(resolve(cwd, directory), { recursive: true });
    return names.filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    throw notWritten(
      `${directory} cannot be read`,
      error,
      'Name the folder with the documents of the shards.',
    );
  }
}

async function readReport(file: string, { cwd }: Io): Promise<FleetReport> {
  const { document, format } = await readDocument(file, cwd);
  if (format !== 'tradeform.fleet/1') throw invalid(`${file} is not a document of a fleet`);
  const report = document as unknown as FleetReport;
  for (const { name, stakes, ...ended } of report.units) {
    if (!isResult(ended)) throw invalid(`${file}: the result of ${name} does not match its exit code`);
    const { result, document } = ended;
    if (document === null && (result === 'ok' || result === 'differs'))
      throw invalid(`${file}: ${name} has the result ${result}, but no document that shows it`);
    // The schema does not check amounts, and a sum that includes an invalid one would be too small.
    const amounts = stakes === null ? [] : [stakes.before, stakes.after];
    if (!amounts.every(isDecimal)) throw invalid(`${file}: the exposure of ${name} is not an amount`);
  }
  return report;
}

function invalid(
  message: string,
  hint = 'Run this shard again, and merge the documents of one run.',
): CommandFailure {
  return CommandFailure.of(3, 'document-invalid', message, hint);
}

function accountOf(unit: FleetUnit): string | FleetUnit {
  const { account, base_url, document } = unit;
  return account === null ? unit : JSON.stringify([account, base_url, document?.project]);
}

function twice(unit: FleetUnit, group: readonly FleetUnit[]): FleetUnit {
  const others = group.filter((one) => one !== unit).map(({ name }) => name);
  const said: Diagnostic = {
    severity: 'error',
    code: 'account-shared',
    message: `${others.join(', ')} is the same project on the same account`,
    hint: 'Use another account, or leave one of them out: each would delete the tasks of the other.',
  };
  return { ...unit, result: 'invalid', exit_code: 3, diagnostics: [...unit.diagnostics, { ...said }] };
}

function absent(name: string): FleetUnit {
  const said: Diagnostic = {
    severity: 'error',
    code: 'unit-not-run',
    message: 'the account was not reached: no shard has it',
    hint: 'Run the shard that is missing, and merge again.',
  };
  return {
    name,
    folder: '',
    environment: null,
    base_url: '',
    tags: [],
    wave: 1,
    account: null,
    result: 'not-run',
    exit_code: 1,
    stakes: null,
    document: null,
    diagnostics: [{ ...said }],
  };
}
