import type { Failure } from '../../act/outcome.ts';
import type { Io } from '../../command/io.ts';
import { chosenEnvironment } from '../../command/options.ts';
import { VERSION } from '../../command/version.ts';
import type { DesiredState } from '../../desired/state.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { dueTime, formatForm, type Off } from '../../model/armed.ts';
import { addDecimals } from '../../model/decimal.ts';
import type { Field } from '../../model/generated/plan.ts';
import { SWITCH_FORMAT, type SwitchedTask, type SwitchReport } from '../../model/generated/switch.ts';
import { kindOf } from '../../model/kind.ts';
import { armedOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { isSecretPath } from '../../model/secret.ts';
import type { KnownTask } from '../../plan/identity/known-task.ts';
import { countedPaths } from '../../plan/stakes/exposure.ts';
import type { OperatorContext, OperatorOptions } from './context.ts';

/** True if the amounts of a task, or its whole config, may be shown, because they certainly did not come from the environment. */
export type Showable = (known: KnownTask, what?: 'amounts' | 'config') => boolean;

/** Only the manifests tell which amounts came from the environment. If they cannot be read, no amount of an owned task is shown. */
export async function showableStakes(options: OperatorOptions, io: Io): Promise<Showable> {
  const { readProjectOf } = await import('../../command/read-project.ts');
  const { state } = await readProjectOf(options, chosenEnvironment(options.environment, io.env), io);
  return showableIn(state);
}

export function showableIn(state: DesiredState | undefined): Showable {
  if (state === undefined) return ({ owner }) => owner !== 'owned';
  const secrets = new Map(state.tasks.map((task) => [task.address as string, task.secrets ?? []]));
  return ({ address, task }, what) => {
    const paths = secrets.get(address ?? '') ?? [];
    if (what === 'config') return paths.length === 0;
    const { config } = kindOf(task.collection);
    return !countedPaths(config, task.config).some((path) => isSecretPath(paths, path));
  };
}

/** What a command reports about a task besides the task itself. */
export interface RowEnd extends Partial<Pick<SwitchedTask, 'held' | 'text' | 'remarks'>> {
  readonly status: SwitchedTask['status'];
  /** The running task before a pause. */
  readonly found?: LiveTask | undefined;
  /** The mark that a pause wrote, or would write. */
  readonly wrote?: Off | undefined;
  readonly unwritten?: Off | undefined;
  /** For a resume: how the task can spend differently than its manifest says. */
  readonly differs?: readonly Field[] | undefined;
  readonly failure?: Failure | undefined;
  readonly requestIds?: readonly string[];
}

export function switchedTask(known: KnownTask, end: RowEnd, showable: Showable): SwitchedTask {
  const { task, address, owner, exposure } = known;
  const error = end.failure?.error;
  return {
    address,
    kind: task.collection,
    id: task.id,
    owner,
    remark: task.remark,
    remarks: end.remarks ?? null,
    found: end.found === undefined ? null : foundOf(end.found, showable(known, 'config')),
    running: task.is_active,
    exposure: showable(known) ? exposure : null,
    status: end.status,
    held: end.held ?? null,
    wrote: markText(end.wrote),
    unwritten: markText(end.unwritten),
    due: owner === 'owned' ? dueTime(end.wrote ?? armedOf(task)) : null,
    text: end.text ?? '',
    differs: [...(end.differs ?? [])],
    ...(error === undefined ? {} : { error }),
    request_ids: [...(end.requestIds ?? [])],
  };
}

function foundOf(task: LiveTask, shows: boolean): SwitchedTask['found'] {
  const { version, updated_at, risk_label_id: label, config } = task;
  return { version, updated_at, label, config: shows ? config : null };
}

function markText(mark: Off | undefined): string | null {
  return mark === undefined ? null : formatForm(mark);
}

/** What a command would do, or did. */
export interface Reported extends Pick<SwitchReport, 'outcome' | 'verified' | 'exposure'> {
  readonly tasks: readonly SwitchedTask[];
  /** Found on the way. */
  readonly diagnostics?: readonly Diagnostic[];
}

interface ReportAbout {
  readonly command: SwitchReport['command'];
  readonly context: OperatorContext;
  readonly dryRun: boolean;
  readonly startedAt: number;
  readonly warnings: readonly Diagnostic[];
  readonly digest: string | null;
}

export function switchReport(
  { tasks, outcome, verified, exposure, diagnostics = [] }: Reported,
  { command, context, dryRun, startedAt, warnings, digest }: ReportAbout,
): Omit<SwitchReport, 'record'> {
  const { project, session, connection, account } = context;
  const having = (status: SwitchedTask['status']) => tasks.filter((task) => task.status === status).length;
  return {
    format: SWITCH_FORMAT,
    tool: { name: 'tradeform', version: VERSION },
    command,
    dry_run: dryRun,
    project: project.project ?? null,
    environment: project.environment ?? null,
    digest,
    service: {
      base_url: connection.baseUrl,
      token_prefix: connection.tokenPrefix,
      login_username: account?.login_username ?? null,
    },
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(session.clock.now()).toISOString(),
    outcome,
    verified,
    summary: {
      paused: having('paused'),
      started: having('started'),
      released: having('released'),
      off: having('off'),
      running: having('running'),
      failed: having('failed'),
      unknown: having('unknown'),
      gone: having('gone'),
      planned: having('planned'),
      left: having('left'),
      settled: having('settled') + having('settles'),
    },
    exposure,
    tasks: [...tasks],
    diagnostics: [...warnings, ...diagnostics].map((diagnostic) => ({ ...diagnostic })),
  };
}

/** What a command would do, or did, that works on each task alone. `starts`: it starts the planned tasks. */
export function reportedOf(tasks: readonly SwitchedTask[], io: Io, starts = false): Reported {
  const bad = tasks.some(({ status }) => status === 'failed' || status === 'unknown' || status === 'gone');
  const started = ({ status }: SwitchedTask) => status === 'started' || (starts && status === 'planned');
  const before = tasks.filter((task) => task.running && !started(task));
  return {
    outcome: io.stop.soft.aborted ? 'interrupted' : bad ? 'incomplete' : 'done',
    verified: true,
    exposure: { before: stakeOf(before), after: stakeOf([...before, ...tasks.filter(started)]) },
    tasks,
  };
}

/** The sum of SOL per trigger. Hidden amounts are left out. */
export function stakeOf(tasks: readonly SwitchedTask[]): string {
  return addDecimals(tasks.map(({ exposure }) => exposure ?? '0'));
}
