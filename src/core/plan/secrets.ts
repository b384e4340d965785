import type { DesiredState } from '../desired/state.ts';
import { overlaps } from '../model/field-path.ts';
import type { Change, Field, Observation } from '../model/generated/plan.ts';
import { withNoteHidden } from '../model/marker.ts';
import { SECRET, shownField } from '../model/secret.ts';
import type { Stake } from './stakes/stakes.ts';

/** Paths of values that came from the environment, by address. `further`: those of other revisions. */
export function secretPaths(
  { tasks, templates }: DesiredState,
  further: ReadonlyMap<string, readonly string[]> = new Map(),
): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>();
  const add = (address: string, more: readonly string[]) =>
    paths.set(address, [...new Set([...(paths.get(address) ?? []), ...more])]);
  for (const { address, secrets } of [...tasks, ...templates])
    if (secrets !== undefined) add(address, secrets);
  for (const [address, more] of further) add(address, more);
  return paths;
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

/** Marks in every change the values that came from the environment and must never be shown, and hides a stake that they tell. */
export function markSecrets(
  changes: readonly Change[],
  known: ReadonlyMap<string, readonly string[]>,
  stakes: readonly Stake[],
): Change[] {
  const hidden = new Set(stakes.flatMap((stake) => (stake.secret ? [stake.address] : [])));
  return changes.map((change) => {
    const secrets = known.get(change.address);
    if (secrets === undefined) return change;
    const fields = change.fields.map((field) => ({
      ...field,
      sensitive: field.sensitive || overlaps(secrets, field.path),
    }));
    const exposure = { before: '0', after: '0', secret: true as const };
    const stake = hidden.has(change.address) ? { exposure } : {};
    return { ...change, ...stake, fields, secrets: [...secrets] };
  });
}

/** A field as documents other than a plan show it. */
export function bareField(
  { legacy: _, provenance: __, made_by: ___, ...field }: Field,
  secrets: readonly string[],
): Omit<Field, 'legacy' | 'provenance' | 'made_by'> {
  return shownField(field, secrets);
}
