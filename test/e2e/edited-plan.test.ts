import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFresh } from '../../src/act/saved-plan.ts';
import { CommandFailure } from '../../src/diagnostics/diagnostic.ts';
import { planView } from '../../src/documents/plan-view.ts';
import { problemWith } from '../../src/documents/schemas.ts';
import { formatAddress } from '../../src/model/address.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { SeedAccount } from '../../src/model/generated/sandbox.ts';
import { canonicalJson, isObject, type Json, type JsonObject, jsonEqual } from '../../src/model/json.ts';
import { canonicalText } from '../../src/model/shape.ts';
import { planIntegrity, withDigests } from '../../src/plan/review/digest.ts';
import { readPlanFile } from '../../src/planning/plan-file.ts';

import { contradictionIn } from '../../src/planning/planned-anew.ts';
import { viewText } from '../../src/render/text-layout.ts';
import fc from '../properties.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  removal,
  seedTask,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { runs } from '../support/sample.ts';
import { createWorld, type World } from '../support/world.ts';
import { account, desired } from './arbitrary.ts';

/** A plan file holds everything that is sent. Whoever can edit it can compute its checksum anew, but not have another digest approved. */

const RUNS = runs(600);
const never = new AbortController().signal;
const folder = temporaryFolder('edited');

const sniper = (index: number, remark: string, over: object = {}) =>
  seedTask(index, { remark, target_wallet: wallet(0), ...over });

const SEED: SeedAccount = {
  labels: [
    { id: uuid(90), name: 'calm', sort_order: 1 },
    { id: uuid(91), name: 'spare', sort_order: 2 },
  ],
  templates: [{ kind: 'sniper', id: uuid(80), name: 'base', config: sniperConfig() }],
  tasks: [
    sniper(1, 'Note [git:core/update@1]'),
    sniper(2, 'Note [git:core/gone@1]'),
    sniper(3, 'Note [git:core/move@1]'),
    sniper(4, 'Note [git:core/start]', { is_active: false }),
    sniper(5, 'Note [git:core/stop@1]'),
    sniper(6, 'Note [git:core/marked@!]'),
    sniper(7, 'Note [git:core/held@!]', { is_active: false }),
    sniper(8, 'Somebody’s', { is_active: false, config: sniperConfig({ buy_amount: '900' }) }),
    sniper(9, 'Note [git:core/relabel@1]', { label: 'spare' }),
    { ...sniper(10, 'Note [git:core/copied@1]'), kind: 'copy-trade', config: copyTradeConfig() },
  ],
} as SeedAccount;

const WANTED = desiredState(
  [
    desiredTask('update', { config: sniperConfig({ buy_amount: '0.75' }), note: 'Larger' }),
    desiredTask('move', { target_wallet: wallet(1) }),
    desiredTask('start'),
    desiredTask('stop', { state: 'paused' }),
    desiredTask('marked'),
    desiredTask('held', { note: 'Other' }),
    desiredTask('relabel', { label: 'calm' }),
    desiredTask('new', { label: 'hot', target_wallet: wallet(2) }),
    desiredTask('copying', {
      address: formatAddress('copy-trade', 'copying'),
      collection: 'copy-trade',
      config: copyTradeConfig(),
    }),
  ],
  [
    desiredLabel('calm', { sort_order: 1 }),
    desiredLabel('hot'),
    desiredLabel('loud', { shownName: 'SPARE' }),
  ],
  { removals: [removal('label/spare')] },
);

/** Reads the file as `apply PLANFILE` does, shows it, compares it with the live state, and carries it out. */
async function applied(world: World, plan: Plan): Promise<string> {
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  let read: Plan;
  try {
    read = await readPlanFile('plan.json', { cwd: folder, stop: { soft: never, hard: never } });
  } catch (error) {
    if (error instanceof CommandFailure) return `refused: ${error.message}`;
    throw error;
  }
  const live = await world.read();
  // The command compares these with the project file, the options and the account.
  const { login_username } = live.account;
  const { project, environment, service } = read;
  const of = [project, environment, service.base_url, service.login_username];
  if (!jsonEqual(of, ['core', null, 'http://127.0.0.1:1/v1', login_username]))
    return 'refused: made for something else';
  const { stale, positions } = checkFresh(read, live);
  if (stale.length > 0) return `refused: ${JSON.stringify(stale)}`;
  expect(positions.size).toBe(0);
  await world.apply(read);
  return 'applied';
}

/** Every write that was carried out, and what the account holds afterwards. Values that mean the same are the same. */
function sent({ sandbox }: World): readonly string[] {
  const writes = sandbox.log.flatMap(({ method, path, status }) =>
    method === 'GET' ? [] : [`${method} ${path} ${status}`],
  );
  // Ids that the service made up depend on how many it made up before.
  return [...writes, ...stored({ sandbox })]
    .map((line) => line.replace(/90[0-9a-f]{2}0000-[0-9a-f-]{27}/g, 'new'))
    .sort();
}

function stored({ sandbox: { state } }: Pick<World, 'sandbox'>): readonly string[] {
  const all = [...state.tasks.values(), ...state.templates.values(), ...state.labels.values()];
  return all
    .map((one) => {
      const { created_at: _, updated_at: __, config, ...rest } = one as unknown as JsonObject;
      const same =
        config === undefined ? {} : { config: canonicalText('sniperConfig', config as JsonObject) };
      return canonicalJson({ ...rest, ...same });
    })
    .sort();
}

type Path = readonly (string | number)[];

function pathsOf(value: Json, at: Path = []): readonly Path[] {
  const below = Array.isArray(value)
    ? value.flatMap((item, index) => pathsOf(item, [...at, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, item]) => pathsOf(item as Json, [...at, key]))
      : [];
  return at.length === 0 ? below : [at, ...below];
}

/** What a plan says besides what it does: only whoever made it knows. SECURITY.md and safety.md say so. */
const ONLY_SAID =
  /^(?:created_at|tool|source|complete|selection|only|left|base|rules_changed|overrides|observations|diagnostics|service\.token_prefix|exposure\.left_out|exposure\.labels|summary\.unchanged|changes\.\d+\.(?:secrets|provenance|blocked|fields\.\d+\.(?:made_by|provenance|origin|sensitive)))\b/;

/** What a manifest says and a plan does not show: under an approved digest, only the version is open. */
const IN_MARKERS = /^operations\.\d+\.body\.remark\.(?:version|rearm)$/;

/** As `apply PLANFILE` shows it; the digest is compared where it approves. */
function printed(plan: Plan): string {
  const text = viewText(planView(plan), { columns: 200, color: false, verbose: true });
  return text.replaceAll(/\b[0-9a-f]{32,64}\b/g, '');
}

interface Edit {
  /** The digests are computed anew as well. */
  readonly anew: boolean;
  readonly at: number;
  readonly how: 'remove' | 'replace' | 'copy' | 'swap';
  readonly from: number;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  anew: fc.boolean(),
  at: fc.nat(),
  how: fc.constantFrom('remove' as const, 'replace' as const, 'copy' as const, 'swap' as const),
  from: fc.nat(),
});

/** The same document with one edit: a value is removed, changed, taken from another place, or exchanged with its neighbour. */
function edited(plan: Plan, { anew, at, how, from }: Edit): { readonly plan: Plan; readonly path: string } {
  const copy = JSON.parse(JSON.stringify(plan)) as Plan;
  const paths = pathsOf(copy as unknown as Json);
  const path = paths[at % paths.length] as Path;
  // biome-ignore lint/suspicious/noExplicitAny: any place of the document
  const get = (of: Path) => of.reduce((value: any, key) => value[key], copy);
  const parent = get(path.slice(0, -1));
  const key = path.at(-1) as string & number;
  const other = structuredClone(get(paths[from % paths.length] as Path));
  if (how === 'copy') parent[key] = other;
  else if (how === 'swap' && Array.isArray(parent)) parent.push(...parent.splice(key, 1));
  else if (how === 'remove') {
    if (Array.isArray(parent)) parent.splice(key, 1);
    else delete parent[key];
  } else {
    const value = parent[key];
    if (typeof value === 'boolean') parent[key] = !value;
    else if (typeof value === 'number') parent[key] = value + 1;
    else if (typeof value === 'string') parent[key] = typeof other === 'string' ? other : `${value}1`;
    else if (Array.isArray(value)) value.push(structuredClone(value[0] ?? other));
    else parent[key] = { ...value, extra: other };
  }
  const last = anew && problemWith(copy) === undefined ? withDigests(copy) : copy;
  return { plan: { ...last, integrity: planIntegrity(last) }, path: path.join('.') };
}

test(
  'an edited plan file with its checksum and digest computed anew is refused before the first write, or shows and does exactly the same',
  async () => {
    const honest = createWorld(SEED);
    const plan = await honest.plan(WANTED);
    expect(plan.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(new Set(plan.operations.map(({ verb }) => verb)).size).toBe(6);
    expect(await applied(honest, plan)).toBe('applied');
    const proper = sent(honest);
    expect(proper.length).toBeGreaterThan(12);
    const seen = { refused: 0, same: 0 };
    await fc.assert(
      fc.asyncProperty(edit, async (one) => {
        const world = createWorld(SEED);
        const { plan: other, path } = edited(plan, one);
        const untouched = stored(world);
        const end = await applied(world, other);
        if (end !== 'applied') {
          seen.refused += 1;
          expect(sent(world), end).toEqual(untouched.toSorted());
        } else {
          seen.same += 1;
          if (!IN_MARKERS.test(path)) expect(sent(world), `${path} ${JSON.stringify(one)}`).toEqual(proper);
          if (!ONLY_SAID.test(path)) expect(printed(other), path).toBe(printed(plan));
        }
      }),
      { numRuns: RUNS },
    );
    expect(seen.refused).toBeGreaterThan(RUNS / 4);
    expect(seen.same).toBeGreaterThan(0);
  },
  120_000 + RUNS * 200,
);

test('a plan that waits for less is refused: for a label, a name or a target, and before a label goes', async () => {
  const plan = JSON.parse(JSON.stringify(await createWorld(SEED).plan(WANTED))) as Plan;
  const waiting = plan.operations.filter(({ needs }) => needs.length > 0);
  expect(waiting.map(({ id }) => id)).toEqual([
    'label/loud#1',
    'copy-trade/copying#1',
    'sniper/new#1',
    'label/spare#1',
  ]);
  for (const { id, address } of waiting) {
    const operations = plan.operations.map((one) => (one.id === id ? { ...one, needs: [] } : one));
    expect(contradictionIn({ ...plan, operations })).toBe(`${address}: it does not wait for what it uses`);
  }
});

test(
  'no plan of the planner contradicts itself',
  async () => {
    const scenario = desired.chain((state) => fc.record({ state: fc.constant(state), seed: account(state) }));
    await fc.assert(
      fc.asyncProperty(scenario, async ({ state, seed }) => {
        const world = createWorld(seed);
        const plan = await world.plan(state, { allowEmpty: true });
        expect(contradictionIn(plan)).toBeUndefined();
        expect(checkFresh(plan, await world.read())).toEqual({ stale: [], positions: new Map() });
      }),
      { numRuns: RUNS },
    );
  },
  120_000 + RUNS * 200,
);
