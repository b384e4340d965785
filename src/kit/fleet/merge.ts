import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import { problem, usage } from '../../core/diagnostics/diagnostic.ts';
import { systemWords } from '../../core/diagnostics/system-words.ts';
import { fleetDigest } from '../../core/documents/fleet.ts';
import { isDecimal } from '../../core/model/decimal.ts';
import { isGood } from '../../core/model/exit-codes.ts';
import { FLEET_FORMAT, type FleetReport, type FleetUnit } from '../../core/model/generated/fleet-report.ts';
import { invalidDocument, readDocument } from '../report/saved.ts';
import { type FleetOptions, presentReport } from './fleet.ts';
import { fleetReport, isOfShard, isResult, runOf, sharing } from './report.ts';

/**
 * `tradeform fleet merge DIR`: makes one report from the documents of all shards (`*.json`). A unit without a document is
 * `not-run`; so are all units of a missing shard. Fails (exit 3) for documents that do not belong together.
 */
export async function runMerge(folder: string | undefined, options: FleetOptions, io: Io): Promise<number> {
  const directory = folder ?? '.';
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
  const times = reports.map((report) => report.created_at).sort();
  const created_at = times.at(-1) ?? '';
  const { command, fleet, file, chosen } = first;
  // Each shard saw only its own units.
  const others = sharing(units, (unit) => unit);
  const judged = units.map((unit) => {
    const told = unit.diagnostics.some(({ code }) => code === 'account-shared');
    return told || others(unit) === '' ? unit : twice(unit, others(unit));
  });
  // A problem beside the units of a shard (a gate, a signal) is a problem of the whole run.
  const beside = reports.flatMap(({ exit_code, diagnostics = [] }) =>
    isGood(exit_code) ? [] : [{ exitCode: exit_code, diagnostics }],
  );
  const about = { command, fleet, file, created_at, chosen, beside };
  const merged = fleetReport(about, [...judged, ...missing.map(absent)]);
  return presentReport(merged, options, io);
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
    const hint = 'Name the folder with the documents of the shards.';
    throw usage(`${directory} cannot be read: ${systemWords(error)}`, hint);
  }
}

async function readReport(file: string, { cwd }: Io): Promise<FleetReport> {
  const report = await readDocument(file, cwd);
  if (report.format !== FLEET_FORMAT) throw invalid(`${file} is not a document of a fleet`);
  if (report.digest !== undefined && report.digest !== fleetDigest(report.units))
    throw invalid(`${file} was changed after it was written`);
  for (const { name, stakes, ...ended } of report.units) {
    if (!isResult(ended)) throw invalid(`${file}: the result of ${name} does not match its exit code`);
    const { result, document, exit_code } = ended;
    // The document of a command that failed has its exit code.
    const shown = document !== null && 'exit_code' in document ? document.exit_code : exit_code;
    const shows = document !== null && shown === exit_code;
    if (!shows && (result === 'ok' || result === 'differs'))
      throw invalid(`${file}: ${name} has the result ${result}, but no document that shows it`);
    // The schema does not check amounts, and a sum that includes an invalid one would be too small.
    const amounts = stakes === null ? [] : [stakes.before, stakes.after];
    if (!amounts.every(isDecimal)) throw invalid(`${file}: the exposure of ${name} is not an amount`);
  }
  return report;
}

const AGAIN = 'Run this shard again, and merge the documents of one run.';
const invalid = (message: string, hint = AGAIN) => invalidDocument(message, hint);

function twice(unit: FleetUnit, others: string): FleetUnit {
  const message = `${others} is the same project on the same account`;
  const hint = 'Use another account, or leave one of them out: each would delete the tasks of the other.';
  const said = problem('account-shared', message, hint);
  return { ...unit, result: 'invalid', exit_code: 3, diagnostics: [...unit.diagnostics, said] };
}

function absent(name: string): FleetUnit {
  const message = 'the account was not reached: no shard has it';
  const said = problem('unit-not-run', message, 'Run the shard that is missing, and merge again.');
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
    diagnostics: [said],
  };
}
