import { SYSTEM_CLOCK } from '../../core/command/clock.ts';
import { type Event, readEvent } from '../../core/command/event.ts';
import type { Io } from '../../core/command/io.ts';
import { type CommonOptions, chosenEnvironment } from '../../core/command/options.ts';
import { subjectOfFailure } from '../../core/command/subject.ts';
import { CommandFailure } from '../../core/diagnostics/diagnostic.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { paragraph } from '../../core/render/layout.ts';
import { headerLine, headerOf, hiddenHeader, type WrittenHeader } from '../../core/render/markdown/header.ts';
import { visible } from '../../core/render/untrusted.ts';
import { openFleet } from '../fleet/fleet-file.ts';
import { type Forge, type ForgeWords, WORDS } from '../forge/forge.ts';
import { usingForge } from '../forge/open.ts';

export interface CommentRun {
  readonly io: Io;
  readonly event: Event;
  readonly forge: Forge;
  readonly clock: Clock;
  readonly words: ForgeWords;
  readonly environment: string | undefined;
  readonly fleet: string | undefined;
  /** The value of `--only`. Undefined: everything is carried out. */
  readonly only: string | undefined;
  /** One for each command, project and environment. `-` stands for a name that cannot be read. */
  subject(command: string): CommentSubject;
  /** A line for the log. */
  say(text: string): void;
}

export interface CommentAbout extends Pick<CommonOptions, 'project' | 'environment'> {
  /** The fleet file, if the comment is about a fleet. */
  readonly fleet?: string | undefined;
  readonly only?: string | undefined;
}

/** Runs the work with what the CI says about its job, and closes the forge afterwards. */
export async function withForge<Result>(
  options: CommentAbout,
  io: Io,
  work: (run: CommentRun) => Promise<Result>,
): Promise<Result> {
  const event = readEvent(io.env);
  const { fleet, only } = options;
  const environment = chosenEnvironment(options.environment, io.env);
  const known = {
    ...{ io, event, clock: SYSTEM_CLOCK, words: WORDS[event.host], environment, fleet, only },
    subject: (command: string) => subjectOf(command, options, io),
    say: (text: string) => io.stderr(paragraph(visible(text), io.columns)),
  };
  return usingForge(io.env, io.masking, (forge) => work({ ...known, forge }));
}

function subjectOf(command: string, { fleet, ...options }: CommentAbout, io: Io): CommentSubject {
  const { project = null, environment = null } =
    fleet === undefined
      ? subjectOfFailure(options, io)
      : { project: fleetName(fleet, io), environment: null };
  const name = fleet === undefined ? command : `fleet${command}`;
  const written = headerOf(hiddenHeader(name, { project, environment, digest: null }));
  return { command: name, project: written?.project ?? '-', environment: written?.environment ?? '-' };
}

function fleetName(fleet: string, io: Io): string | null {
  try {
    return openFleet({ fleet }, io).name;
  } catch (error) {
    if (error instanceof CommandFailure) return null;
    throw error;
  }
}

/** The subject of a comment or an issue: one for each command, project and environment, spelled as in headers. */
export type CommentSubject = Omit<WrittenHeader, 'digest'>;

export function sameSubject(a: CommentSubject, b: CommentSubject): boolean {
  return a.command === b.command && a.project === b.project && a.environment === b.environment;
}

/** Everything that looks like a header, so that no second one remains after the new header. */
const ANY_HEADER = /^<!-- tradeform:[^\n]*(?:\n|$)/;

/** The Markdown with this header as its first line, replacing an existing one. */
export function withHeader(markdown: string, subject: CommentSubject, digest: string | undefined): string {
  return `${headerLine({ ...subject, digest })}\n${markdown.replace(ANY_HEADER, '')}`;
}

export function footOf({ words, event: { runUrl, pull, sha } }: CommentRun): string {
  return `Commit ${(pull?.headSha ?? sha).slice(0, 12)}, [this ${words.run}](${runUrl}).\n`;
}

/** The way on if nobody reviewed a plan. Begins with a small letter and has no full stop. */
export function byHandAnew(run: CommentRun, base: string | undefined): string {
  const { words, environment, fleet, only } = run;
  const of = environment === undefined ? '' : ` --environment ${environment}`;
  const command = fleet === undefined ? 'plan' : `fleet plan --fleet ${fleet}`;
  const part = only && base ? ` --only ${only} --base ${base}` : '';
  const all = only && !base ? ` and ${words.whole}` : '';
  return `make the plan (\`tradeform ${command}${of}${part}\`), review it, and ${words.byHand} with its digest as \`${words.expect}\`${all}`;
}

/** What to do next after an apply that ended with this code, with the exact digest if it is known. Empty if everything is done. */
export function wayOn(
  code: number,
  digest: string | undefined,
  base: string | undefined,
  run: CommentRun,
): string {
  if (code === 0) return '';
  const { words, event, fleet } = run;
  const anew = byHandAnew(run, base);
  const byHand = `${words.byHand} with \`${words.expect}\` = \`${digest}\``;
  const job = `[the ${words.run}](${event.runUrl})`;
  const way = (text: string) => `\n**What to do next.** ${text}\n`;
  if (code === 4) {
    const how =
      digest === undefined
        ? `To apply it, ${anew}.`
        : `If you agree with the plan that ${job} shows, ${byHand}.`;
    return way(`Nothing was changed. ${how}`);
  }
  const correct = `Correct what the report names, in a ${words.request}`;
  // The plan of a fleet is approved as one. After a part of it is done, it is a different plan.
  if (fleet !== undefined)
    return way(`${code === 3 ? `${correct}. Then, to` : 'To'} apply what is left, ${anew}.`);
  if (code === 3)
    return way(`Nothing was changed. ${correct}; the ${words.run} of its merge applies this as well.`);
  const again = `Run the job of ${job} again to apply what is left of the reviewed changes, or merge the next one, whose ${words.run} applies it as well.`;
  return way(
    `${again} Or ${digest === undefined ? anew : `${byHand} to apply the plan as it is after this run`}.`,
  );
}
