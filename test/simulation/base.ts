import type { DesiredState } from '../../src/core/desired/state.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { type Choices, makeChoices } from '../../src/sandbox/choices.ts';
import type { Change } from '../../src/sandbox/records.ts';
import { seedChanges } from '../../src/sandbox/seed.ts';
import { uuid } from '../support/builders.ts';

/** What a case begins with. */
export interface WorldSpec {
  readonly name: string;
  readonly account: SeedAccount;
  readonly desired: DesiredState;
  /** Another revision of the manifests, which a second runner may apply. */
  readonly other: DesiredState;
  readonly choices: Partial<Choices>;
  /** `--take-over`. */
  readonly takeOver?: readonly string[];
}

/** A world ready to be put into a sandbox again and again: records are never changed in place. */
export interface Base {
  readonly spec: WorldSpec;
  readonly choices: Choices;
  readonly changes: readonly Change[];
  readonly firstId: number;
}

export const START = Date.parse('2026-06-01T12:00:00Z');

export function prepare(spec: WorldSpec): Base {
  let ids = 0x9000;
  const newId = () => {
    ids += 1;
    return uuid(ids);
  };
  const changes = seedChanges({ accounts: [spec.account] }, { now: START - 3_600_000, newId });
  return { spec, choices: makeChoices(spec.choices), changes, firstId: ids };
}
