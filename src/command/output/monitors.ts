import { dirname, resolve } from 'node:path';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { readManifests } from '../../manifest/read.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { FLEET_FILE, findUpward } from '../../project/find-project.ts';
import { readNamed } from '../../project/read-named.ts';
import { repositoryOf } from '../../project/repository.ts';
import { realOf } from '../confirmed-hosts.ts';
import type { Io } from '../io.ts';
import type { NotifyRun } from '../notify/notify.ts';
import { type CommonOptions, chosenEnvironment } from '../options.ts';
import { subjectOfFailure } from '../subject.ts';

/** The options of a command that reports to monitors. */
export interface MonitorOptions extends CommonOptions {
  /** A file for Prometheus, relative to the working directory. */
  readonly metrics?: string | undefined;
  /** A URL that receives a request after each run that did its work. */
  readonly heartbeat?: string | undefined;
  /** Channels from the operator's notification settings. */
  readonly notify?: readonly string[] | undefined;
}

/** Options that narrow what a run reads or carries out. A run with another scope resolves no situation of this one. */
const NARROWING = [
  ...['target', 'exclude', 'only', 'base', 'ignore', 'failOn', 'since', 'depth'],
  ...['select', 'tag', 'shard', 'changedSince'],
];

/**
 * Tells the monitors about a run, at its very end: first the metrics, then the channels with the final exit code, then the
 * heartbeat. `code` returns the exit code for the problems so far.
 */
export async function tellMonitors(
  json: () => string | Promise<string>,
  options: MonitorOptions,
  io: Io,
  { command, code }: { readonly command: string; readonly code: (problems: readonly Diagnostic[]) => number },
): Promise<readonly Diagnostic[]> {
  const { metrics, heartbeat, notify: names = [] } = options;
  const problems: Diagnostic[] = [];
  if (metrics !== undefined || names.length > 0) {
    const document = JSON.parse(await json()) as JsonObject;
    const { labels, ...run } = runOf(document, command, options, io);
    if (metrics !== undefined) {
      const { writeMetrics } = await import('./metrics.ts');
      const facts = { command, exitCode: code(problems), labels };
      problems.push(...(await writeMetrics(metrics, document, facts, io)));
    }
    if (names.length > 0) {
      const [{ notify }, { readNotifySettings }] = await Promise.all([
        import('../notify/notify.ts'),
        import('../notify/settings.ts'),
      ]);
      const settings = readNotifySettings(names, reviewedOf(options, io), io);
      const scope = JSON.stringify([command, ...run.scope]);
      // An alert about a part is a separate alert: a run of the part ends no alert about the whole.
      const [part] = run.part;
      const own =
        part === undefined ? labels : { ...labels, part: io.masking.text(JSON.stringify(run.part)) };
      const told = { ...run, command, scope, labels: own, exitCode: code(problems) };
      problems.push(...(await notify(settings, document, told)));
    }
  }
  const ended = code(problems);
  if (heartbeat !== undefined && (ended === 0 || ended === 2)) {
    const { sendHeartbeat } = await import('./heartbeat.ts');
    problems.push(...(await sendHeartbeat(heartbeat)));
  }
  return problems;
}

/** Folders that a pull request can change: the repository of the project or of the fleet file, else their folder. */
export function reviewedOf(options: CommonOptions, { cwd }: Pick<Io, 'cwd'>): readonly string[] {
  const place = realOf(placeOf(options, cwd));
  const repositories = [repositoryOf(place), repositoryOf(realOf(cwd))].flatMap((found) => found ?? []);
  return isNamed(options, cwd) ? [repositoryOf(place) ?? place, ...repositories] : repositories;
}

function isNamed(options: CommonOptions, cwd: string): boolean {
  return options.project !== undefined || fleetOf(options) !== undefined || findUpward(cwd) !== undefined;
}

function fleetOf(options: object): string | undefined {
  const { fleet } = options as { readonly fleet?: unknown };
  return typeof fleet === 'string' ? fleet : undefined;
}

/** The folder of the project file or of the fleet file, else the working directory. */
function placeOf(options: CommonOptions, cwd: string): string {
  const file = fleetOf(options) ?? options.project;
  if (file !== undefined) return dirname(resolve(cwd, file));
  const found = findUpward(cwd);
  return found === undefined ? cwd : dirname(found);
}

/** The subject of a run: from its document, else from the project file as far as it can be read. */
function runOf(
  document: JsonObject,
  command: string,
  options: MonitorOptions,
  io: Io,
): Pick<NotifyRun, 'labels' | 'name'> & {
  readonly scope: readonly unknown[];
  readonly part: readonly unknown[];
} {
  const { project, environment, fleet, service } =
    document.format === 'tradeform.result/1' ? failureOf(command, options, io) : document;
  const account = isObject(service) ? service.login_username : undefined;
  const named = Object.entries({ project, environment, fleet });
  const labels = Object.fromEntries(
    named.flatMap(([name, value]) => (typeof value === 'string' ? [[name, io.masking.text(value)]] : [])),
  );
  const name = [project ?? fleet, environment, account]
    .filter((part) => typeof part === 'string')
    .join(' · ');
  const given = options as unknown as Readonly<Record<string, Json | undefined>>;
  const narrowed = NARROWING.flatMap((option) =>
    given[option] === undefined ? [] : [[option, given[option]]],
  );
  const file = fleetOf(options) ?? options.project ?? '';
  return {
    labels,
    name,
    part: narrowed,
    scope: [placeOf(options, io.cwd), file, chosenEnvironment(options.environment, io.env) ?? null, narrowed],
  };
}

/** A failure has the labels of a successful run. Otherwise its alert would never end. */
function failureOf(command: string, options: MonitorOptions, io: Io): Readonly<Record<string, unknown>> {
  if (!command.startsWith('fleet')) return { ...subjectOfFailure(options, io) };
  const file = readNamed(resolve(io.cwd, fleetOf(options) ?? FLEET_FILE), FLEET_FILE);
  return 'source' in file ? { fleet: readManifests(file.source).manifests[0]?.name } : {};
}
