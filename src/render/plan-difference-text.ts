import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { SECRET } from '../model/secret.ts';
import type { ApprovedDifference, ChangeDifference, PlanDifference } from '../plan/review/plan-difference.ts';
import { isNothing } from '../plan/review/plan-difference.ts';
import { hang } from './layout.ts';
import type { Paint, Tone } from './style.ts';
import { visible } from './untrusted.ts';
import { ABSENT, pairText, valueText } from './value-text.ts';
import { ACTION_WORDS } from './words.ts';

interface DifferenceView {
  readonly columns: number;
  readonly paint: Paint;
}

/** What differs between the approved plan and that of now, for people. Ends with a newline. */
export function planDifferenceText(difference: PlanDifference, view: DifferenceView): string {
  const { subject, gone, added, different } = difference;
  const lines = [
    ...(subject.length === 0
      ? []
      : [
          view.paint('strong', 'Made for something else'),
          ...subject.flatMap((item) => sidesLines(item, view)),
        ]),
    ...section('Approved, and not to be done any more', '-', 'remove', gone, view),
    ...section('Not approved', '+', 'add', added, view),
    ...section('Not as approved', '~', 'change', different, view),
    ...(isNothing(difference)
      ? hang(
          '',
          'Nothing differs that can be shown: a value that comes from the environment does, or another version of tradeform made the approved plan.',
          view.columns,
        )
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

function section(
  title: string,
  sign: string,
  tone: Tone,
  changes: readonly ChangeDifference[],
  view: DifferenceView,
): string[] {
  if (changes.length === 0) return [];
  const { paint } = view;
  return [
    paint('strong', `${title} (${changes.length})`),
    ...changes.flatMap(({ address, actions, differences }) => [
      `  ${paint(tone, sign)} ${visible(address)}  ${actions.map((action) => ACTION_WORDS[action]).join(', ')}`,
      ...differences.flatMap((item) => (sign === '~' ? sidesLines(item, view) : oneSide(item, view))),
    ]),
  ];
}

/** Of a change in one of the plans only: the field as that one has it. */
function oneSide({ path, approved, now }: ApprovedDifference, { columns }: DifferenceView): string[] {
  return hang('      ', `${visible(path)}: ${sideText(approved ?? now)}`, columns);
}

function sidesLines(
  { path, approved, now }: ApprovedDifference,
  { columns, paint }: DifferenceView,
): string[] {
  const sides = [
    ['approved', approved],
    ['now', now],
  ] as const;
  return [
    `      ${visible(path)}`,
    ...sides.flatMap(([name, value]) =>
      hang(`        ${name.padEnd('approved'.length)}  `, sideText(value), columns).map((line) =>
        paint(name === 'approved' ? 'remove' : 'add', line),
      ),
    ),
  ];
}

/** A field as `before → after`, anything else as a value. */
function sideText(value: Json | undefined): string {
  if (value === undefined) return 'no change';
  if (!isObject(value) || !('before' in value || 'after' in value)) return valueText(value);
  const { before, after } = isHidden(value)
    ? { before: hiddenText(value.before), after: hiddenText(value.after) }
    : pairText(value.before, value.after);
  if (before === ABSENT) return after;
  return after === ABSENT ? `${before}, gone` : `${before} → ${after}`;
}

function isHidden({ before, after }: JsonObject): boolean {
  return before === SECRET || after === SECRET;
}

function hiddenText(value: Json | undefined): string {
  return value === undefined ? ABSENT : SECRET;
}
