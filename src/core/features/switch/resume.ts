import type { Failure } from '../../act/outcome.ts';
import { markSettled } from '../../act/switch-on.ts';
import { isInJob } from '../../command/event.ts';
import type { Io } from '../../command/io.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { type Diagnostic, diagnostic, problem, usage, warning } from '../../diagnostics/diagnostic.ts';
import { addressOrId } from '../../model/address.ts';
import { compareDecimals } from '../../model/decimal.ts';
import type { SwitchedTask, SwitchReport } from '../../model/generated/report.ts';
import { objectIn } from '../../model/json.ts';
import { count } from '../../model/named.ts';
import { shownField } from '../../model/secret.ts';
import { isPauseOfAll } from '../../model/switched.ts';
import { type Guardrails, NO_GUARDRAILS } from '../../plan/guardrails/compiled.ts';
import { judge } from '../../plan/guardrails/judge.ts';
import { judgedStarts } from '../../plan/guardrails/judged.ts';
import { requireOverrides } from '../../plan/guardrails/override.ts';
import { byExposure, type KnownTask, nameOf } from '../../plan/identity/known-task.ts';
import { resumeDigest } from '../../plan/review/digest.ts';
import { onlyLower } from '../../plan/stakes/frozen.ts';
import { notApproved, readDigest } from '../../planning/expected-plan.ts';
import type { Project } from '../../project/project.ts';
import { allTasks, liveLabels, selectionOf, writtenChoice } from './choice.ts';
import type { OperatorContext } from './context.ts';
import { isEverything } from './freeze.ts';
import { type Manifests, manifestsOf, type ResumeChoice, resumeChoices } from './pure/resume-choice.ts';
import type { RecordedPause } from './pure/under-freeze.ts';
import { outsideIn, readSecrets, type SecretsOf, switchedTask } from './report.ts';
import { jobOn, runSwitch, type SwitchOptions, type Work, type WorkEnd } from './run.ts';
import { endFreeze, readThaw, type Thaw } from './thaw.ts';

export interface ResumeOptions extends SwitchOptions {
  /** `--expect`: the digest of the resume that was approved elsewhere. */
  readonly expect?: string | undefined;
  /** `--as-stored`: confirms that a task spends differently than its manifest says. */
  readonly asStored?: boolean;
  /** `--held`: also what a person or `buy_once` stopped. */
  readonly held?: boolean | undefined;
  /** `--from`: a run, and its record of a pause; all that the journal has. The names are those of the tasks that it stopped. */
  readonly stopped?:
    | (RecordedPause & { readonly pauses: () => Promise<readonly RecordedPause[]> })
    | undefined;
  /** `--override`, each as `GUARDRAIL=DIGEST`. */
  readonly override?: readonly string[] | undefined;
}

/**
 * `tradeform resume`: starts what the switch stopped, and held tasks that are named, after a literal `yes`. Returns the exit code:
 * 0 if all of them run, 1 if one does not, 4 without approval, if it is not the expected one, or if `--auto-approve` would start a
 * task that differs from its manifest, 130 after an interruption.
 */
export async function runResume(names: readonly string[], given: ResumeOptions, io: Io): Promise<number> {
  const expected = given.expect === undefined ? undefined : readDigest(given.expect, 'resume --dry-run');
  const options = { ...given, autoApprove: given.autoApprove === true || expected !== undefined };
  const { kinds } = writtenChoice(names, options);
  const stopped = given.stopped?.report;
  const wide = { ...options, ...(stopped && widthOf(stopped)) };
  const blind = wide.includeUnmanaged === true;
  if (blind && !isEverything(wide)) requireNames(names);
  const project = await readProjectOf(options, io);
  overridesIn(options, project.declared ?? NO_GUARDRAILS);
  const kept = { ...options, from: given.stopped?.run };
  return runSwitch('resume', kept, io, { blind, project }, async (context) => {
    const freezes = await readThaw(wide, context, io);
    const selection = await selectionOf(names, kinds, context, wide, io);
    const seen = await allTasks({ ...selection, ...(stopped && { names: [] }) }, context, io);
    const gone = stopped === undefined ? [] : goneSince(stopped, seen, context);
    const own = project.settings?.project === context.project.project ? project : undefined;
    const manifests = own?.state && manifestsOf(own.state, seen);
    const ask = { selection, held: options.held === true, manifests, git: own?.state };
    const choices = resumeChoices(seen, { ...ask, paused: stopped?.changes }).toSorted((a, b) =>
      byExposure(a.known, b.known),
    );
    const asked = new Set(choices.map(({ known }) => known));
    const all = { ...ask, selection: { ...selection, names: [] }, held: false };
    const rest = stopped === undefined ? [] : resumeChoices(seen, all);
    const starts = (some: readonly ResumeChoice[]) =>
      some.flatMap(({ type, known }) => (type === 'start' ? [known] : []));
    const off = starts(rest).filter((known) => !asked.has(known));
    const thaw = await freezes(seen, { starting: starts(choices), off, pauses: given.stopped?.pauses });
    const digest = digestOf(choices, thaw, context);
    const approve = `To approve what would start now: --expect ${digest}.`;
    const warnings = [
      ...(expected === undefined || expected === digest
        ? []
        : [notApproved('resume', digest, [expected], approve)]),
      ...thaw.said,
      ...gone,
      ...(await judgeStarts(seen, choices, { project: own, manifests, digest }, options, context, io)),
      ...checkStored(choices, { compared: manifests !== undefined, project }, options, thaw),
    ];
    const secrets = await readSecrets(seen, project, io);
    const items = choices.map((choice) => ({
      work: workOf(choice, thaw),
      row: (end?: WorkEnd) => rowOf(choice, end, secrets, thaw),
    }));
    const others = seen.filter((known) => !asked.has(known));
    const outside = outsideIn(others, secrets);
    const about = { doing: 'Starting', question: questionOf(choices), warnings, outside };
    const job = { ...jobOn(items, about, context, options, io), digest };
    const thaws = thaw.ends.map(({ name }) => name);
    if (thaws.length === 0) return job;
    return {
      ...job,
      planned: job.planned && { ...job.planned, thaws },
      question:
        job.question ??
        `Delete ${thaws.map((name) => JSON.stringify(name)).join(', ')}, and with it the freeze? Only "yes" is accepted: `,
      act: async () => {
        const end = await job.act();
        if (end.outcome === 'interrupted') return end;
        // What never starts as it is stored keeps no freeze: only an apply starts it, and the freeze blocks that.
        const open = end.changes.filter(({ status }) => status !== 'done' && status !== 'left');
        const ends = open.every(
          ({ error, owner }) => owner === 'owned' && error?.code === 'validation_error',
        );
        const said = ends ? await endFreeze(thaw, context, io) : [STILL_FROZEN];
        const outcome = io.stop.hard.aborted ? 'interrupted' : 'incomplete';
        return said.length > 0 ? { ...end, outcome, diagnostics: said } : { ...end, thaws };
      },
    };
  });
}

/** How much that pause chose: a resume of all that ends the freeze which it set. */
function widthOf({ record }: SwitchReport): Pick<ResumeOptions, 'all' | 'includeUnmanaged'> {
  return { all: isPauseOfAll(record), includeUnmanaged: record.options.includes('--include-unmanaged') };
}

/** What was deleted since. Fails (exit 3) if that pause was of another account or project. */
function goneSince(
  { service, project, changes }: SwitchReport,
  seen: readonly KnownTask[],
  { connection, account, project: own }: OperatorContext,
): readonly Diagnostic[] {
  // A pause goes on without an answer about its account.
  const logins = [account?.login_username ?? null, null];
  const same = logins.includes(service.login_username) && service.base_url === connection.baseUrl;
  if (!same || project !== (own.project ?? null))
    throw usage(
      `that pause was of ${service.login_username ?? 'an account'} at ${service.base_url}, project ${project}`,
    );
  const gone = changes.filter(
    ({ id, former }) => former !== null && !seen.some(({ task }) => task.id === id),
  );
  const names = gone.map(addressOrId).join(', ');
  return names === '' ? [] : [warning('target-unknown', `deleted since that pause: ${names}`)];
}

const STILL_FROZEN = problem(
  'frozen',
  'The freeze still stands, because not all tasks were started.',
  'Run the command again. If a task can never start, delete the label in the web application.',
);

/** Undefined if nothing is to be sent. */
function workOf({ known, type }: ResumeChoice, thaw: Thaw): Work | undefined {
  const own = known.owner === 'owned' ? known.marker : undefined;
  if (type === 'start')
    return { known, verb: 'started', send: (requests) => thaw.start(known.task, own, requests) };
  if (type !== 'mark-settled' || own === undefined) return undefined;
  return { known, verb: 'changed', send: (requests) => markSettled(known.task, own, requests) };
}

const ENDS = {
  start: { action: 'start', status: 'planned' },
  'mark-settled': { action: 'settle', status: 'planned' },
  running: { status: 'left' },
  left: { status: 'left' },
  refused: { action: 'start', status: 'failed' },
} as const;

/** How a starting task is stored is reported until the end. */
function rowOf(choice: ResumeChoice, end: WorkEnd | undefined, secrets: SecretsOf, thaw: Thaw): SwitchedTask {
  const { known, status, text, ...more } = end ?? { known: choice.known, text: '', ...ENDS[choice.type] };
  const failed = end !== undefined && status !== 'done';
  const starts = choice.type === 'start' && (status === 'done' || status === 'planned');
  const said = [
    failed ? '' : choice.text,
    text,
    ...(end?.failure === undefined ? [] : [renewal(end.failure, choice)]),
    starts ? storedText(choice, thaw) : '',
  ];
  const hidden = secrets(known, 'task');
  const differs = (starts ? (choice.differs?.fields ?? []) : []).map((field) => shownField(field, hidden));
  const row = { ...ENDS[choice.type], ...more, status, differs, text: said.filter(Boolean).join(' ') };
  return switchedTask(known, row, secrets);
}

/** If the service refuses to start a stored config, an apply of its manifest writes the config again and then starts the task. */
function renewal({ error }: Failure, { known: { address, owner }, isOrphan }: ResumeChoice): string {
  if (error?.code !== 'validation_error' || owner !== 'owned') return '';
  const first =
    isOrphan === true
      ? `: no manifest names it, so \`tradeform export --out . ${address}\` first. Then`
      : ':';
  return `The service no longer accepts the stored config${first} \`tradeform apply --resume-stopped ${address}\` writes the config of the manifest, and starts it.`;
}

function questionOf(choices: readonly ResumeChoice[]): string {
  const yes = 'Only "yes" is accepted: ';
  if (!choices.some(({ type }) => type === 'start'))
    return `Remove the mark of the switch from these tasks? ${yes}`;
  const { length } = choices.filter(({ differs }) => differs !== undefined);
  return length === 0
    ? `Start these tasks? ${yes}`
    : `${count(length, 'task')} can spend differently from git.\nStart all with their stored configs? ${yes}`;
}

/** No marker says which of the tasks that are not owned ran before. */
function requireNames(names: readonly string[]): void {
  if (names.length > 0 && names.every((name) => !name.includes('*'))) return;
  throw usage(
    '--include-unmanaged starts only tasks that are named one by one',
    'Write their ids. What a pause stopped: --from RUN; `tradeform log` lists the runs.',
  );
}

function digestOf(
  choices: readonly ResumeChoice[],
  { ends }: Thaw,
  { project: { project = '', environment = null }, connection, account }: OperatorContext,
): string {
  const tasks = (wanted: ResumeChoice['type']) =>
    choices.flatMap(({ type, known }) => (type === wanted ? [known.task] : []));
  const subject = {
    project,
    environment,
    base_url: connection.baseUrl,
    login_username: account?.login_username ?? null,
  };
  const settles = tasks('mark-settled').map(({ id }) => id);
  return resumeDigest(subject, { starts: tasks('start'), settles, thaws: ends.map(({ name }) => name) });
}

/** Overrides as written. */
function overridesIn({ override = [] }: Pick<ResumeOptions, 'override'>, { policies }: Guardrails) {
  return requireOverrides(
    override,
    policies.map(({ name }) => name),
  );
}

/** The guardrails' verdict on tasks that start as they are stored. An error refuses all of them. Tasks of others are not judged. */
async function judgeStarts(
  seen: readonly KnownTask[],
  choices: readonly ResumeChoice[],
  {
    project,
    manifests,
    digest,
  }: {
    readonly project: Project | undefined;
    readonly manifests: Manifests | undefined;
    readonly digest: string;
  },
  options: ResumeOptions,
  context: OperatorContext,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const guardrails = project?.declared ?? NO_GUARDRAILS;
  const overrides = overridesIn(options, guardrails);
  const starts = choices.flatMap(({ type, known }) =>
    type === 'start' && known.owner === 'owned' ? [known.task] : [],
  );
  if (starts.length === 0) return [];
  const named = guardrails.limits.require_label !== undefined || guardrails.policies.length > 0;
  const judged = judgedStarts({
    starts,
    own: seen.flatMap(({ owner, task }) => (owner === 'owned' ? [task] : [])),
    labels: named ? await liveLabels(context, io) : [],
    desired: manifests && project?.state,
    manifests: manifests ?? new Map(),
  });
  const { diagnostics } = judge(judged, guardrails, digest, overrides, undefined, isInJob(io.env));
  // Without manifests, the targets of a pattern are unknown.
  return diagnostics.filter(({ code }) => manifests || code !== 'guardrail-unused') as readonly Diagnostic[];
}

/**
 * The diagnostics before tasks start as they are stored. `compared` is false if the manifests cannot be read or belong to another
 * project. An error if nobody will see that a task spends, or may spend, differently than its manifest says: with `--auto-approve`
 * and without `--as-stored`. A dry run says that this would be one.
 */
function checkStored(
  choices: readonly ResumeChoice[],
  { compared, project }: { readonly compared: boolean; readonly project: Project },
  { autoApprove, asStored, dryRun }: ResumeOptions,
  thaw: Thaw,
): readonly Diagnostic[] {
  const unseen = autoApprove === true && asStored !== true;
  const starts = choices.filter(({ type }) => type === 'start');
  if (starts.length === 0) return [];
  if (compared && (unseen || (dryRun === true && asStored !== true))) return differing(starts, unseen, thaw);
  if (compared || starts.every(({ known }) => known.owner !== 'owned')) return [];
  const none =
    project.state !== undefined || project.diagnostics.some(({ code }) => code === 'no-project-file');
  const unknown =
    'there are no manifests of this project here: tasks start with their stored config, without a comparison with git';
  if (none) return [warning('resume-as-stored', unknown)];
  const guards = project.declared === undefined ? ', nor the guardrails' : '';
  return [
    diagnostic(
      unseen ? 'error' : 'warning',
      'resume-as-stored',
      `the manifests cannot be read${guards}: it is unknown whether a task that starts can spend differently from its manifest`,
      '`tradeform validate` shows what is wrong with them; --auto-approve starts the stored configs only with --as-stored.',
    ),
  ];
}

function differing(starts: readonly ResumeChoice[], refuses: boolean, thaw: Thaw): readonly Diagnostic[] {
  const { length } = starts.filter(({ differs }) => differs !== undefined);
  if (length === 0) return [];
  const message = `${count(length, 'task')} can spend differently from git: --auto-approve ${refuses ? 'is' : 'would be'} refused`;
  const severity = refuses ? 'error' : 'warning';
  const lowered = starts.filter((choice) => isLoweredFirst(choice, thaw)).length;
  const first =
    lowered === 0
      ? ''
      : `\`tradeform apply\` first: it lowers ${lowered} of them under the freeze, too. For the others: `;
  return [
    diagnostic(severity, 'resume-as-stored', message, `${first}--as-stored accepts the stored configs.`),
  ];
}

/** The text about a task that starts and can spend differently than its manifest says. Its fields follow. */
function storedText(choice: ResumeChoice, thaw: Thaw): string {
  const { differs } = choice;
  if (differs === undefined) return '';
  const stake = differs.exposure === null ? '' : `, ${differs.exposure} SOL at stake in git`;
  return `It starts with its stored config, which differs from its manifest${stake}. ${inGit(choice, thaw)} Stored → in git:`;
}

/** True if an apply writes the config of git although starts are frozen, because it only lowers what is spent. */
function isLoweredFirst({ known, differs }: ResumeChoice, { labels }: Thaw): boolean {
  if (labels.length === 0 || differs === undefined || differs.exposure === null) return false;
  const skips = objectIn(known.task.config).skip_dev_launch === true;
  return compareDecimals(differs.exposure, known.exposure) <= 0 && onlyLower(differs.fields, skips);
}

/** The beginning of the manifest's values. No apply starts anything while the account is frozen. */
function inGit(choice: ResumeChoice, thaw: Thaw): string {
  const { known, differs } = choice;
  if (isLoweredFirst(choice, thaw))
    return 'Lower it first: `tradeform apply` writes the config in git under the freeze, too, and `tradeform resume --all` starts it afterwards.';
  if (thaw.labels.length > 0)
    return '`tradeform resume --all --as-stored` starts it as it is stored, and ends the freeze; afterwards `tradeform apply` writes the config in git.';
  const address = differs?.address ?? nameOf(known);
  return differs?.state === 'active'
    ? `\`tradeform apply --resume-stopped ${address}\` starts it with the config in git.`
    : '`tradeform apply` writes the config in git, and leaves the task off: resume it afterwards.';
}
