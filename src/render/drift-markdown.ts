import type { DriftClass, DriftItem, DriftReport } from '../model/generated/drift.ts';
import {
  type DriftGroup,
  driftGroups,
  driftName,
  driftVerdict,
  historyText,
  itemStake,
  policyText,
  sourceText,
  stakesText,
} from './drift-words.ts';
import { count } from './layout.ts';
import { folded, names, noteSections } from './markdown/blocks.ts';
import { diffFence } from './markdown/diff.ts';
import { markdownCode, markdownText } from './markdown/escape.ts';
import {
  type Fitted,
  fitDocument,
  type MarkdownDocument,
  type Section,
  wholeDocument,
} from './markdown/fit.ts';
import { hiddenHeader } from './markdown/header.ts';
import { selectionText } from './plan-summary.ts';

/** The report as Markdown for an issue that is updated in place. A pure function of the report. */
export function driftMarkdown(report: DriftReport): string {
  return wholeDocument(driftDocument(report));
}

/** The same in at most `maxBytes`: the numbers and what trades are in it, or it does not fit. */
export function driftMarkdownWithin(report: DriftReport, maxBytes: number): Fitted {
  return fitDocument(driftDocument(report), maxBytes);
}

/** What is cut last stands highest; what trades without git is never cut. */
const WEIGHTS: Readonly<Record<DriftClass, number>> = {
  started: 95,
  conflict: 90,
  interrupted: 88,
  stopped: 85,
  changed: 80,
  missing: 75,
  damaged: 60,
  pending: 50,
  unmanaged: 40,
  foreign: 20,
};

function driftDocument(report: DriftReport): MarkdownDocument {
  return {
    head: headOf(report),
    seeAll: 'To see all of it, run `tradeform drift`.',
    sections: [
      ...driftGroups(report).map(groupSection),
      ...noteSections(report.diagnostics),
      { least: footOf(report), forms: [] },
    ],
  };
}

function headOf(report: DriftReport): string {
  const { project, environment, drift, complete } = report;
  const where = environment === null ? '' : `, environment ${markdownCode(environment)}`;
  const selection = selectionText(report, markdownCode);
  const header = hiddenHeader('drift', { project, environment, digest: null });
  return [
    `${header}\n## Drift of ${markdownCode(project)}${where}`,
    `**${driftVerdict(report)}**`,
    ...(selection === undefined ? [] : [selection]),
    ...(drift || !complete ? [stakesText(report)] : []),
  ].join('\n\n');
}

function groupSection({ class: kind, title, items }: DriftGroup): Section {
  const stray = kind === 'unmanaged' && items[0]?.running === true;
  const weight = stray ? 97 : WEIGHTS[kind];
  const head = `### ${title} (${items.length})`;
  const costly = stray || kind === 'started';
  const all = `${head}\n\n${names(items.map(driftName), markdownCode)}`;
  return {
    name: `${count(items.length, 'item')} of ${kind}`,
    ...(costly ? { least: all } : {}),
    forms: [
      ...(costly ? [] : [{ weight: weight + 0.5, head: all }]),
      listForm(head, items.map(line), weight),
      listForm(
        head,
        items.map((item) => detailed(item)),
        weight - 40,
      ),
    ],
  };
}

function listForm(head: string, items: readonly string[], weight: number) {
  return { weight, head: `${head}\n`, items };
}

function line(item: DriftItem): string {
  const { address, remark, id, running, ignored, text, fields } = item;
  const named = address === null && remark !== null ? ` ${markdownCode(remark)}` : '';
  const stake = running ? itemStake(item) : undefined;
  const facts = [
    ...(id === null || item.kind === 'label' || item.kind.endsWith('-template')
      ? []
      : [running ? 'running' : 'not running']),
    ...(ignored ? ['ignored'] : []),
    ...(stake === undefined ? [] : [stake]),
    ...(fields.length === 0 ? [] : [count(fields.length, 'field')]),
  ];
  const said = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `- ${markdownCode(driftName(item))}${named}${said}: ${markdownText(text)}`;
}

/** Live is what a line with - says, git what one with + does. */
function detailed(item: DriftItem): string {
  const { fields } = item;
  if (fields.length === 0) return line(item);
  const past = fields.filter(({ commit }) => commit !== null && commit.hash !== item.commit?.hash);
  const said = past.map(
    ({ path, commit }) =>
      `${markdownCode(path)} is as ${markdownCode(commit?.hash.slice(0, 7) ?? '')} has it.`,
  );
  const body = [...diffFence(fields), ...(said.length === 0 ? [] : ['', said.join(' ')])].join('\n');
  const summary = `- on the service, + in git: ${count(fields.length, 'field')}`;
  return `${line(item)}\n\n${indented(folded(summary, body))}\n`;
}

/** What belongs to the list item above it. */
function indented(text: string): string {
  return text
    .split('\n')
    .map((row) => (row === '' ? '' : `  ${row}`))
    .join('\n');
}

function footOf(report: DriftReport): string {
  const history = historyText(report);
  const policy = policyText(report);
  return [
    `Git: ${markdownText(sourceText(report))}${history === undefined ? '' : `. ${markdownText(history)}`}.`,
    ...(policy === undefined ? [] : [policy]),
  ].join(' ');
}
