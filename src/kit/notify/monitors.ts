import { dirname, resolve } from 'node:path';
import { realOf } from '../../core/command/confirmed-hosts.ts';
import { hostIn } from '../../core/command/event.ts';
import type { Io, MonitorOptions, Monitors } from '../../core/command/io.ts';
import { type CommonOptions, chosenEnvironment } from '../../core/command/options.ts';
import type { PresentOptions } from '../../core/command/output/present.ts';
import { subjectOfFailure } from '../../core/command/subject.ts';
import { Tally } from '../../core/command/tally.ts';
import { unwritten } from '../../core/command/unwritten.ts';
import type { Diagnostic } from '../../core/diagnostics/diagnostic.ts';
import type { DocumentKind } from '../../core/documents/document.ts';
import { accountIn } from '../../core/documents/of-accounts.ts';
import type { AnyDocument } from '../../core/documents/register.ts';
import type { DriftOptions } from '../../core/features/drift/drift.ts';
import type { PlanCommandOptions } from '../../core/features/plan.ts';
import { readManifests } from '../../core/manifest/read.ts';
import { isGood } from '../../core/model/exit-codes.ts';
import { FLEET_FORMAT } from '../../core/model/generated/fleet-report.ts';
import { LOG_FORMAT } from '../../core/model/generated/log.ts';
import { RESULT_FORMAT } from '../../core/model/generated/result.ts';
import { isObject, type Json } from '../../core/model/json.ts';
import { beginningOf } from '../../core/project/beginning.ts';
import { FLEET_FILE, findUpward } from '../../core/project/find-project.ts';
import { readNamed } from '../../core/project/read-file.ts';
import { replaceFile } from '../../core/project/replace-file.ts';
import { repositoryOf } from '../../core/project/repository.ts';
import { type MetricsRun, metricsText, type Sample } from '../../core/render/metrics.ts';
import { requireHeartbeat, sendHeartbeat } from './outside.ts';
import { readNotifySettings } from './settings.ts';

/** Whether an option narrows what a run reads, carries out or reports. A run with another scope resolves no situation of this one. */
const NARROWS = {
  target: true,
  exclude: true,
  only: true,
  base: true,
  ignore: true,
  failOn: true,
  select: true,
  tag: true,
  shard: true,
  resumeStopped: false,
  allowEmpty: false,
  takeOver: false,
  override: false,
  firstApply: false,
  detailedExitcode: false,
  out: false,
  at: false,
} satisfies Record<MonitoredOption | 'select' | 'tag' | 'shard', boolean>;

type MonitoredOption = Exclude<keyof (PlanCommandOptions & DriftOptions), keyof PresentOptions>;

export const monitors: Monitors = { check: checkMonitors, tell: tellMonitors };

function checkMonitors(options: MonitorOptions, io: Pick<Io, 'cwd' | 'env' | 'masking'>): void {
  const { heartbeat, notify: names = [] } = options;
  if (heartbeat !== undefined) requireHeartbeat(heartbeat, io.env);
  if (names.length > 0) readNotifySettings(names, reviewedOf(options, io), io);
}

async function tellMonitors<Document extends AnyDocument>(
  document: Document,
  kind: DocumentKind<Document>,
  options: MonitorOptions,
  io: Io,
  { command, code }: { readonly command: string; readonly code: (problems: readonly Diagnostic[]) => number },
): Promise<readonly Diagnostic[]> {
  const { metrics, heartbeat, notify: names = [] } = options;
  const problems: Diagnostic[] = [];
  if (metrics !== undefined || names.length > 0) {
    const { labels, ...run } = runOf(document, command, options, io);
    if (metrics !== undefined) {
      const facts = { command, exitCode: code(problems), labels };
      problems.push(...(await writeMetrics(metrics, kind.metrics?.(document) ?? [], facts, io)));
    }
    if (names.length > 0) {
      const { notify } = await import('./notify.ts');
      const settings = readNotifySettings(names, reviewedOf(options, io), io);
      const scope = JSON.stringify([command, ...run.scope]);
      // An alert about a part is a separate alert: a run of the part ends no alert about the whole.
      const [part] = run.part;
      const own =
        part === undefined ? labels : { ...labels, part: io.masking.text(JSON.stringify(run.part)) };
      const told = {
        ...run,
        command,
        scope,
        labels: own,
        exitCode: code(problems),
        url: hostIn(io.env)?.run(io.env),
      };
      problems.push(...(await notify(settings, (await kind.notice?.(document)) ?? {}, told)));
    }
  }
  const ended = code(problems);
  if (heartbeat !== undefined && isGood(ended)) {
    problems.push(...(await sendHeartbeat(heartbeat, io.env)));
  }
  return problems;
}

/** Folders that a pull request can change: the repository of the project or of the fleet file, else their folder. */
function reviewedOf(options: CommonOptions, { cwd }: Pick<Io, 'cwd'>): readonly string[] {
  const place = realOf(placeOf(options, cwd));
  const repositories = [repositoryOf(place), repositoryOf(realOf(cwd))].flatMap((found) => found ?? []);
  const named = options.project ?? fleetOf(options) ?? findUpward(cwd);
  return named === undefined ? repositories : [repositoryOf(place) ?? place, ...repositories];
}

function fleetOf(options: object): string | undefined {
  const { fleet } = options as { readonly fleet?: unknown };
  return typeof fleet === 'string' ? fleet : undefined;
}

/** The folder of the project file or of the fleet file, else the working directory. */
function placeOf(options: CommonOptions, cwd: string): string {
  const file = fleetOf(options) ?? options.project ?? findUpward(cwd);
  return file === undefined ? cwd : dirname(resolve(cwd, file));
}

/** The subject of a run: from its document, else from the project file as far as it can be read. */
function runOf(document: AnyDocument, command: string, options: MonitorOptions, io: Io) {
  const about = subjectIn(document, command, options, io);
  const { project, environment, fleet, service } = about;
  const account = isObject(service) ? service.login_username : undefined;
  const named = Object.entries({ project, environment, fleet });
  const labels = Object.fromEntries(
    named.flatMap(([name, value]) => (typeof value === 'string' ? [[name, io.masking.text(value)]] : [])),
  );
  const name = [project ?? fleet, environment, account]
    .filter((part) => typeof part === 'string')
    .join(' · ');
  const given = options as unknown as Readonly<Record<string, Json | undefined>>;
  const narrowed = Object.entries(NARROWS).flatMap(([option, narrows]) =>
    !narrows || given[option] === undefined ? [] : [[option, given[option]]],
  );
  const file = fleetOf(options) ?? options.project ?? '';
  return {
    labels,
    name,
    part: narrowed,
    scope: [placeOf(options, io.cwd), file, chosenEnvironment(options.environment, io.env) ?? null, narrowed],
  };
}

type Subject = Readonly<Record<string, unknown>>;

function subjectIn(document: AnyDocument, command: string, options: MonitorOptions, io: Io): Subject {
  if (document.format === FLEET_FORMAT) return { fleet: document.fleet };
  if (document.format === RESULT_FORMAT) return failureOf(command, options, io);
  return document.format === LOG_FORMAT ? {} : { ...accountIn(document) };
}

/** A failure has the labels of a successful run. Otherwise its alert would never end. */
function failureOf(command: string, options: MonitorOptions, io: Io): Subject {
  if (!command.startsWith('fleet')) return { ...subjectOfFailure(options, io) };
  const file = readNamed(resolve(io.cwd, fleetOf(options) ?? FLEET_FILE), FLEET_FILE);
  return 'source' in file ? { fleet: readManifests(file.source).manifests[0]?.name } : {};
}

/** Far more than tradeform writes. */
const MAX_BYTES = 1024 * 1024;

/** Writes the metrics of a run, completely or not at all. A failure becomes a diagnostic. `figures` are those of the document. */
async function writeMetrics(
  file: string,
  figures: readonly Sample[],
  run: Pick<MetricsRun, 'command' | 'exitCode' | 'labels'>,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const path = resolve(io.cwd, file);
  const { begun, requests, tokenExpires } = io.tally ?? new Tally();
  const now = Date.now();
  const facts = { ...run, ended: now / 1_000, duration: (now - begun) / 1_000, requests, tokenExpires };
  try {
    const previous = Buffer.from(await beginningOf(path, MAX_BYTES), 'latin1').toString();
    const text = metricsText(figures, facts, previous);
    // The collector runs as another user.
    await replaceFile(path, text, { mode: 0o644 });
    return [];
  } catch (error) {
    return [
      unwritten(`the metrics could not be written to ${file}`, error, 'Use another file with --metrics.'),
    ];
  }
}
