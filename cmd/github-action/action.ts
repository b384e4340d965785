import { resolve } from 'node:path';
import type { Clock, Random } from '../../src/ports/clock.ts';
import { Masking } from '../../src/render/masking/masking.ts';
import { createHttpTransport } from '../../src/service/http/transport.ts';
import { applyInAction } from './apply.ts';
import { keepIssue } from './drift-issue.ts';
import { readEvent, requireEvent } from './event.ts';
import { ActionFailure } from './failure.ts';
import { type GitHub, openGitHub } from './github.ts';
import { type CommentSubject, withHeader, withSince } from './header.ts';
import { readInputs } from './inputs.ts';
import { type Log, openLog } from './log.ts';
import { requireNamedService } from './named-service.ts';
import { planInAction } from './plan.ts';
import type { ActionRun, StartTradeform } from './run.ts';
import { isMerge, matrixInAction, runReporting, subjectFor, validateInAction } from './tradeform.ts';

const NO_DRIFT = 0;
const DRIFT = 2;
const INTERRUPTED = 130;

/**
 * Checks for drift and maintains the issue. Returns the exit code: drift that an issue reports is no failure of the run. A failed
 * report is one, and leaves the issue unchanged.
 */
async function driftInAction(run: ActionRun): Promise<number> {
  const { inputs, log, event } = run;
  if (!isMerge(inputs)) requireNamedService(run, 'drift');
  const { code, document, markdown } = await runReporting(run, 'drift', []);
  log.output('exit-code', String(code));
  log.output('changed', String(code === DRIFT));
  if (inputs.shard !== undefined) return code === DRIFT ? 0 : code;
  // A fleet has a report even if an account could not be read. The issue says so, and the step fails.
  const told = document?.format === 'tradeform.fleet/1' && code !== INTERRUPTED;
  const drift = code !== NO_DRIFT;
  if (!inputs.issue || (drift && code !== DRIFT && !told)) return code;
  const subject = await subjectFor(run, 'drift', document);
  const url = await keepIssue(run.github(), event, {
    subject,
    title: `tradeform: ${titleOf(subject)} differs from git`,
    // The issue records when it first reported this drift. The present drift may be the same or another one.
    body: (since) => {
      const seen = drift ? `Seen first ${since.slice(0, 16).replace('T', ' ')} UTC, l` : 'L';
      const foot = `\n---\n${seen}ast looked by [this run](${event.runUrl}).\n`;
      return withSince(`${withHeader(markdown, subject, undefined)}${foot}`, drift ? since : undefined);
    },
    now: new Date(run.clock.now()).toISOString(),
    label: inputs.issueLabel,
    drift,
  });
  log.output('issue-url', url ?? '');
  if (url !== undefined) log.say(`The issue is ${drift ? 'up to date' : 'closed'}: ${url}`);
  return code === DRIFT ? 0 : code;
}

function titleOf({ project, environment }: CommentSubject): string {
  return environment === '-' ? project : `${project} (${environment})`;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly start: StartTradeform;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  write(text: string): void;
}

/** One step of a workflow, from its environment to its exit code. Never throws. */
export async function runAction(around: Surroundings): Promise<number> {
  const { env } = around;
  const token = env.GITHUB_TOKEN?.trim() ?? '';
  const secrets = token === '' ? [] : [token];
  const masking = new Masking();
  for (const one of [...secrets, env.TRADEFORM_TOKEN?.trim() ?? '']) masking.learnToken(one);
  const log = openLog(around.write, env, masking);
  let github: GitHub | undefined;
  const open = () => {
    github ??= connect(around, token, masking);
    return github;
  };
  try {
    const inputs = readInputs(env);
    for (const one of Object.values(inputs.tokens)) masking.learnToken(one);
    const event = readEvent(env);
    requireEvent(inputs.command, event);
    const cwd = resolve(env.GITHUB_WORKSPACE ?? '.', inputs.workingDirectory);
    const { start, clock } = around;
    return await carryOut({ inputs, event, env, log, clock, github: open, start, cwd, secrets });
  } catch (error) {
    return fail(log, error);
  } finally {
    await github?.close();
  }
}

/** The commands that have more to do here than `validate`. */
const MODES = {
  plan: planInAction,
  apply: applyInAction,
  drift: driftInAction,
  matrix: matrixInAction,
} as const;

async function carryOut(run: ActionRun): Promise<number> {
  const { inputs, event, log } = run;
  const { command } = inputs;
  const unprivileged = event.pull?.unprivileged;
  if (command === 'drift' && unprivileged !== undefined) {
    throw new ActionFailure(4, `drift does not run on this pull request: ${unprivileged}`);
  }
  const instead = command === 'plan' && unprivileged !== undefined;
  if (command !== 'validate' && !instead) return MODES[command](run);
  if (instead) {
    log.annotate(
      'notice',
      `This pull request is only validated, not planned: ${unprivileged}, and such a run gets no token of the service.`,
    );
  }
  const code = await validateInAction(run);
  log.output('exit-code', String(code));
  return code;
}

function fail(log: Log, error: unknown): number {
  const failure =
    error instanceof ActionFailure
      ? error
      : new ActionFailure(
          1,
          `an unexpected error: ${error instanceof Error ? error.message : String(error)}`,
        );
  const { exitCode, message, hint } = failure;
  log.annotate('error', hint === undefined ? message : `${message}. ${hint}`);
  log.output('exit-code', String(exitCode));
  return exitCode;
}

function connect({ env, version, clock, random }: Surroundings, token: string, masking: Masking): GitHub {
  if (!/^[!-~]+$/.test(token)) {
    throw new ActionFailure(
      3,
      'github-token is empty or not a token: it is needed for comments, issues and `expect: reviewed`',
    );
  }
  const baseUrl = (env.GITHUB_API_URL ?? 'https://api.github.com').replace(/\/+$/, '');
  const graphqlUrl = env.GITHUB_GRAPHQL_URL ?? `${baseUrl}/graphql`;
  try {
    const rest = createHttpTransport({ baseUrl, concurrency: 2 });
    const graphql = createHttpTransport({ baseUrl: graphqlUrl, concurrency: 1 });
    return openGitHub({
      baseUrl,
      rest,
      graphql,
      token,
      masking,
      userAgent: `tradeform/${version}`,
      clock,
      random,
    });
  } catch (error) {
    throw new ActionFailure(1, `GITHUB_API_URL: ${error instanceof Error ? error.message : String(error)}`);
  }
}
