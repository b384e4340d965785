import type { DesiredTask } from '../../desired/state.ts';
import { canonicalJson, type JsonObject } from '../../model/json.ts';
import type { TaskKind } from '../../model/kind.ts';
import type { Remark } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { currentConfig } from '../../model/shape.ts';
import type { LiveIndex } from './live-index.ts';
import { waysToForeign } from './take-over.ts';
import type { Blocked, TaskMatch } from './task-match.ts';

interface Entry {
  readonly task: LiveTask;
  readonly remark: Remark;
}

/**
 * Finds desired tasks whose marker may have been lost (DESIGN 3, "Lost marker"). A certain match is adopted; a weaker
 * one blocks the create, because a duplicate would trade twice.
 */
export class LostMarkers {
  private readonly kind: TaskKind;
  private readonly ownerless: readonly DesiredTask[];
  private readonly adopted = new Set<string>();
  private readonly candidates = new Map<string, Entry[]>();
  private readonly configs = new Map<JsonObject, string>();
  private readonly wanted = new Map<string, number>();
  private readonly index: LiveIndex;

  constructor(
    kind: TaskKind,
    ownerless: readonly DesiredTask[],
    index: LiveIndex,
    claimed: ReadonlySet<string>,
  ) {
    this.kind = kind;
    this.ownerless = ownerless;
    this.index = index;
    for (const [id, entry] of index.byId) {
      if (claimed.has(id) || index.isOfNow(entry.remark)) continue;
      const target = entry.task.target_wallet;
      const known = this.candidates.get(target);
      if (known === undefined) this.candidates.set(target, [entry]);
      else known.push(entry);
    }
    for (const task of ownerless) {
      if (task.adopt === 'never') continue;
      const key = fingerprint(task, this.configText(task.config));
      this.wanted.set(key, (this.wanted.get(key) ?? 0) + 1);
    }
  }

  /** A task that is adopted is not a candidate for other manifests, which may decide those, too. */
  matchAll(): ReadonlyMap<DesiredTask, TaskMatch> {
    const matches = new Map<DesiredTask, TaskMatch>();
    let open = this.ownerless;
    for (;;) {
      for (const desired of open) matches.set(desired, this.match(desired));
      const before = this.adopted.size;
      for (const match of matches.values()) if (match.type === 'adopt') this.adopted.add(match.task.id);
      if (this.adopted.size === before) return matches;
      open = open.filter((desired) => matches.get(desired)?.type === 'blocked');
    }
  }

  private match(desired: DesiredTask): TaskMatch {
    const near = this.candidates.get(desired.target_wallet) ?? [];
    const found = near.filter(({ task }) => !this.adopted.has(task.id));
    const plain = found.filter(({ remark }) => remark.type === 'plain');
    const holder = this.kind.uniqueTarget ? plain[0] : undefined;
    if (desired.adopt === 'never') return this.besides(desired, found);
    const others = found.filter(({ remark }) => remark.type !== 'plain');
    const obstacle = others.find(({ remark }) => remark.type === 'damaged' || this.kind.uniqueTarget);
    if (obstacle !== undefined) return this.heldBy(desired, obstacle);
    const twin = others.find((entry) => this.looksAlike(desired, entry));
    if (twin !== undefined) return this.foreignTwin(desired, twin);
    if (holder !== undefined && plain.length === 1) return adopt(holder, 'target-held');
    return this.fromPlain(desired, plain);
  }

  private fromPlain(desired: DesiredTask, plain: readonly Entry[]): TaskMatch {
    const config = this.configText(desired.config);
    const similar = plain
      .map((entry) => ({
        entry,
        config: this.configText(entry.task.config) === config,
        note: desired.note !== '' && entry.remark.note === desired.note,
      }))
      .filter((candidate) => candidate.config || candidate.note);
    const [only] = similar;
    if (only === undefined) return { type: 'create' };
    const wanted = this.wanted.get(fingerprint(desired, config));
    const certain = similar.length === 1 && only.config && only.note && wanted === 1;
    if (certain) return adopt(only.entry, 'marker-lost');
    const ids = similar.map(({ entry }) => entry.task.id).sort();
    const text = `${ids.length === 1 ? 'An unmanaged task' : `${ids.length} unmanaged tasks`} with the same target ${ids.length === 1 ? 'looks' : 'look'} like this one: ${ids.join(', ')}. Set metadata.id to adopt one of them, or lifecycle.adopt: never to create another task.`;
    return { type: 'blocked', reason: 'uncertain', text, ids };
  }

  private besides(desired: DesiredTask, found: readonly Entry[]): TaskMatch {
    const [holder] = found;
    if (!this.kind.uniqueTarget || holder === undefined) return { type: 'create' };
    const text = `The task ${holder.task.id} has the target ${desired.target_wallet} already, and only one task can copy a target. Set metadata.id to adopt that task, or remove it.`;
    return { type: 'blocked', reason: 'target-held', text, ids: [holder.task.id] };
  }

  private looksAlike(desired: DesiredTask, { task, remark }: Entry): boolean {
    const sameNote = desired.note !== '' && remark.note === desired.note;
    const sameName = remark.type === 'marked' && remark.marker.name === desired.name;
    return sameNote || sameName || this.configText(task.config) === this.configText(desired.config);
  }

  private heldBy(desired: DesiredTask, { task, remark }: Entry): Blocked {
    if (remark.type === 'marked') {
      const { project, name } = remark.marker;
      const way = this.index.isOurs(remark)
        ? `of ${project}/${name}, the former name of this project: set metadata.previous_name: ${name}, or metadata.id.`
        : `of project ${project}. ${waysToForeign(project, name === desired.name)}.`;
      return {
        type: 'blocked',
        reason: 'foreign',
        text: `The target is already used by the task ${task.id} ${way}`,
        ids: [task.id],
      };
    }
    const text = `The task ${task.id} with the same target has a damaged marker. Set metadata.id to adopt it, or repair its remark in the web application.`;
    return { type: 'blocked', reason: 'damaged', text, ids: [task.id] };
  }

  /**
   * The current task of this name, if somebody else owns it now: a plan of an earlier commit must not create another
   * one.
   */
  private foreignTwin(desired: DesiredTask, { task, remark }: Entry): Blocked {
    const { project, name } = remark.type === 'marked' ? remark.marker : { project: '', name: '' };
    const way = this.index.isOurs(remark)
      ? `of ${project}/${name}, the former name of this project, has the same target and looks like this one. If it is the same task, set metadata.previous_name: ${name}`
      : `of project ${project} has the same target and looks like this one. ${waysToForeign(project, name === desired.name)}`;
    const text = `The task ${task.id} ${way}; lifecycle.adopt: never creates another task.`;
    return { type: 'blocked', reason: 'uncertain', text, ids: [task.id] };
  }

  private configText(config: JsonObject): string {
    let text = this.configs.get(config);
    if (text === undefined) {
      text = canonicalJson(currentConfig(this.kind.config, config));
      this.configs.set(config, text);
    }
    return text;
  }
}

function fingerprint(task: Pick<DesiredTask, 'target_wallet' | 'note'>, config: string): string {
  return `${task.target_wallet}\n${task.note}\n${config}`;
}

function adopt({ task, remark }: Entry, reason: 'marker-lost' | 'target-held'): TaskMatch {
  return { type: 'adopt', task, note: remark.note, reason };
}
