import type { Change, Field } from './generated/plan.ts';
import type { JsonObject } from './json.ts';

type Planned = Pick<Change, 'former' | 'successor'>;

/**
 * The resources that a change was planned on, as the plan shows them: none for a create, and two tasks for a replacement
 * that an earlier run left part-way, the replaced one first.
 */
export function resourcesBefore({ former, successor }: Planned): readonly JsonObject[] {
  return [former, successor].flatMap((shown) => (shown == null ? [] : [shown as JsonObject]));
}

export function idsBefore(change: Planned): readonly string[] {
  return resourcesBefore(change).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

export function ranBefore(change: Planned): boolean {
  return resourcesBefore(change).some(({ is_active: runs }) => runs === true);
}

/** Every id that a change names, its own first; an id may occur twice. */
export function idsOfChange(
  change: Planned & { readonly id: string | null; readonly replaces_id: string | null },
): readonly string[] {
  const { id, replaces_id: replaced } = change;
  return [id, replaced, ...idsBefore(change)].filter((each) => typeof each === 'string');
}

/** True for a value that a person set on the service since the last apply, and that this change writes over. */
export function isUndone({ made_by: by }: { readonly made_by?: Field['made_by'] }): boolean {
  return by === 'person' || by === 'both';
}
