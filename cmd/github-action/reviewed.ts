import { ownComments } from './comments.ts';
import type { Event } from './event.ts';
import { ActionFailure } from './failure.ts';
import type { GitHub } from './github.ts';
import { type Subject, sameSubject } from './header.ts';
import type { Run } from './run.ts';

/** As much of a pull request as is read here. */
interface Pull {
  readonly number?: unknown;
  readonly merged_at?: unknown;
  readonly merge_commit_sha?: unknown;
  readonly base?: { readonly repo?: { readonly full_name?: unknown } };
}

export interface Reviewed {
  readonly digest: string;
  readonly pull: number;
  readonly url: string;
}

const INSTEAD =
  'Plan it anew, read it, and run this workflow by hand with that digest as `expect`; `expect: none` applies unreviewed.';

/**
 * The digest that the reviewers of the merged pull request saw: it stands in our own comment there. Fails with 4 where
 * there is no such pull request, no such comment, or more than one answer.
 */
export async function reviewedDigest(
  github: GitHub,
  { event, clock }: Pick<Run, 'event' | 'clock'>,
  subject: Subject,
): Promise<Reviewed> {
  const { sha } = event;
  const merged = await mergedAs(github, event, clock);
  const [pull, ...more] = merged;
  if (pull === undefined) {
    throw new ActionFailure(
      4,
      `no pull request was merged as ${sha.slice(0, 12)}: nobody reviewed a plan of it`,
      INSTEAD,
    );
  }
  if (more.length > 0) {
    throw new ActionFailure(
      4,
      `several pull requests were merged as ${sha.slice(0, 12)}: ${merged.join(', ')}`,
      INSTEAD,
    );
  }
  const own = (await ownComments(github, event, pull)).filter(({ header }) => sameSubject(header, subject));
  const digests = new Set(own.map(({ header }) => header.digest));
  const [comment] = own;
  const about = `pull request ${pull}, project ${subject.project}${subject.environment === '-' ? '' : `, environment ${subject.environment}`}`;
  if (comment === undefined) {
    throw new ActionFailure(4, `no comment of this action shows a plan: ${about}`, INSTEAD);
  }
  const { digest } = comment.header;
  if (digest === undefined || digests.size > 1) {
    const why =
      digest === undefined ? 'the comment holds no plan, since planning failed' : 'two comments disagree';
    throw new ActionFailure(4, `${why}: ${about}`, INSTEAD);
  }
  return { digest, pull, url: comment.url };
}

const LOOKS = 4;
const BETWEEN_MS = 2_000;

/** The pull requests whose merge made this commit. GitHub can take some seconds to know. */
async function mergedAs(
  github: GitHub,
  { repository, sha }: Event,
  clock: Run['clock'],
): Promise<readonly number[]> {
  for (let look = 1; ; look += 1) {
    const pulls = await github.list(`/repos/${repository}/commits/${sha}/pulls?per_page=100`);
    const merged = (pulls as readonly Pull[]).flatMap((pull) => {
      const { number, merged_at: at, merge_commit_sha: commit, base } = pull;
      const here = base?.repo?.full_name === repository;
      return typeof number === 'number' && typeof at === 'string' && commit === sha && here ? [number] : [];
    });
    if (merged.length > 0 || look === LOOKS) return merged;
    await clock.sleep(BETWEEN_MS);
  }
}
