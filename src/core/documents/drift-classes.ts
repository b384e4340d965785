import type { DriftClass } from '../model/generated/drift.ts';

/** All classes in the order of display, the most expensive first. */
export const DRIFT_CLASSES = [
  'started',
  'conflict',
  'interrupted',
  'stopped',
  'changed',
  'unknown',
  'missing',
  'damaged',
  'pending',
  'unmanaged',
  'foreign',
] as const satisfies readonly DriftClass[];

/** The meaning of each class in one line: the rules of the formats for machines, and the titles in text. */
export const CLASS_WORDS: Readonly<Record<DriftClass, string>> = {
  started: 'Git wants it paused, but it runs.',
  conflict: 'Several tasks carry its name.',
  interrupted: 'An apply stopped part-way.',
  stopped: 'Git wants it running, but somebody or buy_once stopped it.',
  changed: 'Somebody changed it on the service since the last apply.',
  unknown:
    'It differs, and nobody knows who changed it: it was written from a commit that is not in this history, or its value comes from the environment.',
  missing: 'Git has it, but the service does not.',
  damaged: 'Its marker cannot be read.',
  pending: 'Git moved on, and nobody changed it on the service.',
  unmanaged: 'It is not managed from git.',
  foreign: 'It belongs to another project.',
};

/** Reported, but a failure only if --fail-on names them. */
const HARMLESS: ReadonlySet<DriftClass> = new Set(['unmanaged', 'foreign']);

export interface DriftPolicy {
  /** Classes that never cause exit code 2. */
  readonly ignore: readonly DriftClass[];
  /** Classes that always cause exit code 2, even if they are otherwise only reported. */
  readonly failOn: readonly DriftClass[];
}

/** Whether the item causes exit code 2. A stopped task with buy_once probably stopped itself. */
export function failsFor(
  { class: kind, buy_once }: { readonly class: DriftClass; readonly buy_once: boolean },
  { ignore, failOn }: DriftPolicy,
): boolean {
  if (ignore.includes(kind)) return false;
  if (failOn.includes(kind)) return true;
  return !HARMLESS.has(kind) && !(kind === 'stopped' && buy_once);
}
