import { byKey } from '../model/by-key.ts';
import type { Left, PlanDiagnostic } from '../model/generated/plan.ts';
import type { ApplyReport, ChangeResult } from '../model/generated/report.ts';
import { withoutTrading } from './paused-times.ts';
import { countsText, errorLines, remedy, sentenceOf, stepsLeft, tradingText } from './report-words.ts';
import { leftSection, noteSections, overridesSection, section } from './sections.ts';
import type { Row, Section, View } from './view.ts';
import { HELD } from './words.ts';

/**
 * What an apply did: first what was left paused, then failures and what to do, then the counts. `held`: addresses that stay
 * held although something was written to them.
 */
export function reportView(report: ApplyReport, held: ReadonlySet<string>): View {
  const { project, environment, service, plan_digest: digest, left_digest: left, changes } = report;
  const trading = tradingText(report);
  return {
    command: 'apply',
    heading: 'Apply of',
    end: 'bare',
    subject: { project, environment, service },
    digest: left ?? digest,
    verdict: countsText(report),
    tone: report.outcome === 'done' ? 'title' : 'error',
    facts: trading === undefined ? [] : [trading],
    parts: [
      ...leftPaused(report),
      ...TROUBLE.flatMap((kind) => trouble(report, kind)),
      ...stillHeld(changes, held),
      ...leftSection(report.left as unknown as readonly Left[] | undefined),
      ...overridesSection(report.overrides),
      // The schema of a report only says that these are objects.
      ...noteSections(report.diagnostics as unknown as PlanDiagnostic[]),
      ...withoutTrading(changes),
      ...section(changes.filter(({ status }) => status === 'done').map(resultRow), {
        title: 'Done',
        tone: 'dim',
        weight: 50,
        unit: ['done', 'done'],
        shown: 'quiet',
      }),
    ],
    footer: [`Digest of the plan ${digest}${left === undefined ? '' : `; of what is left to do ${left}`}`],
    seeAll: '`-v`, `-o json` and the page (`--report html=FILE`) show all of it.',
  };
}

function leftPaused({ left_paused }: ApplyReport): readonly Section[] {
  const rows = left_paused.map(
    ({ address, id, text }): Row => ({
      sign: '■',
      tone: 'stop',
      names: [address],
      beside: id === null ? '' : ` ${id}`,
      text,
    }),
  );
  return section(rows, {
    title: 'LEFT PAUSED',
    aside: ': ran before, and git wants them running',
    tone: 'stop',
    weight: 100,
    unit: ['task left paused', 'tasks left paused'],
    ways: [
      'Run `tradeform plan`. The next apply finishes pending starts. `tradeform apply --resume-stopped ADDRESS` starts held tasks.',
    ],
  });
}

type Trouble = Pick<Section, 'title' | 'aside' | 'tone' | 'weight'> & {
  readonly status: ChangeResult['status'];
};

const TROUBLE: readonly Trouble[] = [
  { status: 'failed', title: 'Failed', tone: 'error', weight: 95 },
  { status: 'unknown', title: 'Unknown', tone: 'error', weight: 94 },
  { status: 'skipped', title: 'Skipped', tone: 'warn', weight: 85 },
  { status: 'blocked', title: 'Blocked', aside: ': nothing was done to these', tone: 'warn', weight: 80 },
  { status: 'held', title: 'Held', aside: HELD, tone: 'warn', weight: 60 },
];

function trouble({ changes, outcome }: ApplyReport, { status, ...about }: Trouble): readonly Section[] {
  const found = changes.filter((change) => change.status === status);
  // After an interruption, everything that was not begun waits for the same reason.
  const waiting = status === 'skipped' && outcome === 'interrupted';
  return section(status === 'held' ? heldRows(found) : found.map(resultRow), {
    ...about,
    ...(waiting ? { aside: ', apply again to continue', brief: someOf(found) } : {}),
    unit: [status, status],
    merges: true,
  });
}

/** Those that are held for one reason, and to which nothing was done, are told together. */
function heldRows(held: readonly ChangeResult[]): readonly Row[] {
  const reasonOf = ({ address, text, operations }: ChangeResult) =>
    operations.length === 0 ? text : `${text} ${address}`;
  return [...byKey(held, reasonOf).values()].flatMap((same) =>
    same.length === 1
      ? same.map(resultRow)
      : [{ names: same.map(({ address }) => address), text: same[0]?.text ?? '', size: same.length }],
  );
}

const MOST_NAMED = 10;

function someOf(changes: readonly ChangeResult[]): readonly string[] {
  const more = changes.length - MOST_NAMED;
  const named = changes.slice(0, MOST_NAMED).map(({ address }) => address);
  return more > 0 ? [...named, `and ${more} more`] : named;
}

function resultRow(change: ChangeResult): Row {
  const { address, actions, error, request_ids: ids, status } = change;
  const words = actions.filter((action) => action !== 'none').join(', ');
  const asked = ids.length > 0 && (error !== undefined || status === 'done');
  return {
    names: [address],
    beside: words === '' ? '' : ` (${words})`,
    text: sentenceOf(change),
    below: [...errorLines(change), ...stepsLeft(change)],
    ...(asked ? { requests: ids } : {}),
    next: remedy(change),
  };
}

/** Tasks whose change is done but that do not run. */
function stillHeld(changes: readonly ChangeResult[], held: ReadonlySet<string>): readonly Section[] {
  const found = changes.filter(({ address, status }) => status === 'done' && held.has(address));
  return section(
    found.map(({ address }) => ({ names: [address], text: '' })),
    {
      title: 'Still held',
      aside: ': the change was written, the task stays paused',
      tone: 'warn',
      weight: 58,
      unit: ['still held', 'still held'],
    },
  );
}
