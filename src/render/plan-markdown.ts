import type { Change, Plan } from '../model/generated/plan.ts';
import { listedIn } from '../plan/review/digest.ts';
import { isRefusedAnew } from '../plan/review/provenance.ts';
import { dearestFirst, isRunning } from '../plan/stakes/cost.ts';
import { THIS_CHANGE } from './base-text.ts';
import { indexOperations, type OperationIndex } from './chain-words.ts';
import { costText } from './cost-words.ts';
import { onlyText } from './left-text.ts';
import { baseSections, basisLine } from './markdown/base.ts';
import { markdownCode, markdownText } from './markdown/escape.ts';
import { exposureSection } from './markdown/exposure.ts';
import {
  type Fitted,
  fitDocument,
  type MarkdownDocument,
  type Section,
  wholeDocument,
} from './markdown/fit.ts';
import { groupsOf } from './markdown/groups.ts';
import { hiddenChanges, hiddenHeader } from './markdown/header.ts';
import { leftSection } from './markdown/left.ts';
import { detailsText } from './markdown/plan-details.ts';
import { heldAndBlocked, letThrough, notes, observed, refusalSections } from './markdown/plan-lists.ts';
import { isWeighty, namesSection } from './markdown/plan-names.ts';
import { changesTable, weightyTable } from './markdown/plan-tables.ts';
import { rankedForms } from './markdown/ranked.ts';
import { rulesSection } from './markdown/rules.ts';
import { subjectText } from './markdown/subject.ts';
import { hasWork, selectionText, summaryLine } from './plan-summary.ts';
import { actionWords } from './words.ts';

/** The plan for reviewers, as Markdown that GitHub and GitLab show alike. A pure function of the plan. */
export function planMarkdown(plan: Plan): string {
  return wholeDocument(planDocument(dearestFirst(plan)));
}

/** The same in at most `maxBytes`: deletions, replacements, starts, stops and the summary are in it, or it does not fit. */
export function planMarkdownWithin(plan: Plan, maxBytes: number): Fitted {
  const ranked = dearestFirst(plan);
  const fitted = fitDocument(planDocument(ranked, maxBytes / LIST_SHARE), maxBytes);
  return 'text' in fitted ? fitted : fitDocument(planDocument(ranked, 0), maxBytes);
}

/** The list of changes takes no more than this part of a document, and no more than these bytes: people come first. */
const LIST_SHARE = 4;
const LIST_BYTES = 16_000;

function planDocument(plan: Plan, room = LIST_BYTES): MarkdownDocument {
  const list = hiddenList(plan);
  const listed = list !== undefined && list.length <= Math.min(room, LIST_BYTES);
  const operations = indexOperations(plan.operations);
  const worked = plan.changes.filter((change) => change.blocked === null && hasWork(change));
  const own = worked.filter(({ provenance }) => provenance !== 'before');
  return {
    head: headOf(plan, listed ? list : undefined),
    seeAll: 'To see all of it, run `tradeform plan`.',
    sections: [
      ...rulesSection(plan),
      ...refusalSections(plan),
      namesSection(plan),
      ...exposureSection(plan),
      ...weightyTable(own.filter(isWeighty)),
      ...changesSection(plan.base === undefined ? 'Changes' : THIS_CHANGE, own, operations),
      ...heldAndBlocked(plan),
      ...leftSection(plan),
      ...baseSections(plan, worked, operations),
      ...observed(plan),
      ...letThrough(plan),
      ...notes(plan),
      {
        least: `Digest ${markdownCode(plan.digest)}${list === undefined || listed ? '' : NOT_LISTED}`,
        forms: [],
      },
    ],
  };
}

/** Change by change where all of it has room, else field by field. */
function changesSection(
  title: string,
  own: readonly Change[],
  operations: OperationIndex,
): readonly Section[] {
  if (own.length === 0) return [];
  const weighty = groupsOf(own.filter(isWeighty), operations);
  const others = groupsOf(
    own.filter((change) => !isWeighty(change)),
    operations,
  );
  const subjects = own.map((change) => ({
    name: change.address,
    running: isRunning(change),
    fields: change.fields,
  }));
  const whole = [
    detailsText(weighty, operations),
    ...(others.length === 0 ? [] : [changesTable(title, others), detailsText(others, operations)]),
  ];
  return [
    {
      name: `what ${own.length === 1 ? '1 change' : `${own.length} changes`} would do`,
      forms: [
        ...rankedForms(subjects, {
          heading: `### ${title}, the dearest first (${own.length})`,
          names: own.map((change) => `- ${markdownCode(change.address)}: ${actionWords(change)}`),
          also: 'reasons, requests and the ends of long values',
          weights: { money: 79, names: 65, other: 56, paper: 50 },
        }),
        { weight: 49, head: whole.filter((part) => part !== '').join('\n\n') },
      ],
    },
  ];
}

const NOT_LISTED =
  '. It has more changes than this comment has room to list: if any of them falls away before it is applied, nothing is applied.';

/** Undefined where there is nothing to list: nothing is done, or the plan is refused and approves nothing. */
function hiddenList(plan: Plan): string | undefined {
  const changes = listedIn(plan);
  return isRefusedAnew(plan) || changes.length === 0 ? undefined : hiddenChanges(changes);
}

/** What it is a plan of, what it comes to and what it touches; a refused plan says so in its summary. */
function headOf(plan: Plan, list: string | undefined): string {
  const { project, environment } = plan;
  // A digest in the header is what an apply after the merge goes by: a plan that is refused was not reviewed.
  const digest = isRefusedAnew(plan) ? null : plan.digest;
  const hidden = [
    hiddenHeader('plan', { project, environment, digest }),
    ...(list === undefined ? [] : [list]),
  ];
  const selection = selectionText(plan, markdownCode);
  const basis = basisLine(plan);
  const only = onlyText(plan);
  const cost = costText(plan);
  return [
    `${hidden.join('\n')}\n## Plan for ${subjectText(plan)}`,
    `**${summaryLine(plan)}**`,
    ...(cost === undefined ? [] : [cost]),
    ...(selection === undefined ? [] : [selection]),
    ...(only === undefined ? [] : [`${markdownText(only)}.`]),
    ...(basis === undefined ? [] : [basis]),
  ].join('\n\n');
}
