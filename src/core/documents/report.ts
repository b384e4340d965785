import type { Plan } from '../model/generated/plan.ts';
import type { ApplyReport, ChangeResult } from '../model/generated/report.ts';
import { given } from '../model/given.ts';
import { count } from '../model/named.ts';
import { dearestFirst, dearestReport } from '../plan/stakes/cost.ts';
import { type FormatFinding, findingsOf } from '../render/finding.ts';
import { maskReport } from '../render/masking/by-path.ts';
import type { Sample } from '../render/metrics.ts';
import {
  leftSection,
  noteSections,
  overridesSection,
  type Row,
  type Section,
  secondsText,
  section,
  type TimelineStep,
  type View,
} from '../render/view.ts';
import { REASONS } from '../render/words.ts';
import { type DocumentFindings, type DocumentKind, problemsIn } from './document.ts';
import { aboutChanges, originOf } from './plan.ts';
import { planView } from './plan-view.ts';
import { stakeText } from './stake-text.ts';

/** If more are done of what failed, a terminal names them only with details. */
const MOST_DONE = 10;

/** What an apply did: first what was left paused, then failures and what to do, then the counts. */
export function reportView(report: ApplyReport): View {
  const { project, environment, service, digest, left_digest: left, changes, outcome } = report;
  return {
    command: 'apply',
    heading: 'Apply of',
    bare: true,
    subject: { project, environment, service },
    digest: left ?? digest,
    verdict: countsText(report),
    tone: outcome === 'done' ? 'title' : 'error',
    money: nowText(report),
    facts: tradingFacts(report),
    parts: [
      ...listed(report.still_high, report, HIGH),
      ...listed(report.left_paused, report, PAUSED),
      ...TROUBLE.flatMap((kind) => trouble(report, kind)),
      ...leftSection(report).map((part): Section => ({ ...part, shown: 'markdown' })),
      ...overridesSection(report.overrides),
      ...noteSections(report.diagnostics),
      ...section(changes.filter(({ status }) => status === 'done').map(resultRow), {
        title: 'Done',
        tone: 'dim',
        weight: 50,
        unit: ['done', 'done'],
        merges: true,
        shown: outcome === 'done' || report.summary.done > MOST_DONE ? 'quiet' : 'collapsed',
      }),
    ],
    footer: [`Digest of the plan ${digest}${left === undefined ? '' : `; of what is left to do ${left}`}`],
    seeAll: '`-v`, `-o json` and the page (`--report html=FILE`) show all of it.',
  };
}

/** One row for a task: what it is now, why, and what to do. */
function listed(
  items: ApplyReport['left_paused'],
  { changes }: ApplyReport,
  about: Pick<Section, 'title' | 'aside' | 'weight'>,
): readonly Section[] {
  const rows = items.map(({ address, text }): Row => {
    const change = changes.find((one) => one.address === address);
    const row = change === undefined ? { names: [address], text } : resultRow(change);
    return {
      ...row,
      ...{ sign: '!', tone: 'stop', beside: '' },
      below: [...(text === change?.text ? [] : [text]), ...(row.below ?? [])].filter(
        (line) => line !== row.text,
      ),
    };
  });
  const words = about.title.toLowerCase();
  return section(rows, { ...about, tone: 'stop', unit: [`task ${words}`, `tasks ${words}`] });
}

const HIGH = {
  title: 'STILL HIGH',
  aside: ': git lowers these, and they trade as before. `tradeform pause ADDRESS` stops one now',
  weight: 101,
};
const PAUSED = { title: 'LEFT OFF', aside: ': ran before, and git wants them running', weight: 100 };

type Trouble = Pick<Section, 'title' | 'aside' | 'tone' | 'weight' | 'shown'> & {
  readonly status: ChangeResult['status'] | 'start';
};

const TROUBLE: readonly Trouble[] = [
  { status: 'start', title: 'MAY BE RUNNING', aside: ': the start got no answer', tone: 'error', weight: 99 },
  { status: 'failed', title: 'Failed', tone: 'error', weight: 95 },
  { status: 'unknown', title: 'Unknown', tone: 'error', weight: 94 },
  { status: 'skipped', title: 'Skipped', tone: 'warn', weight: 85 },
  // The plan above the report shows these on a terminal.
  {
    status: 'blocked',
    title: 'Blocked',
    aside: ': nothing more was done to these',
    tone: 'warn',
    weight: 80,
    shown: 'markdown',
  },
  {
    status: 'held',
    title: 'Held',
    aside: ': stopped, and left so',
    tone: 'warn',
    weight: 60,
    shown: 'markdown',
  },
];

function trouble(report: ApplyReport, { status, shown, ...about }: Trouble): readonly Section[] {
  const { changes, outcome } = report;
  const listed = listedIn(report);
  const found = changes.filter((change) => troubleOf(change) === status && !listed.has(change));
  // After an interruption, everything that was not begun waits for the same reason.
  const waiting = status === 'skipped' && outcome === 'interrupted';
  const steps = new Set(found.map((change) => remedy(change).join('\n')));
  // One next step for all is said once.
  const [shared = ''] = waiting || steps.size !== 1 || found.length === 1 ? [] : steps;
  const rows = found.map(resultRow).map((row) => (waiting || shared !== '' ? { ...row, next: [] } : row));
  return section(rows, {
    ...about,
    // What was refused on the way is not in the plan.
    ...given({ shown: found.some(({ error }) => error !== undefined) ? undefined : shown }),
    ...(waiting ? { aside: ', apply again to continue', most: 1 } : {}),
    ...(shared === '' ? {} : { ways: shared.split('\n').map((step) => `→ ${step}`) }),
    unit: [about.title.toLowerCase(), about.title.toLowerCase()],
    merges: true,
  });
}

/** What is LEFT OFF or STILL HIGH is shown, and counted, once. */
function listedIn({ changes, left_paused: left, still_high: high }: ApplyReport): ReadonlySet<ChangeResult> {
  return new Set(
    [...left, ...high].flatMap((one) => changes.find(({ address }) => address === one.address) ?? []),
  );
}

function troubleOf({ operations, status }: ChangeResult): Trouble['status'] {
  return operations.some((step) => step.verb === 'resume' && step.status === 'unknown') ? 'start' : status;
}

function resultRow(change: ChangeResult): Row {
  const { address, actions, error, request_ids: ids, held } = change;
  const [text = '', ...copies] = change.text.split('\n');
  const words = [
    ...actions.filter((action) => action !== 'none'),
    ...(held === true ? ['still held'] : []),
  ].join(', ');
  return {
    names: [address],
    beside: words === '' ? '' : ` (${words})`,
    text: oneStop(text),
    below: [...copies, ...errorLines(change)],
    // A reading may come after the refusal.
    ...(error === undefined ? {} : { requests: error.request_id === undefined ? ids : [error.request_id] }),
    next: remedy(change),
  };
}

/** The words for the results of an apply, the same in text and Markdown. Text of the service is not escaped yet. */

const MOST_FIELDS = 20;
const NO_ANSWER: ReadonlySet<string> = new Set(['unsent', 'lost', 'unreadable']);

/** The answer of the service, then the fields that it names. */
function errorLines({ text, error }: ChangeResult): string[] {
  if (error === undefined) return [];
  const { code, status, message, fields } = error;
  // The sentence may say everything already.
  const isSaid = (words: string) => oneStop(text).includes(oneStop(words));
  const said = isSaid(message) && (status === null || NO_ANSWER.has(code) || isSaid(code));
  return [
    ...(said ? [] : [`${code}${status === null ? '' : ` (${status})`}: ${message}`]),
    ...fields.map(({ path, reason }) => `${path}: ${reason}`).filter((line) => !isSaid(line)),
    ...(fields.length >= MOST_FIELDS ? ['the service names at most 20 fields; there may be more'] : []),
  ];
}

/** Removes the full stop after a quoted sentence that has its own. */
function oneStop(text: string): string {
  return text.replace(/(?<!\.)\.\.(?!\.)/g, '.').replace(/\.\)\./g, ').');
}

/** What to do next, by error code (interface, "Errors"). For an unknown code there is only the request id. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_api_token: 'The token was rotated, revoked or has expired: set the new token and apply again.',
  insufficient_scope: 'Give the token the missing scope, or leave these addresses out with --exclude.',
  ip_not_allowed: 'Run from an address in the token’s allowlist.',
  rate_limit_exceeded: 'Apply again later, or with a lower --concurrency.',
  not_found: 'The task or its label is gone: plan again.',
  target_already_exists:
    'Another task holds this target: plan again to see which, and adopt it with metadata.id.',
  template_name_exists: 'A template of this name exists: choose another name, or adopt it with metadata.id.',
  label_name_exists: 'A label of this name exists: choose another name, or adopt it with metadata.id.',
  quota_exceeded: 'The account has no room: delete something, or ask the provider for more.',
  frozen:
    'When the reason is gone: `tradeform resume --all --as-stored` after `pause --all`, else delete the label. Then `tradeform apply`.',
  config_must_be_paused: 'Somebody started the task in the meantime: plan again.',
  version_conflict: 'Somebody changed it in the meantime: plan again to see the difference.',
  idempotency_conflict: 'Another create of this address came first: plan again.',
  service_unavailable: 'Apply again: finished changes are not repeated.',
  internal_error: 'Apply again. If the error comes back, report the request id to the provider.',
};

const AGAIN = 'apply again: finished changes are not repeated.';

function remedy(change: ChangeResult): string[] {
  const { status, error, request_ids } = change;
  if (status === 'unknown') return ['Run `tradeform plan`: it reads the state and shows what is left to do.'];
  if (status === 'skipped') return ['Apply again when the cause is resolved.'];
  // Without an error of the service, somebody else changed or deleted the task.
  const isOurs = ['moved', 'stopped', 'gone', 'echo'].includes(error?.code ?? '');
  if (error === undefined || isOurs)
    return status === 'failed' ? ['Plan again: it starts from what is there now.'] : [];
  if (NO_ANSWER.has(error.code))
    return [
      /\bstatus 5\d\d\b/.test(change.text)
        ? `The service has a problem. Wait, then ${AGAIN}`
        : `Check the connection to the service and ${AGAIN}`,
    ];
  if (error.code === 'validation_error')
    return [
      `Correct the ${error.fields.length === 0 ? 'config' : 'fields named above'} in the manifest and plan again.`,
      ...storedConfig(change),
    ];
  const report =
    request_ids.length > 0 ? 'Report the request id to the provider, and plan again.' : 'Plan again.';
  if (error.code === 'internal_error' && request_ids.length === 0) return ['Apply again.'];
  return [REMEDIES[error.code] ?? report];
}

/** A single patch of a running task sends no config, so an error about a config concerns the stored one. */
function storedConfig({ address, operations, error }: ChangeResult): string[] {
  const lone = operations.every(({ verb }) => verb === 'patch');
  if (!lone || error?.fields.every(({ path }) => !path.startsWith('config'))) return [];
  return [
    `The stored config has a field that the manifest does not have: \`tradeform pause ${address}\`, then \`tradeform apply --resume-stopped ${address}\` writes the config of the manifest.`,
  ];
}

const OUTCOMES: Readonly<Record<ApplyReport['outcome'], string>> = {
  done: 'Applied',
  incomplete: 'Not everything was applied',
  interrupted: 'Interrupted',
  refused: 'Refused: nothing was sent',
  begun: 'Begun, and how it ended was not written',
};

/** `Applied: 3 done in 1.2 s.` */
function countsText(report: ApplyReport): string {
  const { outcome, summary, started_at, finished_at, left_paused: left, still_high: high } = report;
  const rest = { ...summary };
  for (const { status } of listedIn(report)) rest[status] -= 1;
  const { done, ...others } = rest;
  const all = { 'STILL HIGH': high.length, 'LEFT OFF': left.length, done, ...others };
  const parts = Object.entries(all).flatMap(([words, number]) => (number > 0 ? [`${number} ${words}`] : []));
  const bad = summary.failed + summary.unknown + left.length > 0;
  const words = outcome === 'incomplete' && bad ? 'FAILED' : OUTCOMES[outcome];
  const ms = Date.parse(finished_at) - Date.parse(started_at);
  const elapsed = Number.isFinite(ms) ? ` in ${(Math.max(0, ms) / 1000).toFixed(1)} s` : '';
  return `${words}: ${parts.length === 0 ? 'nothing to do' : parts.join(', ')}${elapsed}.`;
}

/** `Trading now: 3 tasks, 0.3 SOL at stake (planned: 0.5).` */
function nowText({ trading, record }: ApplyReport): string | undefined {
  if (trading === undefined) return undefined;
  const { running, sol, outside } = trading;
  const { planned: wanted = sol } = record.exposure;
  const planned = wanted === sol ? '' : ` (planned: ${wanted})`;
  const sum = `${count(running, 'task')}${sol === null ? '' : `, ${sol} SOL at stake${planned}`}`;
  return `Trading now: ${stakeText(sum, outside)}.`;
}

/** `1 started trading`, `2 stopped trading`, for what is done, and `2 off for 0.31 s at most (sniper/dawn)`. */
function tradingFacts({ changes }: ApplyReport): readonly string[] {
  const done = changes.flatMap(({ status, actions }) => (status === 'done' ? [actions] : []));
  const many = (...wanted: string[]) =>
    done.filter((does) => does.some((one) => wanted.includes(one))).length;
  const [starts, stops] = [many('start', 'finish'), many('stop')];
  const [longest, ...shorter] = changes
    .flatMap(({ address, paused_ms: ms }) => (ms === null ? [] : [{ address, ms }]))
    .sort((a, b) => b.ms - a.ms);
  return [
    ...(starts > 0 ? [`${starts} started trading`] : []),
    ...(stops > 0 ? [`${stops} stopped trading`] : []),
    ...(longest
      ? [
          `${1 + shorter.length} off for ${secondsText(Math.max(10, longest.ms))} at most (${longest.address})`,
        ]
      : []),
  ];
}

/**
 * What an apply did as a page, with the times of its requests. With its plan, also what was planned and how much money it
 * concerned.
 */
export function reportPage(report: ApplyReport, plan?: Plan): View {
  const view = viewOf(report, plan);
  const planned = plan === undefined ? undefined : planView(plan);
  const labels = plan === undefined ? new Map() : aboutChanges(plan);
  const changes = new Map(plan?.changes.map((change) => [change.address, change]));
  return {
    ...view,
    facts: [
      ...(view.facts ?? []),
      ...(planned === undefined ? [] : [`Planned: ${planned.verdict}`, `Planned sum: ${planned.money}`]),
    ],
    at: report.finished_at,
    about: new Map(
      report.changes.map((result) => {
        const change = changes.get(result.address);
        const why = change === undefined ? [] : [REASONS[change.reason]].filter((text) => text !== '');
        const more = change === undefined ? {} : { why, fields: change.fields };
        const action = result.actions.filter((word) => word !== 'none').join(', ');
        return [
          result.address,
          { ...labels.get(result.address), ...more, action, steps: result.operations.map(stepOf) },
        ];
      }),
    ),
    span: Math.max(0, Date.parse(report.finished_at) - Date.parse(report.started_at)),
  };
}

type ReportedStep = ChangeResult['operations'][number];

function stepOf({ verb, status, at_ms: at, took_ms: took }: ReportedStep): TimelineStep {
  return {
    words: verb,
    result: status,
    bad: status === 'failed' || status === 'unknown',
    failed: status === 'failed',
    pauses: verb === 'pause',
    resumes: verb === 'resume',
    at,
    took,
  };
}

const RULES = new Map([
  ['apply/failed', 'A change was not carried out.'],
  ['apply/unknown', 'An answer was lost, and the state could not be read: it is unknown whether it is done.'],
  ['apply/skipped', 'A change was not begun: what it needs was not done, or the apply was stopped.'],
  ['apply/blocked', 'Nothing was done to an address, because something blocks it.'],
  ['apply/left-paused', 'A task ran before, and this apply left it paused although git wants it running.'],
]);

const LEVELS: Readonly<Partial<Record<ChangeResult['status'], FormatFinding['level']>>> = {
  failed: 'error',
  unknown: 'error',
  blocked: 'error',
  skipped: 'warning',
};

/** What an apply did, in the formats for machines: first what was left paused, then what was not done. */
export function applyFindings(document: ApplyReport, plan?: Plan): DocumentFindings {
  const report = plan === undefined ? document : dearestReport(document, plan);
  const changes = plan === undefined ? [] : dearestFirst(plan).changes;
  const places = new Map(changes.map((change) => [change.address, originOf(change)]));
  const paused = new Map(report.left_paused.map(({ address, text }) => [address, text]));
  const [left, others] = [true, false].map((isLeft) =>
    report.changes
      .filter(({ address }) => paused.has(address) === isLeft)
      .flatMap((change) => findingOf(change, paused.get(change.address))),
  );
  const all = [...(left ?? []), ...findingsOf(report.diagnostics), ...(others ?? [])];
  return {
    findings: all.map((finding) => {
      const location = places.get(finding.address ?? '');
      return location === undefined || finding.location !== undefined ? finding : { ...finding, location };
    }),
    rules: RULES,
    completed: report.outcome !== 'interrupted',
  };
}

/** `left`: what is said of the task if it is left paused. */
function findingOf(change: ChangeResult, left: string | undefined): readonly FormatFinding[] {
  const { status, address, error } = change;
  const level = left === undefined ? LEVELS[status] : 'error';
  if (level === undefined) return [];
  const hint = remedy(change).join(' ');
  return [
    {
      rule: left === undefined ? `apply/${status}` : 'apply/left-paused',
      level,
      message: [
        `${address}${left === undefined ? '' : ' is left paused'}: ${oneStop(left ?? change.text)}`,
        ...errorLines(change),
      ].join(' '),
      ...(hint === '' ? {} : { hint }),
      address,
      // The message contains request ids, which differ each time.
      fingerprint: [status, error?.code ?? ''].join(' '),
    },
  ];
}

/** With its plan, the most expensive changes come first. */
function viewOf(report: ApplyReport, plan: Plan | undefined): View {
  return reportView(plan === undefined ? report : dearestReport(report, plan));
}

export const reportKind: DocumentKind<ApplyReport> = {
  view: (report, { plan }) => viewOf(report, plan),
  page: (report, { plan }) => reportPage(report, plan),
  findings: (report, { plan }) => applyFindings(report, plan),
  metrics: ({ summary }) => [
    ...Object.entries(summary).map(([status, count]): Sample => ['tradeform_applied', count, { status }]),
    ['tradeform_held_tasks', summary.held],
  ],
  notice: ({ left_paused, still_high, changes, diagnostics, summary }) => ({
    leftPaused: left_paused.map(({ address }) => address),
    problems: [
      ...still_high.map(({ address: at }) => ({ text: `still high: ${at}`, identity: ['high', at] })),
      ...changes
        .filter(({ status, held }) => status !== 'done' || held === true)
        .map(({ address, status }) => ({
          ...(status === 'failed' || status === 'unknown' ? { text: `${status}: ${address}` } : {}),
          identity: [status === 'done' ? 'held' : status, address],
        })),
      ...problemsIn(diagnostics),
    ],
    applied: summary.done,
  }),
  masked: (report, { plan }) => (plan === undefined ? report : maskReport(report, plan)),
};
