import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/model/json.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import type { HttpRequest } from '../../../src/core/ports/transport.ts';
import { createApi } from '../../../src/core/service/http/client.ts';
import { readLive } from '../../../src/core/service/view/read.ts';
import fc from '../../properties.ts';
import { Vacuous } from '../../support/property.ts';
import { runs } from '../../support/sample.ts';
import { FakeService } from './service.ts';

const KINDS = ['sniper', 'copy-trade'] as const;
const PROVEN = 'as many tasks as the quota counts, before and after, and no changes in between';

/** What may happen to a task, or to the labels, right before a request is answered. */
const happening = fc.record({
  at: fc.nat(30),
  what: fc.constantFrom('relabel', 'switch', 'touch', 'add', 'remove', 'label-gone', 'label-new'),
  kind: fc.constantFrom(...KINDS),
  which: fc.nat(),
  label: fc.nat(),
  later: fc.constantFrom(0, 10, 400, 1_000, 5_000),
});
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

/** What the interface leaves open, and how a service or a network may be otherwise than we think. */
const world = fc.record({
  newestFirst: fc.boolean(),
  positional: fc.boolean(),
  /** Whether relabelling and switching raise the version, and whether they change `updated_at`. */
  bumps: fc.boolean(),
  touches: fc.boolean(),
  filters: fc.constantFrom(['status', 'label_id'], ['status', 'label_id'], ['label_id'], ['status'], []),
  /** Some tasks have a label that the list of labels does not have. */
  alien: fc.boolean(),
  labels: fc.nat(3),
  snipers: fc.integer({ min: 150, max: 420 }),
  copies: fc.nat(230),
  /** How long requests are on their way, and answers on theirs, in steps of the event loop. */
  delays: fc.array(fc.nat(3), { minLength: 5, maxLength: 20 }),
});
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

const stateOf = ({ id, version, is_active, risk_label_id }: LiveTask | JsonObject) =>
  `${id} v${version} ${is_active} ${risk_label_id}`;

class Moving extends FakeService {
  /** At each `GET /me`: the states of all tasks, and these with all that tasks came into later. */
  readonly counted: { readonly states: readonly string[]; readonly since: Set<string> }[] = [];
  readonly #world: World;
  readonly #happenings: readonly Happening[];
  #labels: string[] = [];

  constructor(given: World, happenings: readonly Happening[]) {
    super();
    this.#world = given;
    this.#happenings = happenings;
    const { newestFirst, positional, filters, labels, snipers, copies, alien } = given;
    Object.assign(this, { newestFirst, positional, filters });
    this.#labels = Array.from({ length: labels }, () => this.add('label'));
    const used = [...this.#labels, null, ...(alien ? ['ffffffff-0000-4000-8000-000000000000'] : [])];
    for (const [kind, count] of [
      ['sniper', snipers],
      ['copy-trade', copies],
    ] as const) {
      for (let index = 0; index < count; index += 1) {
        this.now += 7;
        this.add(kind, 1, { risk_label_id: used[index % used.length] ?? null, is_active: index % 3 === 0 });
      }
    }
    this.now += 60_000;
    this.before = ({ path }, index) => {
      for (const one of this.#happenings.filter(({ at }) => at === index)) this.#happen(one);
      const states = this.all();
      if (path === '/me') this.counted.push({ states, since: new Set() });
      for (const { since } of this.counted) for (const state of states) since.add(state);
    };
  }

  all(): readonly string[] {
    return KINDS.flatMap((kind) => this.tasks(kind).map(stateOf)).sort();
  }

  #happen({ what, kind, which, label, later }: Happening): void {
    this.now += later;
    const ids = this.ids(kind);
    const id = ids[which % Math.max(1, ids.length)] ?? '';
    const to = [...this.#labels, null][label % (this.#labels.length + 1)] ?? null;
    if (what === 'touch') this.touch(kind, id);
    if (what === 'add') this.add(kind, 1, { risk_label_id: to });
    if (what === 'remove') this.remove(kind, id);
    if (what === 'relabel') this.#change(kind, id, { risk_label_id: to });
    if (what === 'switch') this.#change(kind, id, { is_active: which % 2 === 0 });
    if (what === 'label-new') this.#labels.push(this.add('label'));
    const gone = what === 'label-gone' ? this.#labels.pop() : undefined;
    if (gone === undefined) return;
    this.remove('label', gone);
    for (const other of KINDS) {
      for (const task of this.tasks(other)) {
        if (task.risk_label_id === gone) this.#change(other, String(task.id), { risk_label_id: null });
      }
    }
  }

  #change(kind: (typeof KINDS)[number], id: string, over: JsonObject): void {
    const task = this.tasks(kind).find((one) => one.id === id);
    if (task === undefined) return;
    const version = Number(task.version) + (this.#world.bumps ? 1 : 0);
    const updated_at = this.#world.touches ? new Date(this.now).toISOString() : task.updated_at;
    this.alter(kind, id, { ...over, version, updated_at: updated_at ?? '' });
  }
}

/** Reads with requests and answers that overtake each other. */
async function read(service: Moving, { delays }: World) {
  let drawn = 0;
  const delay = async () => {
    drawn += 1;
    for (let left = delays[drawn % delays.length] ?? 0; left > 0; left -= 1) await Promise.resolve();
  };
  const transport = {
    send: async (request: HttpRequest) => {
      await delay();
      const answer = service.handle(request);
      await delay();
      return answer;
    },
    close: async () => undefined,
  };
  const clock = {
    now: () => service.now,
    sleep: async (ms: number) => {
      service.now += ms;
    },
  };
  const api = createApi({ transport, token: 'svc_live_0a1b2c3d.x', clock, random: () => 0, userAgent: 't' });
  return readLive({ api, clock, needed: new Set(), limits: { inParts: 50 } });
}

it('a view that was read in parts and is called complete was true when the reading began', async () => {
  const tally = { runs: 0, complete: 0, inParts: 0, fellBack: 0 };
  const vacuous = new Vacuous();
  await fc.assert(
    fc.asyncProperty(world, fc.array(happening, { maxLength: 6 }), async (given, happenings) => {
      const service = new Moving(given, happenings);
      const { live } = await read(service, given);
      tally.runs += 1;
      if (live?.complete !== true) return vacuous.add();
      tally.complete += 1;
      if (live.proof !== PROVEN) return vacuous.add();
      const parts = service.requests.some((path) => /status=|label_id=/.test(path));
      const whole = service.requests.filter((path) => /^\/sniper\/configs\?limit=100(&cursor|$)/.test(path));
      if (parts && whole.length === 1) tally.inParts += 1;
      if (parts && whole.length > 1) tally.fellBack += 1;
      // The last but one count is the one that the last reading began with.
      const began = service.counted.at(-2);
      const seen = live.tasks.map(stateOf).sort();
      const ids = (states: readonly string[] = []) => states.map((state) => state.split(' ')[0]);
      expect(ids(seen)).toEqual(ids(began?.states));
      expect(seen.filter((state) => began?.since.has(state) !== true)).toEqual([]);
      if (given.touches) expect(seen).toEqual(began?.states);
    }),
    { numRuns: Number(process.env.READ_RUNS ?? runs(120)) },
  );
  vacuous.expectAtMost(0.1, Number(process.env.READ_RUNS ?? runs(120)));
  // Both ways were gone, and most accounts come to rest.
  expect(tally.complete / tally.runs).toBeGreaterThan(0.5);
  expect(tally.inParts).toBeGreaterThan(0);
  expect(tally.fellBack).toBeGreaterThan(0);
});
