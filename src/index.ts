/**
 * The library: the commands as functions. Each function does what its command does, with all checks, refusals and limits, and
 * returns the document that `-o json` prints. Nobody is asked: a change that needs an approval is refused (exit code 4) unless
 * the options contain the approval, for example a plan's digest.
 */

import { resolve } from 'node:path';
import type { Io } from './core/command/io.ts';
import { runInMemory } from './core/command/memory-io.ts';
import { driftView } from './core/documents/drift.ts';
import { planView } from './core/documents/plan-view.ts';
import { reportView } from './core/documents/report.ts';
import { type ApplyOptions, runApply } from './core/features/apply.ts';
import { type DriftOptions, runDrift } from './core/features/drift/drift.ts';
import { type PlanCommandOptions, runPlan } from './core/features/plan.ts';
import { runStatus, type StatusOptions } from './core/features/status/status.ts';
import { type PauseOptions, runPause } from './core/features/switch/pause.ts';
import { runValidate, type ValidateOptions } from './core/features/validate.ts';
import type { DriftReport } from './core/model/generated/drift.ts';
import type { Plan } from './core/model/generated/plan.ts';
import type { ApplyReport, SwitchReport } from './core/model/generated/report.ts';
import type { ResultDocument } from './core/model/generated/result.ts';
import type { StatusReport } from './core/model/generated/status.ts';
import { viewMarkdown } from './core/render/markdown/layout.ts';
import { type TextOptions, viewText } from './core/render/text-layout.ts';
import { type ResumeFromOptions, runResumeFrom } from './kit/log/resume-from.ts';
import { OUTLETS } from './kit/outlets.ts';

export { CommandFailure, type Diagnostic, type Location } from './core/diagnostics/diagnostic.ts';
export type { DiagnosticCode } from './core/model/generated/codes.ts';
export type { TextOptions } from './core/render/text-layout.ts';
export type { ApplyReport, DriftReport, Plan, ResultDocument, StatusReport, SwitchReport };

/** Where and with what a command runs. */
export interface Where {
  /** The project's folder or one below it. Default: the working directory of the process. */
  readonly folder?: string;
  /** The token. Without it, `tokenFile` or the environment names one. */
  readonly token?: string;
  /** Source of `${env.NAME}` and of settings such as `TRADEFORM_BASE_URL`. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** After it aborts, the command starts nothing new and finishes what is in progress. */
  readonly signal?: AbortSignal;
  /** Receives progress, warnings and other text for people, as the commands write it to stderr. */
  readonly onMessage?: (text: string) => void;
}

export interface Result<Document> {
  /** 0; or 1, 2 or 4 if the document says what is left, differs or is refused (`tradeform --help`). */
  readonly exitCode: number;
  readonly document: Document;
}

/** The options of a command, except those that decide how the result is shown. */
type Options<Of> = Where &
  Omit<Of, 'output' | 'report' | 'maxBytes' | 'github' | 'quiet' | 'verbose' | 'inFleet'>;

/** The names of the options, separated by spaces: of every command, of those that can tell monitors, of a plan, of the switch. */
const COMMON = 'project environment baseUrl tokenFile concurrency deadline pinned';
const WATCHED = `${COMMON} metrics heartbeat notify`;
const PLANNED = `${WATCHED} target exclude resumeStopped allowEmpty takeOver override only base firstApply at`;
const SWITCHED = `${COMMON} all kind label includeUnmanaged dryRun projectName journal reason save`;
const APPLIED = 'autoApprove expect approvals onFailure reviewed journal requireJournal reason';

type Validated = ResultDocument & { readonly manifests?: Readonly<Record<string, number>> };

/** Checks the project offline. The document lists all diagnostics. `exitCode` is 3 if one of them is an error. */
export function validate(options: Options<ValidateOptions> = {}): Promise<Result<Validated>> {
  return run(options, WATCHED, runValidate);
}

/** Compares the project with the service, with GET requests only. A refused plan has `exitCode` 4 and says why in `diagnostics`. */
export function plan(options: Options<PlanCommandOptions> = {}): Promise<Result<Plan>> {
  return run(options, `${PLANNED} out detailedExitcode`, runPlan);
}

/** Plans again and carries the plan out if `expect` names its digest; with `autoApprove`, whatever its digest is. */
export function apply(options: Options<ApplyOptions>): Promise<Result<ApplyReport>> {
  return run(options, `${PLANNED} ${APPLIED}`, (chosen: ApplyOptions, io) => runApply(undefined, chosen, io));
}

/** What differs from git, and why. `exitCode` is 2 with drift. */
export function drift(options: Options<DriftOptions> = {}): Promise<Result<DriftReport>> {
  return run(options, `${WATCHED} target exclude ignore failOn`, runDrift);
}

export function status(options: Options<StatusOptions> = {}): Promise<Result<StatusReport>> {
  const own = 'kind label running paused held differs unmanaged sort';
  return run(options, `${WATCHED} ${own}`, (chosen: StatusOptions, io) => runStatus([], chosen, io));
}

/**
 * Stops the tasks at these addresses, or those that the options choose, without asking. `exitCode` is 0 if all of them are off.
 */
export function pause(
  names: readonly string[],
  options: Options<PauseOptions> = {},
): Promise<Result<SwitchReport>> {
  return run(options, `${SWITCHED} for freeze`, (chosen: PauseOptions, io) =>
    runPause(names, { ...chosen, freeze: chosen.freeze ?? true }, io),
  );
}

/** Starts what the switch stopped. Requires `autoApprove`. */
export function resume(
  names: readonly string[],
  options: Options<ResumeFromOptions> = {},
): Promise<Result<SwitchReport>> {
  const own = 'autoApprove requireJournal expect asStored held override from';
  return run(options, `${SWITCHED} ${own}`, (chosen: ResumeFromOptions, io) =>
    runResumeFrom(names, chosen, io),
  );
}

/** Without options, a text has no colour and 100 columns. */
const PLAIN = { columns: 100, color: false };

/** The plan for people (DESIGN 6): a pure function of the plan and the options. Ends with a newline, like the other texts. */
export function planText(document: Plan, options: Partial<TextOptions> = {}): string {
  return viewText(planView(document), { ...PLAIN, ...options });
}

/** The plan for reviewers, as Markdown that looks the same on GitHub and GitLab. */
export function planMarkdown(document: Plan): string {
  return viewMarkdown(planView(document));
}

/** What an apply did (DESIGN 7). */
export function reportText(report: ApplyReport, options: Partial<TextOptions> = {}): string {
  return viewText(reportView(report), { ...PLAIN, ...options });
}

/** What differs from git (DESIGN 9). */
export function driftText(report: DriftReport, options: Partial<TextOptions> = {}): string {
  return viewText(driftView(report), { ...PLAIN, ...options });
}

/**
 * Runs one command in memory. Throws a TypeError for an option that is not `known`, and a {@link CommandFailure} (exit code and diagnostics) if the command ends without its own
 * document. Secrets are hidden in everything that it returns.
 */
async function run<Chosen, Document>(
  { folder, token, env = process.env, signal, onMessage = () => {}, ...chosen }: Where & object,
  known: string,
  command: (options: Chosen, io: Io) => Promise<number>,
): Promise<Result<Document>> {
  const unknown = Object.keys(chosen).find((name) => !known.split(' ').includes(name));
  // A misspelt `target` would mean everything.
  if (unknown !== undefined) throw new TypeError(`unknown option ${unknown}; the options are ${known}`);
  const surroundings = {
    env: token === undefined ? env : { ...env, TRADEFORM_TOKEN: token, TRADEFORM_TOKEN_FILE: undefined },
    cwd: resolve(folder ?? '.'),
    stop: { soft: signal ?? NEVER, hard: NEVER },
    outlets: OUTLETS,
    onMessage,
  };
  return runInMemory(surroundings, (io) =>
    command({ ...chosen, output: 'json', github: false } as Chosen, io),
  );
}

const NEVER = new AbortController().signal;
