import type { Change } from '../../model/generated/plan.ts';
import { BEFORE, THIS_CHANGE } from '../base-text.ts';
import { chainWords, type OperationIndex } from '../chain-words.ts';
import { count } from '../layout.ts';
import { actionWords, REASONS } from '../words.ts';
import { folded, names } from './blocks.ts';
import { type Brevity, diffFence } from './diff.ts';
import { htmlCode, markdownCode, markdownText } from './escape.ts';
import type { Section } from './fit.ts';
import { fieldsOf, type Group } from './groups.ts';

/** A dozen lines say what kind of change it is; of something new the first say whose it is. */
const BRIEF: Brevity = { lines: 12, characters: 160 };
const BRIEF_NEW: Brevity = { lines: 6, characters: 160 };

/** The differences of each group, collapsed; long ones are shortened before any is left out. */
export function detailsSection(
  groups: readonly Group[],
  operations: OperationIndex,
  weight: number,
): readonly Section[] {
  if (groups.length === 0) return [];
  const blocks = (isBrief: boolean) =>
    groups.map(
      (group, index) =>
        `${index === 0 ? '' : '\n'}${detailsOf(group, operations, isBrief ? brevityOf(group) : undefined)}`,
    );
  const left = (number: number) =>
    `field differences of ${count(groups.slice(groups.length - number).flatMap(({ changes }) => changes).length, 'change')}`;
  const brief = blocks(true);
  const full = blocks(false);
  const isLong = full.some((block, index) => block !== brief[index]);
  return [
    {
      name: left(groups.length),
      forms: [
        {
          weight,
          items: brief,
          rest: (number) => `\nDifferences of ${number} more are left out.`,
          misses: (number) =>
            number > 0 ? left(number) : isLong ? 'the ends of long differences' : undefined,
        },
        ...(isLong ? [{ weight: weight - 25, items: full }] : []),
      ],
    },
  ];
}

function brevityOf({ first }: Group): Brevity {
  return first.action === 'create' ? BRIEF_NEW : BRIEF;
}

/** One collapsed block: who, why, what differs, and the requests in order. */
export function detailsOf(group: Group, operations: OperationIndex, brevity?: Brevity): string {
  const { first, changes } = group;
  const chain = chainWords(first, operations);
  const body = [
    ...(changes.length === 1
      ? []
      : [
          names(
            changes.map(({ address }) => address),
            markdownCode,
          ),
        ]),
    `${markdownText(REASONS[first.reason])}${formerly(first)}${first.held ? ' Held: it stays paused; only these fields are written.' : ''}`,
    ...fences(group, brevity),
    ...(chain === '' ? [] : [`Requests: ${markdownText(chain)}`]),
  ];
  return folded(`${summaryOf(group)}: ${actionWords(first)}`, body.join('\n\n'));
}

function summaryOf({ first, changes }: Group): string {
  if (changes.length === 1) return htmlCode(first.address);
  return `${changes.length} × ${htmlCode(`${first.kind}/…`)}, ${htmlCode(first.name)} and ${changes.length - 1} more`;
}

function formerly({ previous_address: former }: Change): string {
  return former === null ? '' : ` Formerly ${markdownCode(former)}.`;
}

/** With a base, what this change does is apart from what was pending or drifted before. */
function fences(group: Group, brevity: Brevity | undefined): string[] {
  const fields = fieldsOf(group);
  const fence = (list: typeof fields) => (list.length === 0 ? [] : [diffFence(list, brevity).join('\n')]);
  const former = fields.filter(({ provenance }) => provenance === 'before');
  if (group.first.provenance !== 'both' || former.length === 0) return fence(fields);
  const own = fields.filter(({ provenance }) => provenance !== 'before');
  return [...(own.length === 0 ? [] : [`${THIS_CHANGE}:`, ...fence(own)]), `${BEFORE}:`, ...fence(former)];
}
