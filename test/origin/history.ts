import type { DesiredState, DesiredTask } from '../../src/core/desired/state.ts';
import { versionDigest } from '../../src/core/desired/version.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { type Marker, parseRemark } from '../../src/core/model/marker.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import { configFor, desiredState, desiredTask, wallet } from '../support/builders.ts';

export type Kind = 'sniper' | 'copy-trade';

/** The values of a task that git and people change. `tip` stands for a second field of the config. */
export interface Values {
  readonly amount: number;
  readonly tip: number;
  readonly note: number;
}

export type Field = keyof Values;

export const FIELDS: readonly Field[] = ['amount', 'tip', 'note'];

/** What a commit says of one task. The first letter of a name is the task: `a`, renamed `a2`. */
export interface Content extends Values {
  readonly name: string;
  readonly target: number;
  readonly state: DesiredTask['state'];
  readonly previous?: string;
  readonly rearm?: string;
}

export type Commit = readonly Content[];

/** Commits from the root to the head, by first parents. */
export type Line = readonly Commit[];

/** A commit by its place: the line (a rewritten history is another one), and the index on it. */
export interface Ref {
  readonly line: number;
  readonly at: number;
}

/** True if `one` landed later than `other`. */
export function isNewer(one: Ref, other: Ref): boolean {
  return one.line > other.line || (one.line === other.line && one.at > other.at);
}

const AMOUNT: Readonly<Record<Kind, readonly [string, string | undefined, string]>> = {
  sniper: ['buy_amount', undefined, 'relay_mode.tip_amount'],
  'copy-trade': ['buy_config_universal', 'amount_sol', 'buy_config_universal.relay_tip'],
};

export function configOf(kind: Kind, { amount, tip }: Pick<Values, 'amount' | 'tip'>): JsonObject {
  const plain = configFor(kind);
  const own = (key: string) => plain[key] as JsonObject;
  return kind === 'sniper'
    ? { ...plain, buy_amount: `0.${amount}`, relay_mode: { ...own('relay_mode'), tip_amount: `0.00${tip}` } }
    : {
        ...plain,
        buy_config_universal: {
          ...own('buy_config_universal'),
          amount_sol: `0.${amount}`,
          relay_tip: `0.00${tip}`,
        },
      };
}

/** The field of a path in a plan. */
export function fieldAt(kind: Kind, path: string): Field | undefined {
  const [amount, inside, tip] = AMOUNT[kind];
  if (path === 'remark') return 'note';
  if (path === `config.${inside === undefined ? amount : `${amount}.${inside}`}`) return 'amount';
  return path === `config.${tip}` ? 'tip' : undefined;
}

export function valuesOf({ collection, config, remark }: StoredTask): Values {
  const plain = config as Readonly<Record<string, JsonObject & string>>;
  const [amount, tip] =
    collection === 'sniper'
      ? [plain.buy_amount, plain.relay_mode?.tip_amount]
      : [plain.buy_config_universal?.amount_sol, plain.buy_config_universal?.relay_tip];
  return {
    amount: Number(String(amount).slice(2)),
    tip: Number(String(tip).slice(4)),
    note: Number(/\d+/.exec(parseRemark(remark).note)?.[0] ?? 0),
  };
}

export function noteOf(note: number): string {
  return `Note ${note}`;
}

export function taskOf(kind: Kind, content: Content): DesiredTask {
  const { name, target, state, previous, rearm, note } = content;
  return desiredTask(name, {
    collection: kind,
    state,
    note: noteOf(note),
    target_wallet: wallet(target),
    config: configOf(kind, content),
    ...(previous === undefined ? {} : { previousName: previous }),
    ...(rearm === undefined ? {} : { rearm }),
  });
}

const STATES: Readonly<Record<Kind, WeakMap<Commit, DesiredState>>> = {
  sniper: new WeakMap(),
  'copy-trade': new WeakMap(),
};

export function stateOf(kind: Kind, commit: Commit): DesiredState {
  const known = STATES[kind].get(commit);
  if (known !== undefined) return known;
  const state = desiredState(commit.map((content) => taskOf(kind, content)));
  STATES[kind].set(commit, state);
  return state;
}

/** The contents of one task up to a commit. */
export function pastOf(line: Line, at: number, name: string): readonly Content[] {
  return line.slice(0, at + 1).flatMap((commit) => commit.filter((content) => content.name[0] === name[0]));
}

/** What the version of a marker names; undefined if no commit up to `at` describes the task so. */
export function describedBy(
  kind: Kind,
  line: Line,
  at: number,
  { name, version }: Marker,
): Content | undefined {
  if (version === undefined || version.number > at + 1) return undefined;
  return pastOf(line, at, name).find((content) => versionDigest(taskOf(kind, content)) === version.digest);
}
