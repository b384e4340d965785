import { type CaseOptions, tellWay, type Verdict } from './case.ts';
import { allPairs, type Case, namedCase, swarmOf } from './cases.ts';
import { KINDS, tell } from './kinds.ts';
import { dice } from './random.ts';
import { play, shrink } from './shrink.ts';
import { Tally } from './tally.ts';

interface LongOptions extends Readonly<Record<'cases' | 'seed', string>> {
  readonly pairs: boolean;
  readonly replay?: string;
}

/** `npm run simulate`; answers the exit code. */
export async function main(values: LongOptions): Promise<number> {
  if (values.replay !== undefined) return replay(values.replay);
  const [cases, seed] = [Number(values.cases), Number(values.seed)];
  print(`seed ${seed}, ${cases} cases`);
  const tally = new Tally();
  for await (const one of values.pairs ? allPairs(KINDS, dice(seed)) : swarms(seed)) {
    if (tally.cases >= cases) break;
    const verdict = await play(one.options);
    tally.add(one, verdict);
    if (verdict.violations.length > 0) return failed(one, verdict);
    if (tally.cases % 1_000 === 0) print(`${tally.cases} cases`);
  }
  print(tally.report('simulation'));
  return 0;
}

function* swarms(seed: number): Generator<Case> {
  for (let at = seed; ; at += 1) yield swarmOf(at);
}

async function replay(name: string): Promise<number> {
  const { options } = await namedCase(name);
  const verdict = await play({ ...options, keep: true });
  show(options, verdict);
  return verdict.violations.length === 0 ? 0 : 1;
}

async function failed({ world, options }: Case, verdict: Verdict): Promise<number> {
  const invariant = verdict.violations[0]?.invariant ?? '';
  print(`${invariant} does not hold; making the case smaller`);
  const smallest = await shrink(options, invariant);
  show(smallest, await play({ ...smallest, keep: true }));
  const disturbances = options.disturbances.map(tell).join(',');
  print(
    `replay the whole case: npm run simulate -- --replay "${world}${world.startsWith('swarm') ? '' : `:${disturbances}`}"`,
  );
  return 1;
}

function show({ base, disturbances, concurrency, seed, way }: CaseOptions, verdict: Verdict): void {
  const { account, desired, choices } = base.spec;
  for (const { kind, id, remark, is_active, version, target_wallet } of account.tasks ?? []) {
    print(
      `live     ${kind} ${id} v${version} ${is_active ? 'runs' : 'paused'} ${target_wallet.slice(0, 8)} ${remark}`,
    );
  }
  for (const { address, state, rearm, note, target_wallet } of desired.tasks) {
    print(`desired  ${address} ${state} ${rearm ?? ''} ${target_wallet.slice(0, 8)} ${note}`);
  }
  print(`choices  ${JSON.stringify(choices)}`);
  print(`seed ${seed}, concurrency ${concurrency}${tellWay(way)}: ${disturbances.map(tell).join(' ')}`);
  for (const line of verdict.lines) print(line);
  for (const { invariant, text } of verdict.violations) print(`VIOLATION ${invariant}: ${text}`);
  for (const [name, times] of verdict.gaps) print(`known gap ${name}: ${times}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
