import { byKey } from '../model/by-key.ts';
import type { Change, Observation, Plan } from '../model/generated/plan.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { listedIn, orderOf } from '../plan/review/digest.ts';
import { isRefusedAnew } from '../plan/review/provenance.ts';
import { dearestFirst } from '../plan/stakes/cost.ts';
import { BEFORE, baseName, comparedText, isBefore, THIS_CHANGE } from './base-text.ts';
import { changeRows } from './change-rows.ts';
import { costText } from './cost-words.ts';
import { type WalletNames, walletNames } from './field-words.ts';
import {
  blockedSection,
  heldSection,
  observed,
  rulesSection,
  settledSection,
  stakesSection,
} from './plan-sections.ts';
import { restFacts, selectionText, verdictText, workedChanges } from './plan-summary.ts';
import { leftSection, noteSection, noteSections, overridesSection } from './sections.ts';
import type { ChangeTable, NamedList, View } from './view.ts';
import { CLASS_TITLES, WARNINGS } from './words.ts';

/**
 * A plan for people: the most expensive changes first, equal changes once. `books`: wallets by their names in the wallet books.
 */
export function planView(document: Plan, books: ReadonlyMap<string, string> = new Map()): View {
  const plan = dearestFirst(document);
  const { project, environment, service, digest } = plan;
  const refused = isRefusedAnew(plan);
  const names = walletNames(books);
  const approves = listedIn(plan);
  const [money, ...moved] = moneyFacts(plan);
  const shown = new Set(workedChanges(plan).map(({ address }) => address));
  const notes = plan.diagnostics.filter((diagnostic) => isNote(diagnostic, shown));
  return {
    command: 'plan',
    subject: { project, environment, service },
    // An apply after the merge relies on this digest, and a refused plan was not reviewed.
    digest: refused ? null : digest,
    ...(refused || approves.length === 0 ? {} : { approves: { changes: approves, order: orderOf(plan) } }),
    verdict: verdictText(plan),
    tone: isRefused(plan) ? 'error' : 'title',
    money,
    facts: [...moved, ...restFacts(plan)],
    notes: notesOf(plan),
    names,
    parts: [
      ...rulesSection(plan),
      ...noteSection(
        plan.diagnostics.filter(({ severity }) => severity === 'error'),
        {
          title: 'Refused',
          tone: 'error',
          weight: 90,
          unit: ['reason for the refusal', 'reasons for the refusal'],
          shown: 'markdown',
        },
      ),
      ...overridesSection(plan.overrides),
      ...changeTables(plan, names),
      ...noteSections(notes.filter(({ severity }) => severity === 'warning')),
      ...blockedSection(plan.changes),
      ...heldSection(plan.changes),
      ...leftSection(plan.left),
      ...settledSection(plan),
      ...(Object.keys(CLASS_TITLES) as Observation['class'][]).flatMap((kind) => observed(plan, kind)),
      ...noteSections(notes.filter(({ severity }) => severity === 'info')),
      ...stakesSection(plan),
    ],
    named: namedIn(plan),
    footer: isEmptyPlan(plan) ? [] : [`Digest ${digest}${sourceText(plan)}`],
    seeAll: 'To see all of it, run `tradeform plan -v`.',
  };
}

function isNote(
  { severity, code, address = '' }: Plan['diagnostics'][number],
  shown: ReadonlySet<string>,
): boolean {
  // Some warnings are shown beside their change. Running tasks without git are counted first and listed.
  const isBeside = severity === 'warning' && Object.hasOwn(WARNINGS, code) && shown.has(address);
  return severity !== 'error' && code !== 'unmanaged-running' && !isBeside;
}

function moneyFacts({ exposure }: Plan): readonly [string, ...string[]] {
  const { before, after, running_before: was, running_after: will } = exposure;
  const rise = Math.round((Number(after) / Number(before) - 1) * 100);
  const share = Number.isFinite(rise) && rise !== 0 ? ` (${rise > 0 ? '+' : '-'}${Math.abs(rise)}%)` : '';
  const money = before === after ? after : `${before} → ${after}`;
  const running = was === will ? `${will}` : `${was} → ${will}`;
  return [`${money} SOL at stake${share}`, `${running} trading`];
}

/** Reasons why the sum is too small. */
const UNCOUNTED: ReadonlySet<string> = new Set(['secret', 'unreadable', 'not-visible', 'damaged']);

function notesOf(plan: Plan): readonly string[] {
  const { previous_project: previous, only, exposure } = plan;
  const uncounted = exposure.left_out.filter(({ reason }) => UNCOUNTED.has(reason));
  return [
    ...(plan.complete
      ? []
      : ['The view of the service is not complete: what could not be read is not planned.']),
    ...(uncounted.length === 0 ? [] : [`Not in the sum: ${uncounted.map(({ text }) => text).join(' ')}`]),
    ...(previous === undefined ? [] : [`The project was called ${previous} before.`]),
    selectionText(plan) ?? '',
    ...(only === undefined
      ? []
      : [
          only === 'pending'
            ? 'Only what git changed; what people changed on the service stays (`--only pending`).'
            : 'Only what differs between the base and here; what people changed on the service stays (`--only change`).',
        ]),
    ...(plan.base === undefined ? [] : [`${comparedText(plan)}.`]),
    ...(plan.changes.length > MANY ? [costText(plan) ?? ''] : []),
  ].filter((note) => note !== '');
}

/** With this many changes, the reader needs counts by class. */
const MANY = 10;

function sourceText({ source, base }: Plan): string {
  const from =
    source.commit === null
      ? ''
      : ` · from ${source.commit.slice(0, 7)}${source.dirty ? ' with uncommitted changes' : ''}`;
  return `${base === undefined ? '' : ` · against ${baseName(base)}`}${from}`;
}

function changeTables(plan: Plan, names: WalletNames): readonly ChangeTable[] {
  const worked = workedChanges(plan);
  const tables = [
    { title: plan.base === undefined ? '' : THIS_CHANGE, former: false },
    { title: BEFORE, former: true },
  ];
  return tables.flatMap(({ title, former }) => {
    const changes = worked.filter(({ provenance }) => (provenance === 'before') === former);
    return changes.length === 0 ? [] : [{ title, former, changes: changeRows(changes, plan, names) }];
  });
}

/** Deleted, replaced, started and stopped tasks, each once, and tasks that trade without git. */
function namedIn(plan: Plan): readonly NamedList[] {
  const changes = plan.changes.filter(({ blocked }) => blocked === null);
  const strays = plan.observations.filter((item) => item.running && item.class !== 'foreign');
  const kindOf = ({ action, starts_trading: starts, stops_trading: stops }: Change) => {
    const trades = stops ? ' and stops trading' : starts ? ' and starts trading' : '';
    if (action === 'delete') return `Deletes${stops ? trades : ''}`;
    if (action === 'replace') return `Replaces${trades}`;
    return stops ? 'Stops trading' : starts ? 'Starts trading' : '';
  };
  const kinds = byKey(changes, kindOf);
  const lists = NAMED.flatMap((title) => {
    const found = kinds.get(title) ?? [];
    const names = (before: boolean) =>
      found.filter((change) => isBefore(change) === before).map(({ address }) => address);
    return found.length === 0 ? [] : [{ title, names: names(false), former: names(true) }];
  });
  if (strays.length === 0) return lists;
  return [...lists, { title: 'Unmanaged and running', names: strays.map(({ id }) => id), former: [] }];
}

const NAMED = [
  'Deletes and stops trading',
  'Deletes',
  'Replaces and stops trading',
  'Replaces and starts trading',
  'Replaces',
  'Stops trading',
  'Starts trading',
];
