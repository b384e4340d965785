import type { PausedTask } from '../../act/switch-off.ts';
import { namingHost } from '../../command/connection.ts';
import { noteStop } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { CommandFailure, type Diagnostic, problem, warning } from '../../diagnostics/diagnostic.ts';
import { outsideTasks, outsideText } from '../../documents/stake-text.ts';
import type { Off } from '../../model/armed.ts';
import type { Outside } from '../../model/generated/plan.ts';
import type { SwitchedTask, SwitchReport } from '../../model/generated/report.ts';
import { given } from '../../model/given.ts';
import { kindOf, type TaskCollection } from '../../model/kind.ts';
import { acted, openIn } from '../../model/switched.ts';
import { isChosen, type TaskSelection } from '../../plan/identity/known-task.ts';
import type { Project } from '../../project/project.ts';
import { kindsOf, selectionOf, unknownTaskNames, writtenChoice } from './choice.ts';
import { type OperatorContext, type OperatorOptions, unpausableKinds, visibleKinds } from './context.ts';
import { isEverything, PauseFreeze, urgent } from './freeze.ts';
import { type PauseAsk, type PauseResult, pauseChosen } from './pausing.ts';
import { outsideIn, type Reported, readSecrets, type SecretsOf, stakeOf, switchedTask } from './report.ts';
import { runSwitch, type SwitchOptions } from './run.ts';

export interface PauseOptions extends OperatorOptions, Pick<SwitchOptions, 'journal' | 'reason'> {
  /** `--save`: a file for the document. */
  readonly save?: string | undefined;
  /** A pause of everything freezes it first. */
  readonly freeze?: boolean | undefined;
}

/**
 * `tradeform pause`: the operator's switch. Pauses the chosen tasks while their lists are read, continues after every error, and
 * reads again until none of them runs. Never asks. Returns the exit code: 0 if all are off and the next apply leaves them off, 1
 * if one is not off or cannot be read, 130 after an interruption. Needs no manifests.
 */
export async function runPause(names: readonly string[], options: PauseOptions, io: Io): Promise<number> {
  const { kinds } = writtenChoice(names, options);
  const asked = kindsOf(names, kinds);
  try {
    return await runSwitch(
      'pause',
      options,
      io,
      { blind: options.includeUnmanaged === true },
      async (context) => {
        const selection = await selectionOf(names, kinds, context, options, io);
        const { project, account } = context;
        const visible = visibleKinds(account);
        const ask = {
          selection,
          policy: project,
          ...given({ others: options.beside?.others, stops: options.beside?.stops }),
          kinds: asked.filter((kind) => visible.includes(kind)),
          refused: unpausableKinds(account),
          dryRun: options.dryRun === true,
        };
        const freezes = options.freeze === true && isEverything(options) && !ask.dryRun;
        const act = async () => {
          // The label is sent first, and no task waits for its answer.
          const frozen = options.includeUnmanaged === true ? undefined : project.project;
          const freeze = freezes
            ? new PauseFreeze(frozen, urgent(context.session, io), io.stop.soft)
            : undefined;
          const result = await pause(ask, context, freeze, options.deadline, io);
          const unknown = result.interrupted ? [] : unknownTaskNames(selection, result.seen);
          if (names.length > 0 && result.tasks.length === 0 && unknown.length > 0)
            throw new CommandFailure(3, unknown);
          const problems = [
            ...unknown,
            ...doubtsOf(result, ask, asked, context),
            ...(freeze === undefined ? [] : [await freeze.end()]),
          ];
          const { isInJob } = await import('../../command/event.ts');
          // Read only now, so that no task waited for it.
          const secrets = await readSecrets(result.seen, await readProject(options, io), io);
          // The same command pauses the tasks of the projects beside this one.
          const beside = new Set(context.beside());
          const rest = result.seen.filter(
            (known) => !isChosen(known, selection) && !beside.has(known.marker?.project ?? ''),
          );
          const wider = { ...selection, includeUnmanaged: true };
          const left = result.interrupted ? [] : rest.filter((known) => isChosen(known, wider));
          const still = outsideIn(left, secrets);
          const others = othersText(still, selection, result.tasks, context, isInJob(io.env));
          return {
            ...reported(result, ask, [...problems, ...others], secrets, io),
            outside: outsideIn(rest, secrets),
            ...given({
              freeze: await freezeOf(result, ask, frozen === undefined ? freeze : undefined, context, io),
            }),
          };
        };
        return { act };
      },
    );
  } catch (error) {
    // No task waits for the manifests. They are read now, because they tell which parts of the reason are secret.
    await readProject(options, io);
    throw error;
  }
}

/** What is known of the freeze of the account under which a pause was, if it set that or stopped something without a mark. */
async function freezeOf(
  { tasks, interrupted }: PauseResult,
  { dryRun }: PauseAsk,
  own: PauseFreeze | undefined,
  { session }: OperatorContext,
  io: Io,
): Promise<SwitchReport['freeze']> {
  if (own !== undefined) return own.ids.set.length + own.ids.found.length > 0 ? own.ids : undefined;
  const bare = tasks.some(({ found, wrote }) => found !== undefined && wrote === undefined);
  if (dryRun || interrupted || !bare) return undefined;
  const { foundFreezes } = await import('./look-for-freeze.ts');
  return foundFreezes(urgent(session, io), io.stop.soft);
}

async function readProject(options: PauseOptions, io: Io): Promise<Project> {
  const { readProjectOf } = await import('../../command/read-project.ts');
  return readProjectOf(options, io);
}

function pause(
  ask: PauseAsk,
  { session, progress, until }: OperatorContext,
  freeze: PauseFreeze | undefined,
  deadline: PauseOptions['deadline'],
  io: Io,
): Promise<PauseResult> {
  const heard = noteStop(io.stop.soft, (text) => progress.note(text));
  return pauseChosen(ask, {
    ...session,
    until,
    stop: io.stop,
    // No deadline keeps a task running that was not tried.
    tried: () => deadline && io.stop.after?.(deadline),
    freeze,
    progress,
  }).finally(() => {
    heard();
    progress.close();
  });
}

/** Why it is uncertain that all tasks are off, besides the tasks that are known to run. */
function doubtsOf(
  { survey, verified, interrupted, tasks }: PauseResult,
  { kinds, dryRun, refused }: PauseAsk,
  asked: readonly TaskCollection[],
  { connection }: OperatorContext,
): readonly Diagnostic[] {
  if (interrupted) return [];
  const hidden = asked.filter((kind) => !kinds.includes(kind));
  const found: Diagnostic[] = [...namingHost([...(survey?.failures.values() ?? [])], connection.baseUrl)];
  if (hidden.length > 0 && survey?.unseen !== 0) {
    found.push(
      problem(
        'kind-not-visible',
        `the token cannot read ${hidden.join(' and ')} tasks: it is unknown whether any of them runs`,
        `Use a token with ${hidden.flatMap((kind) => kindOf(kind).scopes.read).join(' and ')}, or choose other kinds with --kind.`,
      ),
    );
  }
  const running = tasks.some(({ status }) => status === 'running' || status === 'unknown');
  if (dryRun)
    for (const [kind, { text }] of refused ?? [])
      if (asked.includes(kind))
        found.push(warning('scope-missing', `${kind} tasks would not be paused: ${text}`));
  if (!verified && !dryRun && found.length === 0 && !running) {
    found.push(
      problem(
        'view-incomplete',
        `it is not certain that everything is off: ${survey?.doubt ?? 'tasks kept changing'}`,
        'Run the command again.',
      ),
    );
  }
  return found;
}

/** Whoever pauses "all" must not take it for off. An error if nothing else was found: a wrong account, project name or label looks like that. */
function othersText(
  left: readonly Outside[],
  selection: TaskSelection,
  paused: PauseResult['tasks'],
  { project, account, connection }: OperatorContext,
  inJob: boolean,
): readonly Diagnostic[] {
  if (left.length === 0) return [];
  const tasks = outsideTasks(left);
  const box = inJob ? 'the box `unmanaged` of this job (GitLab: `UNMANAGED=true`)' : '';
  const whose = left.some(({ project }) => project !== null) ? ', whatever project they belong to' : '';
  const way = `To pause ${tasks === 1 ? 'it' : `all ${tasks}`} as well${whose}: ${box || 'add `--include-unmanaged`'}.`;
  if (paused.some(({ status }) => status !== 'gone'))
    return [warning('unmanaged-running', outsideText(left, 'still '), way)];
  const such = selection.kinds.length + selection.labels.length > 0 ? 'such ' : '';
  const where = `account ${account?.login_username ?? '(unknown)'}, token ${connection.tokenPrefix}`;
  return [
    problem(
      'first-apply',
      `no ${such}task of project ${project.project} was found, but ${outsideText(left)}`,
      `This may be the wrong account (${where}), project, kind or label: check them. ${way}`,
    ),
  ];
}

function reported(
  { tasks: paused, interrupted, verified }: PauseResult,
  { dryRun }: PauseAsk,
  diagnostics: readonly Diagnostic[],
  secrets: SecretsOf,
  io: Io,
): Reported {
  const changes = paused.map((task) => (dryRun ? plannedRow(task, secrets) : doneRow(task, secrets, io)));
  const runs = openIn(changes);
  const unmarked = !dryRun && paused.some(({ missing }) => missing !== undefined);
  const fine = runs.length === 0 && changes.every(({ held }) => held !== false) && !unmarked;
  const certain = diagnostics.every(({ severity }) => severity !== 'error');
  const before = stakeOf([...acted(changes, 'stop'), ...runs]);
  return {
    outcome: interrupted ? 'interrupted' : fine && certain ? 'done' : 'incomplete',
    verified,
    exposure: { before, after: dryRun ? before : stakeOf(runs) },
    changes,
    diagnostics,
  };
}

const STATUS = { paused: 'done', running: 'failed', unknown: 'unknown', gone: 'gone' } as const;

function doneRow(paused: PausedTask, secrets: SecretsOf, io: Io): SwitchedTask {
  const { known, found, status, held, wrote, missing: unwritten, failure, requestIds } = paused;
  // The service's reason for a failure came before the manifests told what is secret in it.
  const text = io.masking.said(textOf(paused));
  const end = { found, held, wrote, unwritten, text, failure, requestIds };
  if (status !== 'off')
    return switchedTask(known, { ...end, action: 'stop', status: STATUS[status] }, secrets);
  const done = unwritten === undefined ? 'done' : 'failed';
  return switchedTask(known, { ...end, action: (unwritten ?? wrote) && 'mark', status: done }, secrets);
}

/** What a dry run would do. Of a kind that the token cannot pause: that it would fail. */
function plannedRow(paused: PausedTask, secrets: SecretsOf): SwitchedTask {
  const { known, found, status, missing, failure, isMarked } = paused;
  if (failure !== undefined)
    return switchedTask(
      known,
      { found, action: 'stop', status: 'failed', text: failure.text, failure },
      secrets,
    );
  if (status === 'running') {
    const wrote = isMarked ? 'off' : undefined;
    return switchedTask(known, { found, action: 'stop', status: 'planned', wrote }, secrets);
  }
  if (missing === undefined) return switchedTask(known, { status: 'done' }, secrets);
  const end = { action: 'mark', status: 'planned', wrote: missing, text: offText(missing) } as const;
  return switchedTask(known, end, secrets);
}

function textOf({ status, held, wrote, missing, failure, restarted }: PausedTask): string {
  switch (status) {
    case 'running':
      return failure?.text ?? 'It was not paused.';
    case 'unknown':
      if (restarted) return 'It was started again repeatedly; it was paused once more and not checked since.';
      return failure?.text ?? 'The command was interrupted while its pause was being sent.';
    case 'gone':
      return 'Somebody deleted it in the meantime.';
    case 'paused':
    case 'off':
      return missing === undefined
        ? pausedText(status, wrote)
        : `${unmarkedText(missing, held, failure === undefined)} ${failure?.text ?? ''}`.trim();
  }
}

/**
 * The command gave up the mark, or ended before it was tried. The record of who stopped the task is lost, and the task may not stay
 * off.
 */
function unmarkedText(mark: Off, held: boolean | null, untried: boolean): string {
  const start = held === false ? ': the next apply may start it' : '';
  const all = 'Run `tradeform pause` again to make sure that it stays off';
  const more = mark === 'off' ? ', and `resume --all` will not start it' : '';
  return `Its mark ${untried ? 'was not' : 'could not be'} written${start}. ${all}${more}.`;
}

function pausedText(status: 'paused' | 'off', wrote: Off | undefined): string {
  if (status === 'off') return wrote === undefined ? '' : offText(wrote);
  return wrote === 'kept-off'
    ? 'Somebody else may also have stopped it, so `resume --all` does not start it. To start it, name it or use --held.'
    : '';
}

/** The text about a task that was off before. */
function offText(mark: Off): string {
  return mark === 'off'
    ? 'It was about to start: it stays off until `resume --all`.'
    : 'It was off before this pause, perhaps by a person: `resume --all` leaves it off.';
}
