import type { DesiredTask } from '../../desired/state.ts';
import type { Change, Field } from '../../model/generated/plan.ts';
import type { Marker } from '../../model/marker.ts';
import { field } from '../task/compare-task.ts';

/** How the live task was found, where that is more than its marker. */
export interface HowFound {
  readonly actions: Change['actions'];
  readonly reason: Change['reason'] | undefined;
  /** The marker of another project that goes. */
  readonly from?: Marker;
}

/** The difference between a task's marker and the one that it is to have, and the actions and the reason that follow from it. */
export interface Renaming {
  readonly fields: readonly Field[];
  readonly actions: Change['actions'];
  readonly reason: Change['reason'] | undefined;
  /** Under which the task stood in this project. */
  readonly previousAddress: string | null;
}

/** `marker`: one of ours, under the name of now or before; `from`: of another project, which goes. */
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

/** Project and name, where the marker has others. */
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
