import type { Failure } from '../../act/outcome.ts';
import type { Io } from '../../command/io.ts';
import { VERSION } from '../../command/version.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { formatArmed, type Off } from '../../model/armed.ts';
import { addDecimals } from '../../model/decimal.ts';
import type { Outside } from '../../model/generated/plan.ts';
import { REPORT_FORMAT, type SwitchedTask, type SwitchReport } from '../../model/generated/report.ts';
import { given } from '../../model/given.ts';
import { kindOf } from '../../model/kind.ts';
import type { LiveTask } from '../../model/resource.ts';
import { maskObject } from '../../model/secret.ts';
import { acted } from '../../model/switched.ts';
import type { KnownTask } from '../../plan/identity/known-task.ts';
import { isSecretStake, outsideOf } from '../../plan/stakes/exposure.ts';
import type { Project } from '../../project/project.ts';
import type { OperatorContext } from './context.ts';

/** Paths of values that may have come from the environment: among the amounts of a task, or in the whole task. */
export type SecretsOf = (known: KnownTask, where: 'amounts' | 'task') => readonly string[];

/**
 * Only the manifests, and those of earlier commits, tell which values came from the environment. Without manifests, nothing of an
 * owned task is shown that may have. `seen`: all tasks of the chosen kinds.
 */
export async function readSecrets(
  seen: readonly KnownTask[],
  { state, settings }: Pick<Project, 'state' | 'settings'>,
  io: Io,
): Promise<SecretsOf> {
  const { SECRETABLE } = await import('../../model/parts.ts');
  const { manifestsOf } = await import('./pure/resume-choice.ts');
  const { secretsByVersion } = await import('../../planning/origin.ts');
  const tasks = seen.map(({ task }) => task);
  const sought =
    state &&
    settings &&
    (await secretsByVersion(tasks, manifestsOf(state, seen), { desired: state, settings }, io));
  return ({ task, owner }, where) => {
    if (sought !== undefined && (owner === 'owned' || owner === 'damaged')) return sought.of(task);
    return owner === 'unmanaged' || (owner !== 'owned' && where === 'amounts') ? [] : SECRETABLE;
  };
}

/** What a command reports about a task besides the task itself. */
export interface RowEnd extends Partial<Pick<SwitchedTask, 'held' | 'text' | 'fields' | 'differs'>> {
  readonly status: SwitchedTask['status'];
  /** Absent if there was nothing to do. */
  readonly action?: SwitchedTask['actions'][number] | undefined;
  /** The running task before a pause. */
  readonly found?: LiveTask | undefined;
  /** The mark that a pause wrote, or would write. */
  readonly wrote?: Off | undefined;
  readonly unwritten?: Off | undefined;
  readonly failure?: Failure | undefined;
  readonly requestIds?: readonly string[];
}

export function switchedTask(known: KnownTask, end: RowEnd, secretsOf: SecretsOf): SwitchedTask {
  const { task, address, owner, exposure } = known;
  const { action = 'none', status, text = '', fields = [], differs = [], held = null, found } = end;
  const { config } = kindOf(task.collection);
  return {
    ...{ address, kind: task.collection, id: task.id, actions: [action], status, text },
    ...given({ error: end.failure?.error }),
    fields,
    former: found === undefined ? null : maskObject(found, secretsOf(known, 'task')),
    request_ids: [...(end.requestIds ?? [])],
    owner,
    remark: ['owned', 'damaged'].includes(owner)
      ? String(maskObject(task, secretsOf(known, 'task')).remark)
      : task.remark,
    running: task.is_active,
    exposure: isSecretStake(config, task.config, secretsOf(known, 'amounts')) ? null : exposure,
    held,
    wrote: formatArmed(end.wrote) || null,
    unwritten: formatArmed(end.unwritten) || null,
    differs,
  };
}

/** What a command would do, or did. */
export interface Reported
  extends Pick<SwitchReport, 'outcome' | 'verified' | 'outside' | 'freeze' | 'thaws'> {
  readonly exposure: { readonly before: string; readonly after: string };
  readonly changes: readonly SwitchedTask[];
  /** Found on the way. */
  readonly diagnostics?: readonly Diagnostic[];
}

interface ReportAbout {
  readonly context: OperatorContext;
  readonly dryRun: boolean;
  readonly startedAt: number;
  readonly warnings: readonly Diagnostic[];
  readonly digest: string | null;
}

const STATUSES = ['done', 'failed', 'unknown', 'gone', 'planned', 'left'] as const;

export function switchReport(
  { changes, outcome, verified, outside, freeze, thaws, diagnostics = [] }: Reported,
  { context, dryRun, startedAt, warnings, digest }: ReportAbout,
): Omit<SwitchReport, 'record'> {
  const { project, session, connection, account } = context;
  const counts = STATUSES.map((one) => [one, changes.filter(({ status }) => status === one).length]);
  return {
    format: REPORT_FORMAT,
    tool: { name: 'tradeform', version: VERSION },
    project: project.project ?? null,
    environment: project.environment ?? null,
    service: {
      base_url: connection.baseUrl,
      token_prefix: connection.tokenPrefix,
      login_username: account?.login_username ?? null,
    },
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(session.clock.now()).toISOString(),
    digest,
    dry_run: dryRun,
    outcome,
    verified,
    ...given({ outside, freeze, thaws }),
    summary: Object.fromEntries(counts) as SwitchReport['summary'],
    changes: [...changes],
    diagnostics: [...warnings, ...diagnostics].map((diagnostic) => ({ ...diagnostic })),
  };
}

/** What a command would do, or did, that works on each task alone. */
export function reportedOf(changes: readonly SwitchedTask[], io: Io): Reported {
  const bad = changes.some(({ status }) => status === 'failed' || status === 'unknown' || status === 'gone');
  const starts = acted(changes, 'start');
  const before = changes.filter((task) => task.running && !starts.includes(task));
  return {
    outcome: io.stop.soft.aborted ? 'interrupted' : bad ? 'incomplete' : 'done',
    verified: true,
    exposure: { before: stakeOf(before), after: stakeOf([...before, ...starts]) },
    changes,
  };
}

/** What runs outside git, of tasks that were seen and not chosen. Hidden amounts count as unreadable. */
export function outsideIn(seen: readonly KnownTask[], secrets: SecretsOf): Outside[] {
  const runs = seen.filter(({ task, owner }) => task.is_active && owner !== 'owned');
  return outsideOf(
    runs.map((known) => ({ ...known, secrets: secrets(known, 'amounts'), project: known.marker?.project })),
  );
}

/** The sum of SOL at stake. Hidden amounts are left out. */
export function stakeOf(tasks: readonly SwitchedTask[]): string {
  return addDecimals(tasks.map(({ exposure }) => exposure ?? '0'));
}
