import { diffArrays } from 'diff';
import { isUndone } from '../model/change.ts';
import type { Field } from '../model/generated/plan.ts';
import { SECRET } from '../model/secret.ts';
import { isUnordered } from '../model/shape.ts';
import { visible } from './untrusted.ts';
import { ABSENT, pairText, valueText } from './value-text.ts';

const UNDOES = 'somebody changed it on the service; this apply undoes it';

/** One field that differs, ready for layout. A side is undefined if the field is absent there. */
interface FieldSides {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly note: string;
  /** `manifests/dawn.yaml:12`, or empty. */
  readonly place: string;
  /** For lists and texts of several lines: the differences within them. */
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
  const whole = sides(pair.before, pair.after, isUndone(field) ? UNDOES : '');
  if (Array.isArray(before) && Array.isArray(after)) {
    const unordered = isUnordered(field.path);
    const lines = (unordered ? memberDiff : orderedDiff)(before.map(valueText), after.map(valueText));
    if (lines.some(({ sign }) => sign !== 'same'))
      return { ...whole, list: { lines, unit: unordered ? 'member' : 'item' } };
  } else if ([before, after].some((side) => typeof side === 'string' && side.includes('\n'))) {
    return { ...whole, list: { lines: orderedDiff(rows(before), rows(after)), unit: 'line' } };
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

/** One line of a diff. A `same` line only counts unchanged lines. */
type ListLine =
  | { readonly sign: '+' | '-'; readonly text: string }
  | { readonly sign: 'same'; readonly count: number };

/** Beyond this many edits, a diff by lines says less than the two texts. It also limits the time. */
const MOST_EDITS = 400;
/** A safety net for the limit above: the time of the diff is quadratic for very different texts. */
const TIMEOUT_MS = 1_000;

/** Unordered lists only lose and gain members. */
function memberDiff(before: readonly string[], after: readonly string[]): ListLine[] {
  const was = new Set(before);
  const will = new Set(after);
  const removed = before.filter((item) => !will.has(item));
  const kept = before.length - removed.length;
  return [
    ...signed('-', removed),
    ...signed(
      '+',
      after.filter((item) => !was.has(item)),
    ),
    ...(kept === 0 ? [] : [{ sign: 'same', count: kept } as const]),
  ];
}

function orderedDiff(before: readonly string[], after: readonly string[]): ListLine[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: MOST_EDITS, timeout: TIMEOUT_MS });
  if (parts === undefined) return [...signed('-', before), ...signed('+', after)];
  return parts.flatMap((part): ListLine[] => {
    if (part.removed) return signed('-', part.value);
    if (part.added) return signed('+', part.value);
    return [{ sign: 'same', count: part.value.length }];
  });
}

function signed(sign: '+' | '-', texts: readonly string[]): ListLine[] {
  return texts.map((text) => ({ sign, text }));
}
