import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { SeedTask } from '../../../src/core/model/generated/sandbox.ts';
import type { TaskCollection } from '../../../src/core/model/kind.ts';
import { configFor, desiredState, desiredTask, wallet } from '../../support/builders.ts';
import { createWorld } from '../../support/world.ts';

const HOSTILE = [
  '@everyone ![x](https://e.invalid/p)',
  '</details><script>alert(1)//',
  '```|| #1 GH-2 a1b2c3d4e5 ::x::',
  '<!-- ## **heading** | [a](b)',
];

interface Pair {
  readonly live?: SeedTask;
  readonly desired?: DesiredTask;
}

/** Long names, and remarks that are as long and as hostile as fits beside them. */
function pairs(
  many: number,
  kind: string,
  make: (about: {
    readonly index: number;
    readonly name: string;
    readonly note: string;
    readonly collection: TaskCollection;
    readonly live: (remark: string, over?: Partial<SeedTask>) => SeedTask;
    readonly desired: (over?: Partial<DesiredTask>) => DesiredTask;
  }) => Pair,
): Pair[] {
  return Array.from({ length: many }, (_item, index) => {
    const name = `${kind}-${index}-`.padEnd(14, 'x');
    const room = 64 - ' [git:core/@9999999#abc~5e0c]'.length - name.length;
    const note = (HOSTILE[index % HOSTILE.length] ?? '').slice(0, room).trim();
    const collection = index % 3 === 0 ? 'transfer-snipe' : 'sniper';
    const config = configFor(collection);
    return make({
      index,
      name,
      note,
      collection,
      live: (mark, over) => ({
        kind: collection,
        remark: `${note} [git:core/${name}${mark}]`,
        target_wallet: wallet(index % 3),
        is_active: true,
        version: 5,
        config,
        ...over,
      }),
      desired: (over) => desiredTask(name, { collection, note, target_wallet: wallet(index % 3), ...over }),
    });
  });
}

const OTHER = { buy_amount: '0.75' };

/** A plan of 400 changes of all sorts, made by the planner from what the sandbox holds. */
export async function planOf400(): Promise<Plan> {
  const all = [
    ...pairs(50, 'gone', ({ live }) => ({ live: live('@0') })),
    ...pairs(20, 'idle', ({ live }) => ({ live: live('', { is_active: false }) })),
    ...pairs(30, 'moved', ({ live, desired }) => ({
      live: live('@0'),
      desired: desired({ target_wallet: wallet(4) }),
    })),
    ...pairs(80, 'new', ({ index, desired, collection }) => ({
      desired: desired({ config: configFor(collection, { buy_amount: `0.${index + 100}` }) }),
    })),
    ...pairs(120, 'preset', ({ live, desired, collection }) => ({
      live: live('@0'),
      desired: desired({ config: configFor(collection, OTHER) }),
    })),
    ...pairs(50, 'own', ({ index, live, desired, collection }) => ({
      live: live('@0'),
      desired: desired({
        note: `${HOSTILE[0]?.slice(0, 12)}${index}`,
        config: configFor(collection, {
          buy_amount: `1.${index}`,
          selected_dexes: ['pump-fun', 'launchlab'],
        }),
      }),
    })),
    ...pairs(20, 'tired', ({ live, desired }) => ({
      live: live('@0'),
      desired: desired({ state: 'paused' }),
    })),
    ...pairs(20, 'woken', ({ live, desired }) => ({
      live: live('', { is_active: false }),
      desired: desired(),
    })),
    ...pairs(10, 'held', ({ live, desired, collection }) => ({
      live: live('@0', { is_active: false }),
      desired: desired({ config: configFor(collection, OTHER) }),
    })),
    // Not of this project.
    ...pairs(20, 'by-hand', ({ note, collection }) => ({
      live: {
        kind: collection,
        remark: note,
        target_wallet: wallet(5),
        is_active: true,
        config: configFor(collection, { buy_amount: '9' }),
      },
    })),
  ];
  const world = createWorld({
    quota: { max: 1_000 },
    tasks: all.flatMap(({ live }) => live ?? []),
  });
  return world.plan(desiredState(all.flatMap(({ desired }) => desired ?? [])));
}
