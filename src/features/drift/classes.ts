import type { DriftClass } from '../../model/generated/drift.ts';

/** All classes, the dearest first: in this order items are shown. */
export const DRIFT_CLASSES = [
  'started',
  'conflict',
  'interrupted',
  'stopped',
  'changed',
  'missing',
  'damaged',
  'pending',
  'unmanaged',
  'foreign',
] as const satisfies readonly DriftClass[];

/** One line of what a class means: the rules of the machine formats, and the titles of the text. */
export const CLASS_WORDS: Readonly<Record<DriftClass, string>> = {
  started: 'Git wants it paused, but it runs.',
  conflict: 'Several tasks carry its name.',
  interrupted: 'An apply stopped part-way.',
  stopped: 'Git wants it running, but somebody or buy_once stopped it.',
  changed: 'It was changed on the service: no commit has these values.',
  missing: 'Git has it, but the service does not.',
  damaged: 'Its marker cannot be read.',
  pending: 'Git moved on, and nobody changed it on the service: an earlier commit has these values.',
  unmanaged: 'It is not managed from git.',
  foreign: 'It belongs to another project.',
};

/** Reported, and no failure unless --fail-on names them. */
const HARMLESS: ReadonlySet<DriftClass> = new Set(['unmanaged', 'foreign']);

export interface DriftPolicy {
  /** Classes for which the command never ends with 2. */
  readonly ignore: readonly DriftClass[];
  /** Classes for which it always does, those that are only reported otherwise too. */
  readonly failOn: readonly DriftClass[];
}

/** Whether the command ends with 2 for it. A stop of a task with buy_once is most likely its own. */
export function failsFor(
  { class: kind, buy_once }: { readonly class: DriftClass; readonly buy_once: boolean },
  { ignore, failOn }: DriftPolicy,
): boolean {
  if (ignore.includes(kind)) return false;
  if (failOn.includes(kind)) return true;
  return !HARMLESS.has(kind) && !(kind === 'stopped' && buy_once);
}
