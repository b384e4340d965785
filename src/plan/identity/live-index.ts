import { isOwnMarker, type ProjectNames, type Remark, remarkOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import type { OwnedTask } from './task-match.ts';

/** The live tasks of one kind by id and, if they have a marker, by its project and name. */
export class LiveIndex {
  readonly byId = new Map<string, { task: LiveTask; remark: Remark }>();
  private readonly byMarker = new Map<string, Map<string, OwnedTask[]>>();
  private readonly names: ProjectNames;

  constructor(names: ProjectNames, live: readonly LiveTask[]) {
    this.names = names;
    for (const task of live) {
      const remark = remarkOf(task);
      this.byId.set(task.id, { task, remark });
      if (remark.type !== 'marked') continue;
      const { note, marker } = remark;
      const named = this.byMarker.get(marker.project) ?? new Map<string, OwnedTask[]>();
      this.byMarker.set(marker.project, named);
      named.set(marker.name, [...(named.get(marker.name) ?? []), { task, note, marker }]);
    }
  }

  /** Names in markers with the project's current name. */
  namesOfNow(): readonly string[] {
    return this.namesIn(this.names.project);
  }

  /** Names in markers with the project's former name. */
  namesBefore(): readonly string[] {
    return this.namesIn(this.names.previousProject);
  }

  ownersOf(name: string): readonly OwnedTask[] {
    return this.markedBy(this.names.project, name);
  }

  /** Tasks of that name whose marker has the project's former name. */
  ownersBefore(name: string): readonly OwnedTask[] {
    return this.markedBy(this.names.previousProject, name);
  }

  markedBy(project: string | undefined, name: string): readonly OwnedTask[] {
    return (project === undefined ? undefined : this.byMarker.get(project)?.get(name)) ?? [];
  }

  /** Tasks of that name whose marker has another project. */
  foreignOf(name: string): readonly OwnedTask[] {
    const others = [...this.byMarker.keys()].filter(
      (project) => project !== this.names.project && project !== this.names.previousProject,
    );
    return others.flatMap((project) => this.markedBy(project, name));
  }

  isOurs(remark: Remark): boolean {
    return remark.type === 'marked' && isOwnMarker(remark.marker, this.names);
  }

  /** True if the marker has the project's current name. */
  isOfNow(remark: Remark): boolean {
    return remark.type === 'marked' && remark.marker.project === this.names.project;
  }

  private namesIn(project: string | undefined): readonly string[] {
    return [...((project === undefined ? undefined : this.byMarker.get(project)) ?? new Map()).keys()].sort();
  }
}
