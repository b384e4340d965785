import { madeOnce } from '../../model/by-key.ts';
import type { TaskKind } from '../../model/kind.ts';
import { isOwnMarker, type ProjectNames, type Remark, remarkOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import type { OwnedTask } from './task-match.ts';

export interface Entry {
  readonly task: LiveTask;
  readonly remark: Remark;
}

/** The live tasks of one kind by id and, if they have a marker, by its project and name. Of the other kinds, the ids. */
export class LiveIndex {
  readonly byId = new Map<string, Entry>();
  readonly others = new Map<string, LiveTask>();
  private readonly byMarker = new Map<string, Map<string, OwnedTask[]>>();
  readonly project: ProjectNames;

  constructor(project: ProjectNames, kind: TaskKind, live: readonly LiveTask[]) {
    this.project = project;
    for (const task of live) {
      const remark = remarkOf(task);
      const own = task.collection === kind.collection;
      if (own) this.byId.set(task.id, { task, remark });
      else this.others.set(task.id, task);
      if (!own || remark.type !== 'marked') continue;
      const { note, marker } = remark;
      const named = madeOnce(this.byMarker, marker.project, () => new Map<string, OwnedTask[]>());
      madeOnce(named, marker.name, () => []).push({ task, note, marker });
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

  isOurs(remark: Remark): boolean {
    return remark.type === 'marked' && isOwnMarker(remark.marker, this.project);
  }

  /** True if the marker has the project's current name. */
  isOfNow(remark: Remark): boolean {
    return remark.type === 'marked' && remark.marker.project === this.project.project;
  }
}
