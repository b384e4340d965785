import type { Io } from '../../core/command/io.ts';
import { usage } from '../../core/diagnostics/diagnostic.ts';
import { jsonText } from '../../core/render/result.ts';
import { type FleetOptions, namedUnits } from './fleet.ts';
import { isOfShard, runOf } from './report.ts';

export interface MatrixOptions extends FleetOptions {
  /** The maximum of shards. */
  readonly max?: number | undefined;
  readonly for?: 'github' | 'gitlab' | undefined;
  /** For GitLab: the file in the repository with the job `.tradeform-fleet-shard`. */
  readonly include?: string | undefined;
}

const MOST = 20;
/** With fewer accounts, a job takes longer to start than to do its work. */
const ACCOUNTS_A_SHARD = 10;

/**
 * `tradeform fleet matrix`: the shards of the chosen units, for parallel jobs. A shard has ten accounts, or more if `--max`
 * requires fewer jobs. A shard without units is left out. Prints a matrix for GitHub (JSON on one line) with the id of the run,
 * which restarted shards need as well, or a child pipeline for GitLab (JSON, which is YAML). Needs no token and sends nothing.
 */
export async function runMatrix(options: MatrixOptions, io: Io): Promise<number> {
  const { for: host = io.env.GITLAB_CI === 'true' ? 'gitlab' : 'github', max = MOST, include } = options;
  if (host === 'gitlab' && !/^[\w./-]+$/.test(include ?? ''))
    throw usage(
      'a child pipeline needs --include',
      'Name the file of the repository with the job .tradeform-fleet-shard: --include ci/tradeform-fleet-shard.gitlab-ci.yml',
    );
  const { units } = await namedUnits(options, io);
  const of = Math.min(max, Math.max(1, Math.ceil(units.length / ACCOUNTS_A_SHARD)));
  const all = Array.from({ length: of }, (_item, at) => ({ index: at + 1, of }));
  const filled = all.filter((shard) => units.some(({ name }) => isOfShard(name, shard)));
  // A matrix must not be empty. A job without units ends with 0.
  const shards = (filled.length === 0 ? all.slice(0, 1) : filled).map(({ index }) => `${index}/${of}`);
  const run = options.run ?? runOf(io.env);
  io.stdout(
    host === 'github'
      ? `${JSON.stringify({ shard: shards, ...(run === null ? {} : { run: [run] }) })}\n`
      : jsonText(childPipeline(shards, include ?? '')),
  );
  return 0;
}

function childPipeline(shards: readonly string[], include: string) {
  return {
    include: [{ local: include }],
    shard: { extends: '.tradeform-fleet-shard', parallel: { matrix: [{ SHARD: shards }] } },
  };
}
