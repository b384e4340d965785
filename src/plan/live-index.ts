import { parseRemark, type Remark } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import type { OwnedTask } from './identity.ts';

/** The live tasks of one kind by id and, where they are ours, by name. */
export class LiveIndex {
  readonly byId = new Map<string, { task: LiveTask; remark: Remark }>();
  readonly owned: OwnedTask[] = [];
  private readonly byName = new Map<string, OwnedTask[]>();
  private readonly project: string;

  constructor(project: string, live: readonly LiveTask[]) {
    this.project = project;
    for (const task of live) {
      const remark = parseRemark(task.remark);
      this.byId.set(task.id, { task, remark });
      if (remark.type !== 'marked' || remark.marker.project !== project) continue;
      const owned = { task, note: remark.note, marker: remark.marker };
      this.owned.push(owned);
      this.byName.set(remark.marker.name, [...(this.byName.get(remark.marker.name) ?? []), owned]);
    }
  }

  names(): readonly string[] {
    return [...this.byName.keys()].sort();
  }

  ownersOf(name: string): readonly OwnedTask[] {
    return this.byName.get(name) ?? [];
  }

  isOurs(remark: Remark): boolean {
    return remark.type === 'marked' && remark.marker.project === this.project;
  }
}
