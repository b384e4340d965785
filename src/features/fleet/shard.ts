import { createHash } from 'node:crypto';
import type { Io } from '../../command/io.ts';
import { usage } from '../../diagnostics/diagnostic.ts';
import type { OpenedFleet } from './fleet-file.ts';
import type { Shard } from './report.ts';

/**
 * `--shard I/N`, with I from 1. `job/N` takes the index of a Kubernetes Indexed Job (`JOB_COMPLETION_INDEX`, from 0). `ci` takes
 * the variables of GitLab and others (`CI_NODE_INDEX` from 1, `CI_NODE_TOTAL`). Fails with exit 3 for anything else. `run` is
 * `--run`.
 */
export function readShard(
  { shard: text = '', run }: { readonly shard?: string | undefined; readonly run?: string | undefined },
  { file, sources, units }: Pick<OpenedFleet, 'file' | 'sources' | 'units'>,
  { env }: Pick<Io, 'env'>,
): Shard {
  const job = /^\d+$/.test(env.JOB_COMPLETION_INDEX ?? '')
    ? String(Number(env.JOB_COMPLETION_INDEX) + 1)
    : '';
  const written =
    text === 'ci' ? `${env.CI_NODE_INDEX}/${env.CI_NODE_TOTAL}` : text.replace(/^job\//, `${job}/`);
  const [, first, second] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(written) ?? [];
  const shard = { index: Number(first), of: Number(second) };
  if (shard.index <= shard.of) {
    const read = JSON.stringify([sources.get(file), units.map(({ name }) => name).sort()]);
    const fleet_digest = createHash('sha256').update(read).digest('hex');
    return { ...shard, run: run ?? runOf(env), fleet_digest };
  }
  throw usage(
    `--shard ${text} is not a shard`,
    'Write I/N with I from 1 to N, job/N in an Indexed Job, or ci with CI_NODE_INDEX and CI_NODE_TOTAL.',
  );
}

/**
 * The run of the CI system that this job belongs to, equal in all its jobs. null if unknown. GitHub keeps the id when a run is
 * restarted, so each attempt counts as its own run. Otherwise a document of an earlier attempt could replace a shard that ended
 * without one. GitLab passes on the artifacts of the latest attempt of each job.
 */
export function runOf({ GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, CI_PIPELINE_ID }: Io['env']): string | null {
  if (GITHUB_RUN_ID)
    return ['github', GITHUB_RUN_ID, ...(GITHUB_RUN_ATTEMPT ? [GITHUB_RUN_ATTEMPT] : [])].join('-');
  return CI_PIPELINE_ID ? `gitlab-${CI_PIPELINE_ID}` : null;
}

/**
 * Whether a unit belongs to a shard, decided by its name alone (rendezvous hashing). A new unit moves no other unit. Another
 * number of shards moves as few units as possible.
 */
export function isOfShard(name: string, { index, of }: Pick<Shard, 'index' | 'of'>): boolean {
  const weight = (shard: number) => createHash('sha256').update(`${shard}\0${name}`).digest('hex');
  const shards = Array.from({ length: of }, (_item, at) => at + 1);
  return index === shards.reduce((best, shard) => (weight(shard) > weight(best) ? shard : best));
}
