import type { ApplyBase } from './applied.ts';
import type { Event } from './event.ts';
import { ActionFailure } from './failure.ts';
import type { GitHub } from './github.ts';
import { instead } from './reviewed.ts';
import type { ActionRun } from './run.ts';

/** The fields of a pull request that are read here. */
interface Pull {
  readonly number?: unknown;
  readonly merged_at?: unknown;
  readonly merge_commit_sha?: unknown;
  readonly base?: { readonly ref?: unknown; readonly repo?: { readonly full_name?: unknown } };
}

const LOOKS = 4;
const BETWEEN_MS = 2_000;

/**
 * The pull requests that were merged since the base, the one of the last commit first: squashed, rebased or as merge commits. An
 * approval is used up once its merge was applied whole, so earlier ones do not count. GitHub may need some seconds to know them.
 * Fails (4) if more than one was merged as the last commit.
 */
export async function mergedPulls(
  github: GitHub,
  { event, clock, inputs }: Pick<ActionRun, 'event' | 'clock' | 'inputs'>,
  from: ApplyBase,
  looks = LOOKS,
): Promise<readonly number[]> {
  const { repository, sha, ref } = event;
  const last = new Set([sha]);
  const path = `/repos/${repository}/commits/${sha}/pulls?per_page=100`;
  let merged: readonly number[] = [];
  for (let look = 1; merged.length === 0 && look <= looks; look += 1) {
    if (look > 1) await clock.sleep(BETWEEN_MS);
    merged = mergedAs(await github.list(path), last, event);
  }
  if (merged.length > 1) {
    throw new ActionFailure(
      4,
      `several pull requests were merged as ${sha.slice(0, 12)}: ${merged.join(', ')}`,
      instead({ inputs }, from),
    );
  }
  const others = new Set(from.since.filter((commit) => commit !== sha));
  if (merged.length === 0 || others.size === 0) return merged;
  const branch = encodeURIComponent(ref.replace(/^refs\/heads\//, ''));
  const recent = `/repos/${repository}/pulls?state=closed&base=${branch}&sort=updated&direction=desc&per_page=100`;
  return [...merged, ...mergedAs(await github.list(recent, 1), others, event)];
}

function mergedAs(
  pulls: readonly unknown[],
  commits: ReadonlySet<string>,
  { name, repository, ref }: Event,
): readonly number[] {
  return (pulls as readonly Pull[]).flatMap(({ number, merged_at: at, merge_commit_sha: commit, base }) => {
    // A queue has its own branch. Somebody who merged the same commit into another branch may have done so without a review.
    const into = name === 'merge_group' || `refs/heads/${String(base?.ref)}` === ref;
    const here = into && base?.repo?.full_name === repository;
    const made = typeof commit === 'string' && commits.has(commit);
    return typeof number === 'number' && typeof at === 'string' && made && here ? [number] : [];
  });
}
