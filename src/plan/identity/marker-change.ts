import type { DesiredTask } from '../../desired/state.ts';
import type { Change, Field } from '../../model/generated/plan.ts';
import type { Marker } from '../../model/marker.ts';
import { field } from '../task/compare-task.ts';

/** How the live task was found, if not by its marker alone. */
export interface HowFound {
  readonly actions: Change['actions'];
  readonly reason: Change['reason'] | undefined;
  /** The marker of another project that is replaced. */
  readonly from?: Marker;
}

/** The difference between the current and the new marker of a task, with the resulting actions and reason. */
export interface Renaming {
  readonly fields: readonly Field[];
  readonly actions: Change['actions'];
  readonly reason: Change['reason'] | undefined;
  /** The former address of the task in this project. */
  readonly previousAddress: string | null;
}

/**
 * `marker`: a marker of this project, with its current or former name; `from`: a marker of another project, which is
 * replaced.
 */
export function renamingOf(
  desired: DesiredTask,
  { marker, from }: { readonly marker: Marker | undefined; readonly from: Marker | undefined },
  project: string,
): Renaming {
  const fields = identityFields(desired, marker ?? from, project);
  if (marker === undefined || fields.length === 0) {
    return { fields, actions: [], reason: undefined, previousAddress: null };
  }
  const renamed = marker.name !== desired.name;
  return {
    fields,
    actions: ['rename'],
    reason: renamed ? 'renamed' : 'project-renamed',
    previousAddress: renamed ? `${desired.collection}/${marker.name}` : null,
  };
}

/** The fields `project` and `name`, if the marker changes them. */
export function identityFields(
  desired: Pick<DesiredTask, 'origin' | 'name'>,
  marker: Marker | undefined,
  project: string,
): readonly Field[] {
  if (marker === undefined) return [];
  return [
    ...(marker.project === project
      ? []
      : [{ path: 'project', before: marker.project, after: project, sensitive: false }]),
    ...(marker.name === desired.name ? [] : [field(desired, 'name', marker.name, desired.name)]),
  ];
}
