import { byKey } from '../../model/by-key.ts';
import type { Change, Field } from '../../model/generated/plan.ts';
import { jsonEqual } from '../../model/json.ts';
import { SECRET } from '../../model/secret.ts';
import { chainWords, type OperationIndex } from '../chain-words.ts';

/** Changes that do the same for the same reason: one preset or template that many tasks extend makes hundreds of them. */
export interface ChangeGroup {
  readonly first: Change;
  /** All of them, the first one included. */
  readonly changes: readonly Change[];
}

/** Two changes read better one by one. */
const LEAST = 3;

/** In the order of the first change of each; what has no equals is a group of its own. */
export function groupsOf(changes: readonly Change[], operations: OperationIndex): readonly ChangeGroup[] {
  const equals = byKey(changes, (change) => keyOf(change, operations));
  const done = new Set<Change>();
  return changes.flatMap((change) => {
    if (done.has(change)) return [];
    const same = equals.get(keyOf(change, operations)) ?? [change];
    const group = same.length < LEAST ? [change] : same;
    for (const member of group) done.add(member);
    return [{ first: change, changes: group }];
  });
}

function keyOf(change: Change, operations: OperationIndex): string {
  const { kind, actions, reason, held, starts_trading, stops_trading, previous_address, provenance } = change;
  return JSON.stringify([
    [kind, actions, reason, held, starts_trading, stops_trading, previous_address, provenance],
    // Secret values are hidden before they are compared: that they are equal would say something of them.
    change.fields.map(({ path, before, after, sensitive, legacy, provenance: whose }) => [
      [path, sensitive, legacy, whose, before === undefined, after === undefined],
      sensitive ? [SECRET] : [before, after],
    ]),
    chainWords(change, operations),
  ]);
}

/** The fields of the group, with the place in the manifests where all have the same. */
export function fieldsOf({ first, changes }: ChangeGroup): readonly Field[] {
  return first.fields.map((field, index) => {
    const { origin, ...rest } = field;
    if (origin === undefined) return field;
    const shared = changes.every((change) => {
      const other = change.fields[index]?.origin;
      return other !== undefined && jsonEqual({ ...other }, { ...origin });
    });
    return shared ? field : rest;
  });
}
