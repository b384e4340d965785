import { createHash } from 'node:crypto';
import type { Io } from '../../command/io.ts';
import { usage } from '../../diagnostics/diagnostic.ts';
import type { Shard } from './report.ts';

/**
 * `--shard I/N`, I from 1. `job/N` takes the index of a Kubernetes Indexed Job (`JOB_COMPLETION_INDEX`, from 0), `ci` what GitLab and
 * others say (`CI_NODE_INDEX` from 1, `CI_NODE_TOTAL`). Fails with exit 3 for anything else.
 */
export function readShard(text: string, { env }: Pick<Io, 'env'>): Shard {
  const job = /^\d+$/.test(env.JOB_COMPLETION_INDEX ?? '')
    ? String(Number(env.JOB_COMPLETION_INDEX) + 1)
    : '';
  const written =
    text === 'ci' ? `${env.CI_NODE_INDEX}/${env.CI_NODE_TOTAL}` : text.replace(/^job\//, `${job}/`);
  const [, first, second] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(written) ?? [];
  const shard = { index: Number(first), of: Number(second) };
  if (shard.index <= shard.of) return shard;
  throw usage(
    `--shard ${text} is not a shard`,
    'Write I/N with I from 1 to N, job/N in an Indexed Job, or ci with CI_NODE_INDEX and CI_NODE_TOTAL.',
  );
}

/**
 * Whether a unit belongs to a shard, by its name alone: rendezvous hashing. A new unit moves no other; another number of shards
 * moves as few as can be.
 */
export function isOfShard(name: string, { index, of }: Shard): boolean {
  const weight = (shard: number) => createHash('sha256').update(`${shard}\0${name}`).digest('hex');
  const shards = Array.from({ length: of }, (_item, at) => at + 1);
  return index === shards.reduce((best, shard) => (weight(shard) > weight(best) ? shard : best));
}
