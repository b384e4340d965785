import type { Field } from '../model/generated/plan.ts';
import { SECRET } from '../model/secret.ts';
import { isUnordered } from '../model/shape.ts';
import { type ListLine, listDiff } from './list-diff.ts';
import { visible } from './untrusted.ts';
import { ABSENT, pairText, valueText } from './value-text.ts';

/** One field that differs, ready to be laid out; a side is undefined where the field is absent there. */
export interface FieldSides {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly note: string;
  /** `manifests/dawn.yaml:12`, or empty. */
  readonly place: string;
  /** Of lists and of texts of several lines: what differs in them. */
  readonly list?: {
    readonly lines: readonly ListLine[];
    readonly unit: 'item' | 'line' | 'member';
  };
}

export function differenceOf(field: Field): FieldSides {
  const { before, after, legacy, sensitive } = field;
  const sides = (was: string, becomes: string, note = '') => ({
    path: visible(field.path),
    before: before === undefined ? undefined : was,
    after: after === undefined ? undefined : becomes,
    note,
    place: originText(field),
  });
  if (sensitive) return sides(SECRET, SECRET);
  if (legacy === true) {
    const note =
      after === undefined ? 'legacy, will be dropped' : 'absent in the legacy config, will be added';
    return sides(valueText(before), valueText(after), note);
  }
  const pair = pairText(before, after);
  const whole = sides(pair.before, pair.after);
  if (Array.isArray(before) && Array.isArray(after)) {
    const unordered = isUnordered(field.path);
    const lines = listDiff(before.map(valueText), after.map(valueText), { unordered });
    if (lines.some(({ sign }) => sign !== 'same'))
      return { ...whole, list: { lines, unit: unordered ? 'member' : 'item' } };
  } else if ([before, after].some((side) => typeof side === 'string' && side.includes('\n'))) {
    return { ...whole, list: { lines: listDiff(rows(before), rows(after)), unit: 'line' } };
  }
  return whole;
}

function rows(value: unknown): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? value.split('\n').map(visible) : [valueText(value)];
}

export function originText(field: Pick<Field, 'origin'>): string {
  return field.origin === undefined ? '' : placeText(field.origin);
}

/** `manifests/dawn.yaml:12`. */
export function placeText({ file, line }: NonNullable<Field['origin']>): string {
  return `${visible(file)}:${line}`;
}

/** `0.5 → 0.75`, `(absent) → 1`. */
export function sidesText({ before = ABSENT, after = ABSENT }: Pick<FieldSides, 'before' | 'after'>): string {
  return `${before} → ${after}`;
}
