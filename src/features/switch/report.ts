import type { Failure } from '../../apply/outcome.ts';
import type { Io } from '../../command/io.ts';
import { chosenEnvironment } from '../../command/options.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { VERSION } from '../../command/version.ts';
import type { DesiredState } from '../../desired/state.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { dueTime, formatForm, type Off } from '../../model/armed.ts';
import { addDecimals } from '../../model/decimal.ts';
import type { Field } from '../../model/generated/plan.ts';
import type { SwitchedTask, SwitchReport } from '../../model/generated/switch.ts';
import { kindOf } from '../../model/kind.ts';
import { armedOf } from '../../model/marker.ts';
import { isSecretPath } from '../../model/secret.ts';
import type { KnownTask } from '../../plan/identity/known-task.ts';
import { countedPaths } from '../../plan/stakes/exposure.ts';
import type { OperatorContext, OperatorOptions } from './context.ts';

/** True if the amounts of a task may be shown, because they certainly did not come from the environment. */
export type Showable = (known: KnownTask) => boolean;

/** Only the manifests tell which amounts came from the environment. If they cannot be read, no amount of an owned task is shown. */
export async function showableStakes(options: OperatorOptions, io: Io): Promise<Showable> {
  const { state } = await readProjectOf(options, chosenEnvironment(options.environment, io.env), io);
  return showableIn(state);
}

export function showableIn(state: DesiredState | undefined): Showable {
  if (state === undefined) return ({ owner }) => owner !== 'owned';
  const secrets = new Map(state.tasks.map((task) => [task.address as string, task.secrets ?? []]));
  return ({ address, task }) => {
    const paths = secrets.get(address ?? '') ?? [];
    const { config } = kindOf(task.collection);
    return !countedPaths(config, task.config).some((path) => isSecretPath(paths, path));
  };
}

/** What a command reports about a task besides the task itself. */
export interface RowEnd {
  readonly status: SwitchedTask['status'];
  readonly held?: boolean | null;
  /** The mark that a pause wrote, or would write. */
  readonly wrote?: Off | undefined;
  readonly unwritten?: Off | undefined;
  readonly text?: string | undefined;
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

function markText(mark: Off | undefined): string | null {
  return mark === undefined ? null : formatForm(mark);
}

interface ReportParts {
  readonly command: SwitchReport['command'];
  readonly context: OperatorContext;
  readonly dryRun: boolean;
  readonly startedAt: number;
  readonly outcome: SwitchReport['outcome'];
  readonly verified: boolean;
  readonly exposure: SwitchReport['exposure'];
  readonly tasks: readonly SwitchedTask[];
  readonly diagnostics: readonly Diagnostic[];
}

export function switchReport(parts: ReportParts): SwitchReport {
  const { context, tasks } = parts;
  const { project, session } = context;
  const having = (status: SwitchedTask['status']) => tasks.filter((task) => task.status === status).length;
  return {
    format: 'tradeform.switch/1',
    tool: { name: 'tradeform', version: VERSION },
    command: parts.command,
    dry_run: parts.dryRun,
    project: project.project ?? null,
    service: serviceOf(context),
    started_at: new Date(parts.startedAt).toISOString(),
    finished_at: new Date(session.clock.now()).toISOString(),
    outcome: parts.outcome,
    verified: parts.verified,
    summary: {
      paused: having('paused'),
      started: having('started'),
      off: having('off'),
      running: having('running'),
      failed: having('failed'),
      unknown: having('unknown'),
      gone: having('gone'),
      planned: having('planned'),
      left: having('left'),
      settled: having('settled') + having('settles'),
    },
    exposure: parts.exposure,
    tasks: [...tasks],
    diagnostics: parts.diagnostics.map((diagnostic) => ({ ...diagnostic })),
  };
}

/** The service and the account that were used. */
export function serviceOf({ connection, account }: OperatorContext): SwitchReport['service'] {
  return {
    base_url: connection.baseUrl,
    token_prefix: connection.tokenPrefix,
    login_username: account?.login_username ?? null,
  };
}

/** The sum of SOL per trigger. Hidden amounts are left out. */
export function stakeOf(tasks: readonly SwitchedTask[]): string {
  return addDecimals(tasks.map(({ exposure }) => exposure ?? '0'));
}
