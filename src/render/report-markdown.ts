import type { Left, PlanDiagnostic } from '../model/generated/plan.ts';
import type { ApplyReport, ChangeResult } from '../model/generated/report.ts';
import { count } from './layout.ts';
import { foldedSection, listSection, noteSections } from './markdown/blocks.ts';
import { markdownCode, markdownText } from './markdown/escape.ts';
import {
  type Fitted,
  fitDocument,
  type MarkdownDocument,
  type Section,
  wholeDocument,
} from './markdown/fit.ts';
import { hiddenHeader } from './markdown/header.ts';
import { leftSection } from './markdown/left.ts';
import { subjectText } from './markdown/subject.ts';
import { overridesText } from './overrides-text.ts';
import { longestPauses, pausedTimes, pausedWords, secondsText } from './paused-times.ts';
import { countsText, errorLines, remedy, sentenceOf, stepsLeft, tradingText } from './report-words.ts';

/** What an apply did, for the people who merged: what was left paused first, then what did not work, then what is done. */
export function reportMarkdown(report: ApplyReport, held: ReadonlySet<string> = new Set()): string {
  return wholeDocument(reportDocument(report, held));
}

/** The same in at most `maxBytes`. What is done is done: where nothing else fits, the counts alone are the report. */
export function reportMarkdownWithin(
  report: ApplyReport,
  held: ReadonlySet<string>,
  maxBytes: number,
): string {
  const fitted: Fitted = fitDocument(reportDocument(report, held), maxBytes);
  return 'text' in fitted ? fitted.text : `**${countsText(report)}**\n`;
}

function reportDocument(report: ApplyReport, held: ReadonlySet<string>): MarkdownDocument {
  const { project, environment, plan_digest: digest, left_digest: left, changes } = report;
  const header = hiddenHeader('apply', { project, environment, digest: left ?? digest });
  const trading = tradingText(report);
  return {
    head: [
      `${header}\n## Apply of ${subjectText(report)}`,
      `**${countsText(report)}**${trading === undefined ? '' : ` ${trading}`}`,
    ].join('\n\n'),
    seeAll: 'The log of the job and `-o json` have all of it.',
    sections: [
      ...leftPaused(report),
      ...TROUBLE.flatMap((kind) => trouble(changes, kind)),
      ...stillHeld(changes, held),
      ...leftSection({ left: report.left as unknown as readonly Left[] | undefined }),
      ...letThrough(report),
      // The schema of a report says no more than that these are objects.
      ...noteSections(report.diagnostics as unknown as PlanDiagnostic[]),
      ...withoutTrading(report),
      ...done(changes),
      {
        least: `Digest of the plan ${markdownCode(digest)}${left === undefined ? '' : `, of what is left ${markdownCode(left)}`}`,
        forms: [],
      },
    ],
  };
}

function leftPaused({ left_paused }: ApplyReport): readonly Section[] {
  if (left_paused.length === 0) return [];
  const list = listSection(
    'Left paused: ran before, and git wants it running',
    left_paused.map(
      ({ address, id, text }) =>
        `${markdownCode(address)}${id === null ? '' : ` ${markdownCode(id)}`}: ${markdownText(text)}`,
    ),
    { weight: 100, name: (number) => count(number, 'task left paused', 'tasks left paused') },
  );
  const next =
    'Run `tradeform plan`: a start that is still pending is finished by the next apply; what is held starts with `tradeform apply --resume-stopped ADDRESS`.';
  return [...list, { forms: [{ weight: 70, head: next }] }];
}

interface Trouble {
  readonly status: ChangeResult['status'];
  readonly title: string;
  readonly weight: number;
}

const TROUBLE: readonly Trouble[] = [
  { status: 'failed', title: 'Failed', weight: 95 },
  { status: 'unknown', title: 'Unknown', weight: 94 },
  { status: 'skipped', title: 'Skipped', weight: 85 },
  { status: 'blocked', title: 'Blocked: nothing was done to these', weight: 80 },
  { status: 'held', title: 'Held: stays paused until the manifests or you ask anew', weight: 60 },
];

function trouble(changes: readonly ChangeResult[], { status, title, weight }: Trouble): readonly Section[] {
  const found = changes.filter((change) => change.status === status);
  return listSection(title, found.map(resultItem), {
    weight,
    name: (number) => `${number} ${status}`,
  });
}

function resultItem(change: ChangeResult): string {
  const { error, request_ids } = change;
  const text = sentenceOf(change);
  return [
    `${headOf(change)}${text === '' ? '' : `: ${markdownText(text)}`}`,
    ...[...errorLines(change), ...stepsLeft(change)].map(markdownText),
    ...(error === undefined || request_ids.length === 0 ? [] : [requestsText(request_ids)]),
    ...remedy(change).map((line) => `→ ${markdownText(line)}`),
  ].join('\n  - ');
}

function headOf({ address, actions }: ChangeResult): string {
  const words = actions.filter((action) => action !== 'none').join(', ');
  return `${markdownCode(address)}${words === '' ? '' : ` (${markdownText(words)})`}`;
}

function requestsText(ids: readonly string[]): string {
  return `${ids.length === 1 ? 'request' : 'requests'} ${ids.map(markdownCode).join(', ')}`;
}

/** Done does not mean that it runs. */
function stillHeld(changes: readonly ChangeResult[], held: ReadonlySet<string>): readonly Section[] {
  const found = changes.filter(({ address, status }) => status === 'done' && held.has(address));
  return listSection(
    'Still held: the change was written, the task stays paused',
    found.map(({ address }) => markdownCode(address)),
    { weight: 58, name: (number) => `${number} still held` },
  );
}

function withoutTrading(report: ApplyReport): readonly Section[] {
  const times = pausedTimes(report);
  if (times.tasks.length === 0) return [];
  const head = `**Without trading (${times.tasks.length}):** ${markdownText(pausedWords(times))}`;
  const items = longestPauses(times).map(({ address, ms }) => `${markdownCode(address)} ${secondsText(ms)}`);
  return [
    {
      name: 'how long tasks did not trade',
      forms: [
        {
          weight: 57,
          head: items.length === 0 ? head : `${head}\n`,
          items: items.map((item) => `- ${item}`),
        },
      ],
    },
  ];
}

function letThrough({ overrides }: ApplyReport): readonly Section[] {
  const text = overridesText(overrides);
  if (text === undefined) return [];
  return [
    {
      name: 'what `--override` let through',
      forms: [{ weight: 88, head: `**Let through by \`--override\`:** ${markdownText(text)}` }],
    },
  ];
}

function done(changes: readonly ChangeResult[]): readonly Section[] {
  const items = changes
    .filter(({ status }) => status === 'done')
    .map((change) => {
      const text = sentenceOf(change);
      const requests = change.request_ids.length === 0 ? '' : `, ${requestsText(change.request_ids)}`;
      return `${headOf(change)}${text === '' ? '' : `: ${markdownText(text)}`}${requests}`;
    });
  return foldedSection('Done', items, { weight: 50, name: (number) => `${number} done` });
}
