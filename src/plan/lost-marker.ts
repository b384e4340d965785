import type { DesiredTask } from '../desired/state.ts';
import { canonicalJson, type JsonObject } from '../model/json.ts';
import type { TaskKind } from '../model/kind.ts';
import type { Remark } from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';
import { currentConfig } from '../model/shape.ts';
import type { Blocked, TaskMatch } from './identity.ts';
import type { LiveIndex } from './live-index.ts';

/**
 * Desired tasks without an owner: their marker may have been lost (DESIGN 3, "Lost marker"). A certain match is
 * adopted, a weaker one blocks the create, since a duplicate would trade twice.
 */
export class LostMarkers {
  private readonly kind: TaskKind;
  private readonly ownerless: readonly DesiredTask[];
  private readonly adopted = new Set<string>();
  private readonly candidates = new Map<string, { task: LiveTask; remark: Remark }[]>();
  private readonly configs = new Map<JsonObject, string>();
  private readonly wanted = new Map<string, number>();

  constructor(
    kind: TaskKind,
    ownerless: readonly DesiredTask[],
    index: LiveIndex,
    claimed: ReadonlySet<string>,
  ) {
    this.kind = kind;
    this.ownerless = ownerless;
    for (const [id, entry] of index.byId) {
      if (claimed.has(id) || index.isOurs(entry.remark)) continue;
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

  /** What is adopted for certain is no candidate for another task any more, which may settle that one too. */
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
    if (obstacle !== undefined) return heldBy(obstacle);
    const twin = others.find((entry) => this.looksAlike(desired, entry));
    if (twin !== undefined) return foreignTwin(twin);
    if (holder !== undefined && plain.length === 1) return adopt(holder, 'target-held');
    return this.fromPlain(desired, plain);
  }

  private fromPlain(desired: DesiredTask, plain: readonly { task: LiveTask; remark: Remark }[]): TaskMatch {
    const config = this.configText(desired.config);
    const similar = plain
      .map((entry) => ({
        entry,
        config: this.configText(entry.task.config) === config,
        note: desired.note !== '' && noteOf(entry.remark) === desired.note,
      }))
      .filter((candidate) => candidate.config || candidate.note);
    const [only] = similar;
    if (only === undefined) return { type: 'create' };
    const wanted = this.wanted.get(fingerprint(desired, config));
    const certain = similar.length === 1 && only.config && only.note && wanted === 1;
    if (certain) return adopt(only.entry, 'marker-lost');
    const ids = similar.map(({ entry }) => entry.task.id).sort();
    const text = `${ids.length === 1 ? 'An unmanaged task' : `${ids.length} unmanaged tasks`} with the same target looks alike: ${ids.join(', ')}. Set metadata.id to adopt one, or lifecycle.adopt: never to create beside.`;
    return { type: 'blocked', reason: 'uncertain', text, ids };
  }

  private besides(desired: DesiredTask, found: readonly { task: LiveTask; remark: Remark }[]): TaskMatch {
    const [holder] = found;
    if (!this.kind.uniqueTarget || holder === undefined) return { type: 'create' };
    const text = `The target ${desired.target_wallet} is held by the task ${holder.task.id}, and a target can be copied by one task only. Set metadata.id to adopt it, or remove it.`;
    return { type: 'blocked', reason: 'target-held', text, ids: [holder.task.id] };
  }

  private looksAlike(desired: DesiredTask, { task, remark }: { task: LiveTask; remark: Remark }): boolean {
    const sameNote = desired.note !== '' && noteOf(remark) === desired.note;
    return sameNote || this.configText(task.config) === this.configText(desired.config);
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

function heldBy({ task, remark }: { task: LiveTask; remark: Remark }): Blocked {
  if (remark.type === 'marked') {
    const text = `The target is held by the task ${task.id} of project ${remark.marker.project}.`;
    return { type: 'blocked', reason: 'foreign', text, ids: [task.id] };
  }
  const text = `The task ${task.id} with the same target has a damaged marker. Set metadata.id to adopt it, or mend its remark.`;
  return { type: 'blocked', reason: 'damaged', text, ids: [task.id] };
}

/** Two projects with one task: most likely the project was given another name. */
function foreignTwin({ task, remark }: { task: LiveTask; remark: Remark }): Blocked {
  const owner = remark.type === 'marked' ? remark.marker.project : '';
  const text = `The task ${task.id} of project ${owner} has the same target and looks alike: was this project renamed? lifecycle.adopt: never creates beside it.`;
  return { type: 'blocked', reason: 'foreign', text, ids: [task.id] };
}

function adopt(
  { task, remark }: { task: LiveTask; remark: Remark },
  reason: 'marker-lost' | 'target-held',
): TaskMatch {
  return { type: 'adopt', task, note: noteOf(remark), reason };
}

function noteOf(remark: Remark): string {
  return remark.type === 'damaged' ? '' : remark.note;
}
