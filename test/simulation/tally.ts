import { crc32 } from 'node:zlib';
import { EVENTS, type EventName, PLAIN, tellWay, type Verdict, WAYS } from './case.ts';
import { type Case, GROUPS } from './cases.ts';
import { KINDS, type Kind, tell } from './kinds.ts';

/** One failing case, as it is named in reports and played again. */
export interface Failure {
  readonly world: string;
  readonly disturbances: string;
  readonly invariant: string;
  readonly text: string;
}

/** What many cases showed, together. */
export class Tally {
  cases = 0;
  requests = 0;
  hash = 0;
  /** By group and way. */
  readonly groups = new Map<string, number>(
    GROUPS.flatMap((group) =>
      // Those have a test of their own.
      WAYS.filter((way) => group !== 'scene' || way !== PLAIN).map((way): [string, number] => [
        `${group}${tellWay(way)}`,
        0,
      ]),
    ),
  );
  readonly events = new Map<EventName, number>(EVENTS.map((event) => [event, 0]));
  readonly fired = new Map<Kind, number>(KINDS.map((kind) => [kind, 0]));
  readonly checks = new Map<string, number>();
  readonly gaps = new Map<string, number>();
  readonly failures: Failure[] = [];

  add({ group, world, options }: Case, verdict: Verdict): void {
    this.cases += 1;
    this.requests += verdict.requests.length;
    this.hash = crc32(`${verdict.hash}`, this.hash) >>> 0;
    count(this.groups, `${group}${tellWay(options.way)}`, 1);
    for (const [event, times] of verdict.events) count(this.events, event, times);
    for (const { kind } of verdict.fired) count(this.fired, kind, 1);
    for (const [name, times] of verdict.checks) count(this.checks, name, times);
    for (const [name, times] of verdict.gaps) count(this.gaps, name, times);
    const disturbances = options.disturbances.map(tell).join(' ');
    for (const { invariant, text } of verdict.violations) {
      this.failures.push({ world, disturbances, invariant, text });
    }
  }

  /** Parts of the budget and events that came up in no case. */
  get silent(): readonly string[] {
    return never([...this.groups, ...this.events]);
  }

  /** Kinds of disturbances that came up in no case. */
  get unfired(): readonly string[] {
    return never([...this.fired]);
  }

  report(title: string): string {
    const lines = [
      `${title}: ${this.cases} cases (${list(this.groups)}), ${this.requests} requests of watched runs, hash ${this.hash.toString(16).padStart(8, '0')}`,
      `  fired: ${list(this.fired)}`,
      `  ways: ${list(this.events)}`,
      `  checked: ${list(this.checks)}`,
      `  known gaps seen: ${list(this.gaps)}`,
    ];
    return lines.join('\n');
  }
}

function count<K>(counts: Map<K, number>, key: K, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

function never(counts: readonly [string, number][]): readonly string[] {
  return counts.filter(([, times]) => times === 0).map(([name]) => name);
}

function list(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
}
