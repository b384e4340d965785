import { isObject, type Json } from '../model/json.ts';
import { SECRET } from '../model/secret.ts';
import type { ApprovedDifference, ChangeDifference, PlanDifference } from '../plan/review/plan-difference.ts';
import { isNothing } from '../plan/review/plan-difference.ts';
import type { Tone } from './layout.ts';
import { ABSENT, pairText, valueText } from './value-text.ts';
import { type Row, section, type View } from './view.ts';
import { ACTIONS } from './words.ts';

/** The differences between the approved plan and the current one. */
export function planDifferenceView(difference: PlanDifference): View {
  const { subject, gone, added, different } = difference;
  const counts = [
    [subject.length, 'made for something else'],
    [gone.length, 'no longer needed'],
    [added.length, 'not approved'],
    [different.length, 'not as approved'],
  ] as const;
  return {
    command: 'apply',
    bare: true,
    subject: { project: null, environment: null },
    verdict: isNothing(difference)
      ? 'No difference can be shown. Either a value from the environment differs, or another version of tradeform made the approved plan.'
      : counts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`])).join(' · '),
    tone: 'strong',
    parts: [
      ...section(subject.flatMap(sides), {
        title: 'Made for something else',
        tone: 'error',
        number: subject.length,
      }),
      ...changes('Approved, but no longer needed', ['-', 'remove'], gone),
      ...changes('Not approved', ['+', 'add'], added),
      ...changes('Not as approved', ['~', 'change'], different),
    ],
  };
}

function changes(title: string, [sign, tone]: readonly [string, Tone], all: readonly ChangeDifference[]) {
  const rows = all.flatMap(({ address, actions, differences }): Row[] => [
    { sign, tone, names: [address], text: actions.map((action) => ACTIONS[action].word).join(', ') },
    // For a change that is in only one of the plans: the field as in that plan.
    ...differences.flatMap((one) =>
      sign === '~' ? sides(one) : [{ sign: ' ', names: [one.path], text: sideText(one.approved ?? one.now) }],
    ),
  ]);
  return section(rows, { title, tone: 'strong', number: all.length });
}

function sides({ path, approved, now }: ApprovedDifference): readonly Row[] {
  return [
    { sign: ' ', names: [path], text: '' },
    { sign: '  -', tone: 'remove', names: [], text: `approved  ${sideText(approved)}` },
    { sign: '  +', tone: 'add', names: [], text: `now       ${sideText(now)}` },
  ];
}

/** A field as `before → after`, anything else as a value. */
function sideText(value: Json | undefined): string {
  if (value === undefined) return 'no change';
  if (!isObject(value) || !('before' in value || 'after' in value)) return valueText(value);
  const { before, after } =
    value.before === SECRET || value.after === SECRET
      ? { before: hiddenText(value.before), after: hiddenText(value.after) }
      : pairText(value.before, value.after);
  if (before === ABSENT) return after;
  return after === ABSENT ? `${before}, gone` : `${before} → ${after}`;
}

function hiddenText(value: Json | undefined): string {
  return value === undefined ? ABSENT : SECRET;
}
