import { compareTexts } from '../../model/compare-texts.ts';
import type { Observation } from '../../model/generated/plan.ts';
import type { TaskKind } from '../../model/kind.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type Bystander, type Orphan, ownedBy } from './task-match.ts';

/** The tasks that this plan leaves alone, with one sentence each: running ones first, unmanaged before all others. */
export function observe(
  kind: TaskKind,
  bystanders: readonly Bystander[],
  kept: readonly Orphan[],
): readonly Observation[] {
  const seen = (reason: Observation['class'], task: LiveTask, text: string): Observation => ({
    class: reason,
    kind: kind.collection,
    id: task.id,
    remark: task.remark,
    running: task.is_active,
    text,
  });
  const orphans = kept.flatMap((orphan) => (orphan.type === 'conflict' ? [] : ownedBy(orphan)));
  return [
    ...bystanders.map(({ class: reason, task, remark, before }) => {
      const owner = remark.type === 'marked' ? remark.marker.project : '';
      if (reason === 'unmanaged' && remark.type === 'damaged') return seen(reason, task, LOOKS_LIKE_ONE);
      return seen(reason, task, before === undefined ? TEXTS[reason](owner) : BEFORE[before](owner));
    }),
    ...orphans.map(({ task }) => seen('kept', task, 'Its manifest was removed, and prune.tasks keeps it.')),
  ];
}

const TEXTS: Readonly<Record<Bystander['class'], (owner: string) => string>> = {
  unmanaged: () => 'It has no marker: it is not managed from git, and is left alone.',
  foreign: (owner) => `It belongs to project ${owner} and is left alone.`,
  damaged: () =>
    'Its remark ends in something like a marker: it is left alone. A manifest with metadata.id manages it; `tradeform release --id ID` takes the end away.',
  conflict: () =>
    'It carries the marker of another task (a clone?). It is left alone until metadata.id or release resolves this.',
};

const LOOKS_LIKE_ONE =
  'Its remark only looks like a marker: it is not managed from git. metadata.id adopts it.';

const BEFORE: Readonly<Record<NonNullable<Bystander['before']>, (owner: string) => string>> = {
  unnamed: (owner) =>
    `It has the marker of ${owner}, the former name of this project, and no manifest names it: it is left alone. Write a manifest with its name or metadata.id, or delete it on the service.`,
  beside: (owner) =>
    `It has the marker of ${owner}, the former name of this project, and another task has its name now: it is left alone. Remove its marker with \`tradeform release --id ID\`, or delete it on the service.`,
};

const CLASS_ORDER: readonly Observation['class'][] = ['unmanaged', 'conflict', 'damaged', 'foreign', 'kept'];

export function sortObservations(observations: readonly Observation[]): Observation[] {
  return [...observations].sort(
    (a, b) =>
      Number(b.running) - Number(a.running) ||
      CLASS_ORDER.indexOf(a.class) - CLASS_ORDER.indexOf(b.class) ||
      compareTexts(a.kind, b.kind) ||
      compareTexts(a.id, b.id),
  );
}
