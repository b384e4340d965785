import type { Plan } from '../model/generated/plan.ts';
import { isRefusedAnew } from '../plan/provenance.ts';
import { THIS_CHANGE } from './base-text.ts';
import { indexOperations } from './chain-words.ts';
import { baseSections, basisLine } from './markdown/base.ts';
import { markdownCode } from './markdown/escape.ts';
import { exposureSection } from './markdown/exposure.ts';
import { type Fitted, fitDocument, type MarkdownDocument, wholeDocument } from './markdown/fit.ts';
import { type Group, groupsOf } from './markdown/groups.ts';
import { hiddenHeader } from './markdown/header.ts';
import { detailsSection } from './markdown/plan-details.ts';
import { heldAndBlocked, letThrough, notes, observed, refusals } from './markdown/plan-lists.ts';
import { isWeighty, namesSection } from './markdown/plan-names.ts';
import { changesTable, weightyTable } from './markdown/plan-tables.ts';
import { rulesSection } from './markdown/rules.ts';
import { hasWork, selectionText, summaryLine } from './plan-summary.ts';

/** The plan for reviewers, as Markdown that GitHub and GitLab show alike. A pure function of the plan. */
export function planMarkdown(plan: Plan): string {
  return wholeDocument(planDocument(plan));
}

/** The same in at most `maxBytes`: deletions, replacements, starts, stops and the summary are in it, or it does not fit. */
export function planMarkdownWithin(plan: Plan, maxBytes: number): Fitted {
  return fitDocument(planDocument(plan), maxBytes);
}

function planDocument(plan: Plan): MarkdownDocument {
  const operations = indexOperations(plan.operations);
  const worked = plan.changes.filter((change) => change.blocked === null && hasWork(change));
  const own = worked.filter(({ provenance }) => provenance !== 'before');
  const weighty = own.filter(isWeighty);
  const groups = groupsOf(
    own.filter((change) => !isWeighty(change)),
    operations,
  );
  const [trading, others] = [groups.filter(isTrading), groups.filter((group) => !isTrading(group))];
  // What many share is said once, and says most.
  const [shared, trades, rest] = [
    [...trading, ...others].filter(isShared),
    trading.filter((group) => !isShared(group)),
    others.filter((group) => !isShared(group)),
  ];
  return {
    head: headOf(plan),
    seeAll: 'To see all of it, run `tradeform plan`.',
    sections: [
      ...rulesSection(plan),
      ...refusals(plan),
      namesSection(plan),
      ...exposureSection(plan),
      ...weightyTable(weighty),
      ...detailsSection(groupsOf(weighty, operations), operations, 66),
      ...changesTable(plan.base === undefined ? 'Changes' : THIS_CHANGE, [...trading, ...others]),
      ...detailsSection(shared, operations, 64),
      ...detailsSection(trades, operations, 62),
      ...detailsSection(rest, operations, 50),
      ...heldAndBlocked(plan),
      ...baseSections(plan, worked, operations),
      ...observed(plan),
      ...letThrough(plan),
      ...notes(plan),
      { least: `Digest ${markdownCode(plan.digest)}`, forms: [] },
    ],
  };
}

function isTrading({ first }: Group): boolean {
  return first.starts_trading || first.stops_trading;
}

function isShared({ changes }: Group): boolean {
  return changes.length > 1;
}

/** What it is a plan of and what it comes to; a refused plan says so in its summary. */
function headOf(plan: Plan): string {
  const { project, environment } = plan;
  // A digest in the header is what an apply after the merge goes by: a plan that is refused was not reviewed.
  const digest = isRefusedAnew(plan) ? null : plan.digest;
  const where = environment === null ? '' : `, environment ${markdownCode(environment)}`;
  const selection = selectionText(plan, markdownCode);
  const basis = basisLine(plan);
  return [
    `${hiddenHeader('plan', { project, environment, digest })}\n## Plan for ${markdownCode(project)}${where}`,
    `**${summaryLine(plan)}**`,
    ...(selection === undefined ? [] : [selection]),
    ...(basis === undefined ? [] : [basis]),
  ].join('\n\n');
}
