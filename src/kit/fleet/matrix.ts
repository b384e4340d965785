import type { Io } from '../../core/command/io.ts';
import { type FleetOptions, namedUnits } from './fleet.ts';
import { isOfShard, runOf } from './report.ts';

export interface MatrixOptions extends FleetOptions {
  /** The maximum of shards. */
  readonly max?: number | undefined;
}

const MOST = 20;
/** With fewer accounts, a job takes longer to start than to do its work. */
const ACCOUNTS_A_SHARD = 10;

/**
 * `tradeform fleet matrix`: the shards of the chosen units, for parallel jobs. A shard has ten accounts, or more if `--max`
 * requires fewer jobs. A shard without units is left out. Prints a matrix for GitHub (JSON on one line) with the id of the run,
 * which restarted shards need as well. Needs no token and sends nothing.
 */
export async function runMatrix(options: MatrixOptions, io: Io): Promise<number> {
  const { max = MOST } = options;
  const { units } = namedUnits(options, io);
  const of = Math.min(max, Math.max(1, Math.ceil(units.length / ACCOUNTS_A_SHARD)));
  const all = Array.from({ length: of }, (_item, at) => ({ index: at + 1, of }));
  const filled = all.filter((shard) => units.some(({ name }) => isOfShard(name, shard)));
  const shards = filled.map(({ index }) => `${index}/${of}`);
  const run = options.run ?? runOf(io.env);
  io.stdout(`${JSON.stringify({ shard: shards, ...(run === null ? {} : { run: [run] }) })}\n`);
  return 0;
}
