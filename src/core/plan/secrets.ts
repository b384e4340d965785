import type { DesiredState } from '../desired/state.ts';
import { overlaps } from '../model/field-path.ts';
import type { Change, Field, Observation } from '../model/generated/plan.ts';
import { withNoteHidden } from '../model/marker.ts';
import { SECRET, shownField } from '../model/secret.ts';
import type { Stake } from './stakes/stakes.ts';

/** Paths of values that came from the environment, by address. */
export function secretPaths({ tasks, templates }: DesiredState): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...tasks, ...templates].flatMap(({ address, secrets }) =>
      secrets === undefined ? [] : [[address as string, secrets] as const],
    ),
  );
}

export function withFurther(
  secrets: ReadonlyMap<string, readonly string[]>,
  further: ReadonlyMap<string, readonly string[]> = new Map(),
): ReadonlyMap<string, readonly string[]> {
  const merged = new Map(secrets);
  for (const [address, paths] of further) {
    merged.set(address, [...new Set([...(merged.get(address) ?? []), ...paths])]);
  }
  return merged;
}

/** Hides the notes of tasks that the plan leaves alone; by their ids. */
export function hideObserved(
  observations: readonly Observation[],
  known: ReadonlyMap<string, readonly string[]>,
): Observation[] {
  return observations.map((item) => {
    const secrets = known.get(item.id) ?? [];
    if (secrets.length === 0) return item;
    const remark = overlaps(secrets, 'remark') ? withNoteHidden(item.remark, SECRET) : item.remark;
    return { ...item, remark, secrets: [...secrets] };
  });
}

/** Hides the exposure of each change that has a secret amount. */
export function hideStakes(changes: readonly Change[], stakes: readonly Stake[]): Change[] {
  const secret = new Set(stakes.flatMap((stake) => (stake.secret ? [stake.address] : [])));
  return changes.map((change) =>
    secret.has(change.address)
      ? { ...change, exposure: { before: '0', after: '0', secret: true as const } }
      : change,
  );
}

/** Marks in every change the values that came from the environment, and must never be shown. */
export function markSecrets(
  changes: readonly Change[],
  known: ReadonlyMap<string, readonly string[]>,
): Change[] {
  return changes.map((change) => {
    const secrets = known.get(change.address);
    if (secrets === undefined) return change;
    const fields = change.fields.map((field) => ({
      ...field,
      sensitive: field.sensitive || overlaps(secrets, field.path),
    }));
    return { ...change, fields, secrets: [...secrets] };
  });
}

/** A field as documents other than a plan show it. */
export function bareField(
  { legacy: _, provenance: __, made_by: ___, ...field }: Field,
  secrets: readonly string[],
): Omit<Field, 'legacy' | 'provenance' | 'made_by'> {
  return shownField(field, secrets);
}
