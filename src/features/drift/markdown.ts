import type { DriftClass, DriftItem, DriftReport } from '../../model/generated/drift.ts';
import { costOf } from '../../plan/stakes/cost.ts';
import { costCounts, withCost } from '../../render/cost-words.ts';
import { count } from '../../render/layout.ts';
import { folded, names, noteSections } from '../../render/markdown/blocks.ts';
import { diffFence } from '../../render/markdown/diff.ts';
import { htmlCode, markdownCode, markdownText } from '../../render/markdown/escape.ts';
import {
  type Fitted,
  fitDocument,
  type MarkdownDocument,
  type Section,
  wholeDocument,
} from '../../render/markdown/fit.ts';
import { hiddenHeader } from '../../render/markdown/header.ts';
import { rankedForms } from '../../render/markdown/ranked.ts';
import { subjectText } from '../../render/markdown/subject.ts';
import { selectionText } from '../../render/plan-summary.ts';
import { dearestDrift } from './rank.ts';
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
} from './words.ts';

/** The report as Markdown for an issue that is updated in place. A pure function of the report. */
export function driftMarkdown(report: DriftReport): string {
  return wholeDocument(driftDocument(dearestDrift(report)));
}

/** The same in at most `maxBytes`: the numbers and what trades are in it, or it does not fit. */
export function driftMarkdownWithin(report: DriftReport, maxBytes: number): Fitted {
  return fitDocument(driftDocument(dearestDrift(report)), maxBytes);
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
      ...fieldsSection(report),
      ...noteSections(report.diagnostics),
      ...(report.drift ? [{ least: WAYS_OUT, forms: [] }] : []),
      { least: footOf(report), forms: [] },
    ],
  };
}

function headOf(report: DriftReport): string {
  const { project, environment, drift, complete, items } = report;
  const selection = selectionText(report, markdownCode);
  const differing = items.flatMap(({ fields }) => [...new Set(fields.map(({ path }) => costOf(path)))]);
  const costs = costCounts(differing.reduce((counts, cost) => withCost(counts, cost, 1), {}));
  const header = hiddenHeader('drift', { project, environment, digest: null });
  return [
    `${header}\n## Drift of ${subjectText(report)}`,
    `**${driftVerdict(report)}**`,
    ...(selection === undefined ? [] : [selection]),
    ...(drift || !complete ? [stakesText(report)] : []),
    ...(costs === '' ? [] : [`Differs in: ${costs}.`]),
  ].join('\n\n');
}

function groupSection({ class: kind, title, items }: DriftGroup): Section {
  const stray = kind === 'unmanaged' && items[0]?.running === true;
  const weight = stray ? 97 : WEIGHTS[kind];
  const head = `### ${title} (${items.length})`;
  const costly = stray || kind === 'started';
  const named = items.map(driftName);
  const all = `${head}\n\n${names(named, markdownCode)}`;
  const name = (number: number) => `${count(number, 'item')} of ${kind}`;
  return {
    name: name(items.length),
    ...(costly ? { least: all } : {}),
    forms: [
      ...(costly
        ? []
        : [
            {
              weight: weight + 0.6,
              head: `${head}\n`,
              items: named.map((item) => `- ${markdownCode(item)}`),
              rest: (left: number) => `- … and ${left} more`,
              misses: (left: number) => (left === 0 ? undefined : name(left)),
            },
            { weight: weight + 0.5, head: all },
          ]),
      {
        weight,
        head: `${head}\n`,
        items: items.map(line),
        rest: (left) =>
          `- And ${count(left, 'more')}: ${names(named.slice(named.length - left), markdownCode)}`,
      },
    ],
  };
}

/** Below what trades without git, and above the sentences that say what became of the others. */
const FIELD_WEIGHTS = { money: 94, names: 0, other: 45, paper: 35 };

/** Item by item where all of it has room, else field by field, the dearest first. */
function fieldsSection({ items }: DriftReport): readonly Section[] {
  const differing = items.filter(({ fields }) => fields.length > 0);
  if (differing.length === 0) return [];
  const subjects = differing.map((item) => ({ ...item, name: driftName(item) }));
  return [
    {
      name: `the fields of ${count(differing.length, 'item')}`,
      forms: [
        ...rankedForms(subjects, {
          heading: `### ${FIELDS}, the dearest first (${differing.length})`,
          names: [],
          also: 'the ends of long values',
          weights: FIELD_WEIGHTS,
        }),
        {
          weight: 34,
          head: [`### ${FIELDS} (${differing.length})`, ...differing.map(detailed)].join('\n\n'),
        },
      ],
    },
  ];
}

const FIELDS = 'Differences, - on the service, + in git';

function line(item: DriftItem): string {
  const { address, remark, id, running, ignored, text, fields, updated_at: written, class: kind } = item;
  const named = address === null && remark !== null ? ` ${markdownCode(remark)}` : '';
  const stake = running ? itemStake(item) : undefined;
  const facts = [
    ...(id === null || item.kind === 'label' || item.kind.endsWith('-template')
      ? []
      : [running ? 'running' : 'not running']),
    ...(ignored ? ['ignored'] : []),
    ...(stake === undefined ? [] : [stake]),
    ...(fields.length === 0 ? [] : [count(fields.length, 'field')]),
    // What somebody did on the service is no younger than its last write.
    ...(written === null || kind === 'unmanaged' || kind === 'foreign'
      ? []
      : [`last written ${minuteOf(written)}`]),
  ];
  const said = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `- ${markdownCode(driftName(item))}${named}${said}: ${markdownText(text)}`;
}

/** `2026-11-21 09:00 UTC`. */
function minuteOf(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at)
    ? markdownText(time)
    : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const WAYS_OUT =
  '**The two ways out.** `tradeform export --out .` writes the manifests as the service is now: commit that, and it is accepted. `tradeform apply` takes the service back to what git says.';

function detailed(item: DriftItem): string {
  const { fields } = item;
  const past = fields.filter(({ commit }) => commit !== null && commit.hash !== item.commit?.hash);
  const said = past.map(
    ({ path, commit }) =>
      `${markdownCode(path)} is as ${markdownCode(commit?.hash.slice(0, 7) ?? '')} has it.`,
  );
  const body = [...diffFence(fields), ...(said.length === 0 ? [] : ['', said.join(' ')])].join('\n');
  return folded(`${htmlCode(driftName(item))}: ${count(fields.length, 'field')}`, body);
}

function footOf(report: DriftReport): string {
  const history = historyText(report);
  const policy = policyText(report);
  return [
    `Git: ${markdownText(sourceText(report))}${history === undefined ? '' : `. ${markdownText(history)}`}.`,
    ...(policy === undefined ? [] : [policy]),
  ].join(' ');
}
