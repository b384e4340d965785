import fc from '../properties.ts';
import type { Commit, Content, Kind, Line } from './history.ts';
import type { Deed, Step, Strike } from './steps.ts';
import type { Histories } from './world.ts';

/** A change of the manifests. */
type Edit =
  | { readonly type: 'set'; readonly over: Partial<Omit<Content, 'name' | 'previous'>> }
  | { readonly type: 'toggle' | 'rename' | 'revert' };

interface Change {
  readonly slot: number;
  readonly edit: Edit;
}

export interface Scene {
  readonly kind: Kind;
  readonly histories: Histories;
  /** How the first commit was applied. */
  readonly first: 'plain' | 'only';
  readonly steps: readonly Step[];
}

const small = fc.integer({ min: 1, max: 3 });

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: small.map((amount): Edit => ({ type: 'set', over: { amount } })) },
  { weight: 2, arbitrary: small.map((tip): Edit => ({ type: 'set', over: { tip } })) },
  { weight: 2, arbitrary: small.map((note): Edit => ({ type: 'set', over: { note } })) },
  {
    weight: 2,
    arbitrary: fc.record({ amount: small, note: small }).map((over): Edit => ({ type: 'set', over })),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('active' as const, 'paused' as const, 'active' as const, 'manual' as const)
      .map((state): Edit => ({ type: 'set', over: { state } })),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 0, max: 2 }).map((target): Edit => ({ type: 'set', over: { target } })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('1', '2').map((rearm): Edit => ({ type: 'set', over: { rearm } })),
  },
  { weight: 3, arbitrary: fc.constant<Edit>({ type: 'toggle' }) },
  { weight: 1, arbitrary: fc.constant<Edit>({ type: 'rename' }) },
  { weight: 3, arbitrary: fc.constant<Edit>({ type: 'revert' }) },
);

function begin(slot: number): Content {
  return { name: 'ab'[slot] ?? 'a', amount: 1, tip: 1, note: 1, target: slot, state: 'active' };
}

function applied(line: Line, { slot, edit: one }: Change, kind: Kind): Commit {
  const last = line.at(-1) ?? [];
  const letter = 'ab'[slot];
  const mine = last.find(({ name }) => name[0] === letter);
  const others = last.filter((each) => each !== mine);
  const then = changed(mine, line, slot, one);
  if (then === undefined) return others;
  // The service has one copy-trade task for a target.
  if (kind === 'copy-trade' && others.some(({ target }) => target === then.target)) return last;
  return [...others, then].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function changed(mine: Content | undefined, line: Line, slot: number, edit: Edit): Content | undefined {
  switch (edit.type) {
    case 'set':
      return mine && { ...mine, ...edit.over };
    case 'toggle':
      return mine === undefined ? begin(slot) : undefined;
    case 'rename': {
      if (mine === undefined) return undefined;
      const name = mine.name.length === 1 ? `${mine.name}2` : (mine.name[0] ?? 'a');
      return { ...mine, name, previous: mine.name };
    }
    case 'revert': {
      const before = line.at(-2)?.find(({ name }) => name === mine?.name);
      return before ?? mine;
    }
  }
}

const change = fc.record({ slot: fc.constantFrom(0, 0, 0, 1), edit });

function lineOf(from: Line, changes: readonly Change[], kind: Kind): Line {
  const line = [...from];
  for (const each of changes) line.push(applied(line, each, kind));
  return line;
}

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(1, 2, 3, 9).map((amount): Deed => ({ type: 'set', values: { amount } })),
  },
  { weight: 2, arbitrary: fc.constantFrom(1, 2, 9).map((tip): Deed => ({ type: 'set', values: { tip } })) },
  { weight: 2, arbitrary: fc.constantFrom(1, 2, 9).map((note): Deed => ({ type: 'set', values: { note } })) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 3 }).map((back): Deed => ({ type: 'as-in-git', back })) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(
        'stop' as const,
        'stop' as const,
        'start' as const,
        'delete' as const,
        'strip' as const,
        'strip-version' as const,
        'damage' as const,
      )
      .map((type): Deed => ({ type })),
  },
);

const person = fc.record({ type: fc.constant('person' as const), deed, pick: fc.nat(2) });

function runs(strikes: fc.Arbitrary<Strike[]>): fc.Arbitrary<Step> {
  return fc.record({
    type: fc.constant('run' as const),
    way: fc.constantFrom(
      'only' as const,
      'only' as const,
      'only' as const,
      'only' as const,
      'plain' as const,
      'rollback' as const,
    ),
    behind: fc.constantFrom(0, 0, 0, 1, 2),
    former: fc.constantFrom(false, false, true),
    base: fc.constantFrom('none' as const, 'whole' as const, 'whole' as const, 'previous' as const),
    strikes,
  });
}

const calm = runs(fc.constant([]));
const merge = fc.constant<Step>({ type: 'merge' });

function strikes(people: boolean): fc.Arbitrary<Strike[]> {
  const at = fc.nat(5);
  const meanwhile = people
    ? fc.oneof<fc.Arbitrary<Step>[]>(person, calm, merge)
    : fc.oneof<fc.Arbitrary<Step>[]>(calm, merge);
  return fc.array(
    fc.oneof<fc.Arbitrary<Strike>[]>(
      fc.record({ at, type: fc.constantFrom('before' as const, 'after' as const, 'late' as const) }),
      fc.record({ at, type: fc.constantFrom('lost' as const, 'unheard' as const) }),
      fc.record({ at, type: fc.constant('meanwhile' as const), deed: meanwhile }),
    ),
    { maxLength: 2 },
  );
}

/** A history, and what happens while its head moves. */
export function scene(people: boolean): fc.Arbitrary<Scene> {
  const step: fc.Arbitrary<Step> = fc.oneof<fc.Arbitrary<Step>[]>(
    merge,
    runs(strikes(people)),
    runs(strikes(people)),
    ...(people ? [person] : []),
  );
  return fc
    .record({
      kind: fc.constantFrom<Kind>('sniper', 'sniper', 'copy-trade'),
      begins: fc.constantFrom(0, 1, 1),
      changes: fc.array(change, { minLength: 1, maxLength: 6 }),
      rewrite: fc.option(
        fc.record({
          at: fc.nat(4),
          dropped: fc.integer({ min: 0, max: 3 }),
          more: fc.array(change, { minLength: 1, maxLength: 2 }),
        }),
        { freq: 4 },
      ),
      first: fc.constantFrom('plain' as const, 'only' as const),
      steps: fc.array(step, { minLength: 2, maxLength: 9 }),
      rewritten: fc.nat(8),
    })
    .map(({ kind, begins, changes, rewrite, first, steps, rewritten }) => {
      const start: Line = [[], begins === 0 ? [] : [begin(0)]];
      const line = lineOf(start, changes, kind);
      if (rewrite === null) return { kind, histories: { lines: [line] }, first, steps };
      const at = Math.min(rewrite.at + 1, line.length - 1);
      // A squash: the commits before `at` are one, which has its tree.
      const kept = line.slice(0, Math.max(1, at - rewrite.dropped));
      const to = kept.length;
      const squashed = lineOf([...kept, line[at] ?? []], rewrite.more, kind);
      const all: Step[] = [...steps];
      all.splice(Math.min(rewritten, all.length), 0, { type: 'rewrite' });
      return { kind, histories: { lines: [line, squashed], rewrite: { at, to } }, first, steps: all };
    });
}
