import type { Change } from '../../model/generated/plan.ts';
import { BEFORE, THIS_CHANGE } from '../base-text.ts';
import { chainWords, type OperationIndex } from '../chain-words.ts';
import { actionWords, REASONS } from '../words.ts';
import { folded, names } from './blocks.ts';
import { diffFence } from './diff.ts';
import { htmlCode, markdownCode, markdownText } from './escape.ts';
import { type ChangeGroup, fieldsOf } from './groups.ts';

/** The differences of each group, collapsed, with an empty line between them. */
export function detailsText(groups: readonly ChangeGroup[], operations: OperationIndex): string {
  return groups.map((group) => detailsOf(group, operations)).join('\n\n');
}

/** One collapsed block: who, why, what differs, and the requests in order. */
export function detailsOf(group: ChangeGroup, operations: OperationIndex): string {
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
    ...fences(group),
    ...(chain === '' ? [] : [`Requests: ${markdownText(chain)}`]),
  ];
  return folded(`${summaryOf(group)}: ${actionWords(first)}`, body.join('\n\n'));
}

function summaryOf({ first, changes }: ChangeGroup): string {
  if (changes.length === 1) return htmlCode(first.address);
  return `${changes.length} × ${htmlCode(`${first.kind}/…`)}, ${htmlCode(first.name)} and ${changes.length - 1} more`;
}

function formerly({ previous_address: former }: Change): string {
  return former === null ? '' : ` Formerly ${markdownCode(former)}.`;
}

/** With a base, what this change does is apart from what was pending or drifted before. */
function fences(group: ChangeGroup): string[] {
  const fields = fieldsOf(group);
  const fence = (list: typeof fields) => (list.length === 0 ? [] : [diffFence(list).join('\n')]);
  const former = fields.filter(({ provenance }) => provenance === 'before');
  if (group.first.provenance !== 'both' || former.length === 0) return fence(fields);
  const own = fields.filter(({ provenance }) => provenance !== 'before');
  return [...(own.length === 0 ? [] : [`${THIS_CHANGE}:`, ...fence(own)]), `${BEFORE}:`, ...fence(former)];
}
