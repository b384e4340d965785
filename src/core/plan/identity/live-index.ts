import { madeOnce } from '../../model/by-key.ts';
import type { TaskKind } from '../../model/kind.ts';
import { markerOf, ownMarkerOf, type ProjectNames } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import type { OwnedTask } from './task-match.ts';

/** The live tasks of all kinds by id; those of one kind also, if they have a marker, by its project and name. */
export class LiveIndex {
  readonly byId: ReadonlyMap<string, LiveTask>;
  readonly ofKind: readonly LiveTask[];
  private readonly byMarker = new Map<string, Map<string, OwnedTask[]>>();

  constructor(
    readonly project: ProjectNames,
    kind: TaskKind,
    live: readonly LiveTask[],
  ) {
    this.byId = new Map(live.map((task) => [task.id, task]));
    this.ofKind = [...this.byId.values()].filter(({ collection }) => collection === kind.collection);
    for (const task of this.ofKind) {
      const marker = markerOf(task);
      if (marker === undefined) continue;
      const named = madeOnce(this.byMarker, marker.project, () => new Map<string, OwnedTask[]>());
      madeOnce(named, marker.name, () => []).push({ task, marker });
    }
  }

  /** Names in markers with the project's current name, or with its former name. */
  names(when: 'now' | 'before'): readonly string[] {
    const { project, previousProject } = this.project;
    const named = this.byMarker.get((when === 'now' ? project : previousProject) ?? '');
    return [...(named?.keys() ?? [])].sort();
  }

  ownersOf(name: string): readonly OwnedTask[] {
    return this.markedBy(this.project.project, name);
  }

  /** Tasks of that name whose marker has the project's former name. */
  ownersBefore(name: string): readonly OwnedTask[] {
    return this.markedBy(this.project.previousProject, name);
  }

  markedBy(project: string | undefined, name: string): readonly OwnedTask[] {
    return this.byMarker.get(project ?? '')?.get(name) ?? [];
  }

  /** Tasks of that name whose marker has another project. */
  foreignOf(name: string): readonly OwnedTask[] {
    const others = [...this.byMarker.keys()].filter(
      (project) => project !== this.project.project && project !== this.project.previousProject,
    );
    return others.flatMap((project) => this.markedBy(project, name));
  }

  isOurs(task: LiveTask): boolean {
    return ownMarkerOf(task, this.project) !== undefined;
  }

  /** True if the marker has the project's current name. */
  isOfNow(task: LiveTask): boolean {
    return this.isOurs(task) && markerOf(task)?.project === this.project.project;
  }
}
