import type { Io } from '../command/io.ts';
import type { DesiredState } from '../desired/state.ts';
import { type Diagnostic, warning } from '../diagnostics/diagnostic.ts';
import type { DriftCommit } from '../model/generated/drift.ts';
import type { Plan } from '../model/generated/plan.ts';
import type { LiveState } from '../model/resource.ts';
import { Origin } from '../origin/origin.ts';
import type { NeverNamed } from '../plan/identity/never-named.ts';
import { DEPTH, History } from '../project/history.ts';
import { openRepository, type Repository } from '../project/revision.ts';
import type { Loaded } from './load-project.ts';

/** Who made each difference of a plan, as far as the history tells it. */
export interface Found {
  readonly origin: Origin;
  /** Why the history could not be read to its first commit; undefined if it was, or if nothing was left to ask. */
  readonly limit: NeverNamed['limit'];
  /** The message of git if it could not list the commits. */
  readonly problem: string | undefined;
}

interface OriginOf {
  /** A plan of all differences. */
  readonly plan: Plan;
  readonly live: LiveState;
  readonly number: number | undefined;
  readonly base: DesiredState | undefined;
}

/**
 * Asks git who made the differences of a plan (DESIGN 3, "The version"). Most plans need no earlier commit, or one: the marker of a
 * task says what was applied last.
 */
export async function findOrigin(
  { plan, live, number, base }: OriginOf,
  { desired, settings }: Pick<Loaded, 'desired' | 'settings'>,
  io: Pick<Io, 'env' | 'stop' | 'masking'>,
): Promise<Found> {
  const origin = new Origin({ plan, desired, live, number, base });
  if (!origin.open) return { origin, limit: undefined, problem: undefined };
  const opened = openRepository(settings.projectDir, io.env);
  const head = 'repository' in opened ? opened.repository.head() : undefined;
  if (!('repository' in opened)) return { origin, ...unread(opened.diagnostic.message) };
  if (head === undefined) return { origin, ...unread('the repository has no commit yet') };
  const { history, broken } = await searchHistory(origin, opened.repository, head, { desired, settings }, io);
  if (history.problem !== undefined) return { origin, ...unread(history.problem) };
  return { origin, limit: limitOf(history, broken), problem: undefined };
}

interface Searched {
  readonly history: History;
  /** Commits that compile, and commits that do not. */
  readonly commits: number;
  readonly broken: number;
  readonly oldest: DriftCommit | undefined;
}

/** Passes commits to the search, newest first, as long as they can add something. */
export async function searchHistory(
  origin: Origin,
  repository: Repository,
  head: string,
  { desired, settings }: Pick<Loaded, 'desired' | 'settings'>,
  io: Pick<Io, 'env' | 'stop' | 'masking'>,
): Promise<Searched> {
  const { projectDir, projectFile } = settings;
  // The environment in use, even if it was chosen because it is the only one: an earlier commit may have more.
  const environment = desired.environment ?? undefined;
  const history = new History({ repository, projectDir, projectFile, env: io.env, environment, head });
  let broken = 0;
  let commits = 0;
  let oldest: Searched['oldest'];
  for await (const past of history.commits()) {
    if (past.state === 'broken') broken += 1;
    else commits += 1;
    oldest = past.commit;
    origin.look(past);
    if (!origin.open || io.stop.soft.aborted) break;
  }
  if (history.problem === undefined && history.ended === 'beginning') origin.end();
  io.masking.learnEnvironment(history.environment);
  return { history, commits, broken, oldest };
}

const AHEAD_MS = 5 * 60_000;

/** The warning that the commit is dated ahead of the service's clock. Nothing is decided by it. */
export function commitAhead(date: number | undefined, live: LiveState): readonly Diagnostic[] {
  const ahead = (date ?? Number.NaN) - (live.date ?? Number.NaN);
  if (!(ahead > AHEAD_MS)) return [];
  return [
    warning(
      'commit-ahead',
      `the commit is dated ${Math.round(ahead / 60_000)} minutes ahead of the clock of the service`,
      'nothing is decided by it; set the clock of the machine that made the commit, or tell the operator of the service',
    ),
  ];
}

function unread(text: string): Pick<Found, 'limit' | 'problem'> {
  return {
    limit: { text, hint: 'If git named it before: run this in a clone with the history.' },
    problem: text,
  };
}

function limitOf(history: History, broken: number): NeverNamed['limit'] {
  if (history.shallow) {
    return {
      text: 'this clone is shallow',
      hint: 'If git named it before: fetch the history, with `fetch-depth: 0` for actions/checkout, or `git fetch --unshallow`.',
    };
  }
  if (history.ended === 'depth') {
    return {
      text: `only the last ${DEPTH} commits were read`,
      hint: 'If an older commit named it: approve the plan.',
    };
  }
  if (broken > 0) {
    return {
      text: `${broken} earlier ${broken === 1 ? 'commit does' : 'commits do'} not compile here`,
      hint: 'If these commits named it: set the environment variables that they need.',
    };
  }
  return undefined;
}
