import type { Change, Plan } from '../model/generated/plan.ts';
import { SECRET } from '../model/secret.ts';
import { chainWords, indexOperations, type OperationIndex } from './chain-words.ts';
import { exposureMarkdown } from './exposure-lines.ts';
import { originText, placeText } from './field-lines.ts';
import { markdownCode, markdownFence, markdownText } from './markdown-escape.ts';
import { overridesText } from './overrides-text.ts';
import { hasWork, selectionText, summaryLine } from './plan-summary.ts';
import { visible } from './untrusted.ts';
import { pairText, valueText } from './value-text.ts';
import { actionWords, REASONS } from './words.ts';

/** The plan for reviewers, as Markdown that GitHub and GitLab show alike. A pure function of the plan. */
export function planMarkdown(plan: Plan): string {
  const operations = indexOperations(plan.operations);
  const changes = plan.changes.filter((change) => change.blocked === null && hasWork(change));
  const where = plan.environment === null ? '' : `, environment ${markdownCode(plan.environment)}`;
  const selection = selectionText(plan, markdownCode);
  const letThrough = overridesText(plan.overrides);
  const parts = [
    [
      `## Plan for ${markdownCode(plan.project)}${where}`,
      '',
      ...(selection === undefined ? [] : [selection, '']),
      `**${summaryLine(plan)}**`,
    ],
    tradingLines(plan),
    exposureMarkdown(plan),
    tableLines(changes),
    ...changes.map((change) => detailLines(change, operations)),
    listLines('Held', plan.changes.filter((change) => change.held).map(sentence)),
    listLines('Blocked', plan.changes.filter((change) => change.blocked !== null).map(sentence)),
    listLines('Not managed by this project', plan.observations.map(observationLine)),
    letThrough === undefined
      ? []
      : [`**Let through by --override, for this plan alone:** ${markdownText(letThrough)}`],
    listLines('Notes', plan.diagnostics.map(noteLine)),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function tradingLines({ changes, observations, exposure }: Plan): string[] {
  const names = (list: readonly Change[]) => list.map(({ address }) => markdownCode(address)).join(', ');
  const starts = changes.filter((change) => change.starts_trading);
  const stops = changes.filter((change) => change.stops_trading);
  const strays = observations.filter((item) => item.running && item.class !== 'foreign');
  return [
    ...(starts.length === 0 ? [] : [`- **Starts trading (${starts.length}):** ${names(starts)}`]),
    ...(stops.length === 0 ? [] : [`- **Stops trading (${stops.length}):** ${names(stops)}`]),
    ...(strays.length === 0
      ? []
      : [
          `- **Runs without git (${strays.length}):** ${strays.map(({ id }) => markdownCode(id)).join(', ')}`,
        ]),
    `- **At stake per trigger:** ${exposure.before} → ${exposure.after} SOL, ${exposure.running_before} → ${exposure.running_after} running`,
  ];
}

function tableLines(changes: readonly Change[]): string[] {
  if (changes.length === 0) return [];
  return [
    '| Address | Action | Why | At stake (SOL) |',
    '| --- | --- | --- | --- |',
    ...changes.map(
      (change) =>
        `| ${markdownCode(change.address)} | ${actionWords(change)} | ${REASONS[change.reason]} | ${change.exposure.secret === true ? SECRET : `${change.exposure.before} → ${change.exposure.after}`} |`,
    ),
  ];
}

function detailLines(change: Change, operations: OperationIndex): string[] {
  const chain = chainWords(change, operations);
  return [
    `<details><summary>${markdownText(change.address)}: ${actionWords(change)}</summary>`,
    '',
    ...markdownFence('diff', change.fields.flatMap(diffLines)),
    '',
    ...(chain === '' ? [] : [`Requests: ${markdownText(chain)}`, '']),
    '</details>',
  ];
}

function diffLines(field: Change['fields'][number]): string[] {
  const place = originText(field);
  const path = visible(field.path);
  const pair = field.sensitive
    ? {
        before: field.before === undefined ? undefined : SECRET,
        after: field.after === undefined ? undefined : SECRET,
      }
    : bothSides(field.before, field.after);
  const legacy = field.legacy === true ? '  # legacy, will be dropped' : '';
  return [
    ...(pair.before === undefined ? [] : [`- ${path}: ${pair.before}${legacy}`]),
    ...(pair.after === undefined ? [] : [`+ ${path}: ${pair.after}${place === '' ? '' : `  # ${place}`}`]),
  ];
}

function bothSides(
  before: unknown,
  after: unknown,
): { before: string | undefined; after: string | undefined } {
  if (before === undefined) return { before: undefined, after: valueText(after) };
  if (after === undefined) return { before: valueText(before), after: undefined };
  return pairText(before, after);
}

function sentence(change: Change): string {
  return `${markdownCode(change.address)}: ${change.blocked === null ? REASONS[change.reason] : markdownText(change.blocked.text)}`;
}

function observationLine({ kind, id, remark, running, text }: Plan['observations'][number]): string {
  return `${kind} ${markdownCode(id)} ${markdownCode(remark)}, ${running ? '**running**' : 'not running'}: ${markdownText(text)}`;
}

function noteLine({ severity, code, message, hint, location }: Plan['diagnostics'][number]): string {
  return [
    `${severity} ${markdownCode(code)}: ${markdownText(message)}`,
    ...(location === undefined ? [] : [markdownCode(placeText(location))]),
    // What refuses a plan says what to do.
    ...(severity === 'error' && hint !== undefined ? [markdownText(hint)] : []),
  ].join(' ');
}

function listLines(title: string, items: readonly string[]): string[] {
  return items.length === 0
    ? []
    : [`### ${title} (${items.length})`, '', ...items.map((item) => `- ${item}`)];
}
