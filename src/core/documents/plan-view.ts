import { LINTS } from '../desired/lints/index.ts';
import { byKey } from '../model/by-key.ts';
import type {
  Change,
  LeftOut,
  Observation,
  Plan,
  PlanDiagnostic,
  RuleChange,
} from '../model/generated/plan.ts';
import { count } from '../model/named.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { listedIn, orderOf } from '../plan/review/digest.ts';
import { isRefusedAnew } from '../plan/review/provenance.ts';
import { sideText } from '../plan/rules/rules.ts';
import { costOf, dearestFirst } from '../plan/stakes/cost.ts';
import { percentText, placeText, type WalletNames, walletNames } from '../render/differences.ts';
import { quoted } from '../render/value-text.ts';
import {
  type ChangeTable,
  leftSection,
  type NamedList,
  noteSection,
  noteSections,
  overridesSection,
  type Row,
  type Section,
  section,
  type View,
} from '../render/view.ts';
import { actionWords, BEFORE, CLASS_TITLES, heldReason, THIS_CHANGE, WARNINGS } from '../render/words.ts';
import { changeRows } from './change-rows.ts';
import { isStray, type Known } from './document.ts';
import {
  baseName,
  frozenIn,
  headlineText,
  isBefore,
  isIdle,
  restFacts,
  risesOf,
  selectionText,
  settledText,
  verdictText,
  workedChanges,
} from './plan-summary.ts';
import { stakeText } from './stake-text.ts';

/**
 * A plan for people: the most expensive changes first, equal changes once. `books`: wallets by their names in the wallet books.
 */
export function planView(document: Plan, { wallets = new Map(), files }: Known = {}): View {
  const plan = dearestFirst(document);
  const { project, environment, service, digest } = plan;
  const refused = isRefusedAnew(plan);
  const names = walletNames(wallets);
  const approves = listedIn(plan);
  const [money, ...moved] = moneyFacts(plan);
  const worked = workedChanges(plan);
  const shown = new Set(worked.map(({ address }) => address));
  const isImport = worked.length > 0 && worked.every(({ actions }) => actions.join() === 'adopt');
  const aside = lintsAside(plan);
  const notes = plan.diagnostics.filter((one) => isNote(one, shown) && !aside.has(one));
  const view: View = {
    command: 'plan',
    subject: { project, environment, service },
    // An apply after the merge relies on this digest, and a refused plan was not reviewed.
    digest: refused ? null : digest,
    ...(refused || approves.length === 0 ? {} : { approves: { changes: approves, order: orderOf(plan) } }),
    headline: headlineText(plan),
    verdict: verdictText(plan),
    tone: isRefused(plan) ? 'error' : 'title',
    money,
    facts: [...(isEmptyPlan(plan) ? [] : moved), ...restFacts(plan)],
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
      ...leftSection(plan),
      ...settledSection(plan),
      ...(Object.keys(CLASS_TITLES) as Observation['class'][]).flatMap((kind) => observed(plan, kind)),
      ...noteSections(notes.filter(({ severity }) => severity === 'info')),
    ],
    named: namedIn(plan),
    footer: [
      ...(aside.size === 0 || isImport
        ? []
        : [`${count(aside.size, 'warning')} about what does not change: \`tradeform validate\``]),
      ...(isEmptyPlan(plan) ? [] : [`Digest ${digest}`]),
    ],
    source: isEmptyPlan(plan) ? [] : sourceOf(plan),
    files,
    seeAll: 'To see all of it, run `tradeform plan -v`.',
  };
  const nothing = { money: undefined, facts: [], notes: [], named: [], footer: [], source: [] };
  return isIdle(plan)
    ? { ...view, ...nothing, subject: { project, environment }, parts: changeTables(plan, names) }
    : view;
}

const LINT_CODES: ReadonlySet<string> = new Set(LINTS.map(({ code }) => code));

/**
 * Lints of manifests that the plan, or with a base the change under review, does not change: they would bury it. A lint without an
 * address is about several tasks, and then its file counts.
 */
export function lintsAside(plan: Plan): ReadonlySet<PlanDiagnostic> {
  const own = workedChanges(plan).filter(
    ({ provenance, fields }) => provenance !== 'before' && fields.some(({ path }) => costOf(path) !== 'note'),
  );
  const addresses = new Set(own.map(({ address }) => address));
  const files = new Set(own.flatMap(({ fields }) => fields.map(({ origin }) => origin?.file)));
  return new Set(
    plan.diagnostics.filter(
      ({ code, address, location }) =>
        (LINT_CODES.has(code) || code.startsWith('lint-')) &&
        !(address === undefined ? files.has(location?.file) : addresses.has(address)),
    ),
  );
}

function isNote(
  { severity, code, address = '' }: Plan['diagnostics'][number],
  shown: ReadonlySet<string>,
): boolean {
  // Some warnings are shown beside their change. Running tasks without git are counted first and listed.
  const isBeside = severity === 'warning' && Object.hasOwn(WARNINGS, code) && shown.has(address);
  // A freeze stands in the head.
  return severity !== 'error' && code !== 'unmanaged-running' && code !== 'frozen' && !isBeside;
}

function moneyFacts(plan: Plan): readonly [string, ...string[]] {
  const { exposure } = plan;
  const { before, after, running_before: was, running_after: will } = exposure;
  if (frozenIn(plan).size > 0) {
    const free = before === after ? '' : ` (${after} without the freeze)`;
    return [stakeText(`${before} SOL at stake${free}`, exposure.outside), `${was} trading`];
  }
  const rises = risesOf(plan);
  const parts = [
    percentText(before, after),
    ...(rises.before === '0' ? [] : [`${rises.own} by this change, ${rises.before} pending before`]),
  ].filter((part) => part !== '');
  const share = parts.length === 0 ? '' : ` (${parts.join(': ')})`;
  const money = before === after ? after : `${before} → ${after}`;
  const running = was === will ? `${will}` : `${was} → ${will}`;
  return [stakeText(`${money} SOL at stake${share}`, exposure.outside), `${running} trading`];
}

/** The sum lacks tasks that belong in it. */
export function leavesOutTasks(reason: LeftOut['reason']): boolean {
  return reason === 'secret' || reason === 'unreadable';
}

/** Sentences about what the sum does not contain. */
export function uncountedIn({ left_out: left }: Pick<Plan['exposure'], 'left_out'>): readonly string[] {
  return left.flatMap(({ reason, text }) =>
    leavesOutTasks(reason) || reason === 'not-visible' ? [text] : [],
  );
}

export function uncountedNote(sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : [`Not in the sum: ${sentences.join(' ')}`];
}

function notesOf(plan: Plan): readonly string[] {
  const { previous_project: previous, only, exposure, base } = plan;
  return [
    ...plan.diagnostics.flatMap((one) => (one.code === 'frozen' && !isEmptyPlan(plan) ? [one.message] : [])),
    ...(plan.complete
      ? []
      : ['The view of the service is not complete: what could not be read is not planned.']),
    ...uncountedNote(uncountedIn(exposure)),
    ...new Set(plan.diagnostics.flatMap((one) => (one.code === 'undoes-rollback' ? (one.hint ?? []) : []))),
    ...(previous === undefined ? [] : [`The project was called ${previous} before.`]),
    selectionText(plan) ?? '',
    ...(only === undefined
      ? []
      : ['Only what git changed; what people changed on the service stays (`--only pending`).']),
    ...(base?.digest === null
      ? [`${baseName(base)} cannot be planned: all changes are shown as part of this change.`]
      : []),
  ].filter((note) => note !== '');
}

function sourceOf({ source: { commit, dirty }, base }: Plan): readonly string[] {
  return [
    ...(base === undefined ? [] : [`against ${baseName(base)}`]),
    ...(commit === null ? [] : [`from ${commit.slice(0, 7)}${dirty ? ' with uncommitted changes' : ''}`]),
  ];
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

/** Deleted, replaced, started and stopped tasks, each once by what is done, and tasks that trade without git. */
function namedIn(plan: Plan): readonly NamedList[] {
  const moved = plan.changes.filter(
    ({ blocked, action, starts_trading: starts, stops_trading: stops }) =>
      blocked === null && (starts || stops || action === 'delete' || action === 'replace'),
  );
  const lists = [...byKey(moved, actionWords)].map(([title, found]) => {
    const names = (before: boolean) =>
      found.filter((change) => isBefore(change) === before).map(({ address }) => address);
    return { title, names: names(false), former: names(true) };
  });
  const strays = plan.observations.filter(isStray).map(({ id }) => id);
  return strays.length === 0
    ? lists
    : [...lists, { title: 'Outside git, and running', names: strays, former: [] }];
}

/** The sections of a plan besides its changes. */

const RULE_SIGNS = { loosened: '!', changed: '~', tightened: '·' } as const;
const MOST_ENTRIES = 8;
const LONGEST_LIST = 400;
/** The maximum of rules in text. The document has all of them. */
const MOST_RULES = 100;

/** How the rules in the project file differ from those at the base. This is the first section. */
function rulesSection({ base, rules_changed: changes = [] }: Plan): readonly Section[] {
  const loosened = changes.filter(({ effect }) => effect === 'loosened').length;
  const rows = changes.map((change) => ({
    sign: RULE_SIGNS[change.effect],
    ...(change.effect === 'loosened' ? { tone: 'warn' as const } : {}),
    names: [change.rule],
    beside: ` ${change.effect}`,
    text: ruleSides(change),
    places: change.location === undefined ? [] : [placeText(change.location)],
  }));
  return section(rows, {
    title: `Rules changed${base === undefined ? '' : ` since ${baseName(base)}`}`,
    ...(loosened === 0 ? {} : { aside: `, ${loosened} loosened` }),
    most: MOST_RULES,
    tone: 'error',
    unit: ['changed rule', 'changed rules'],
  });
}

/** The two sides of a rule, limited to a few lines. For a list, the added and removed entries. */
function ruleSides({ before, after, added, removed }: RuleChange): string {
  if (added === undefined && removed === undefined) return `${sideText(before)} → ${sideText(after)}`;
  const some = (entries: readonly string[]) => {
    const more = entries.length - MOST_ENTRIES;
    const first = sideText(entries.slice(0, MOST_ENTRIES).join(', '), LONGEST_LIST);
    return more > 0 ? `${first} and ${more} more` : first;
  };
  return [
    ...(removed === undefined ? [] : [`removed ${some(removed)}`]),
    ...(added === undefined ? [] : [`added ${some(added)}`]),
  ].join('; ');
}

function blockedSection(changes: readonly Change[]): readonly Section[] {
  const rows = changes.flatMap(({ address, blocked, provenance }): Row[] => {
    if (blocked === null) return [];
    const missing = blocked.ids.filter((id) => !blocked.text.includes(id));
    const [text = '', ...below] = blocked.text.split('\n');
    return [
      {
        sign: '!',
        tone: 'error',
        names: [address],
        below,
        text: `${text}${missing.length === 0 ? '' : ` (${missing.join(', ')})`}${soBefore(provenance)}`,
      },
    ];
  });
  return section(rows, {
    title: 'Blocked',
    aside: ': nothing is done to these',
    tone: 'error',
    weight: 78,
    unit: ['blocked address', 'blocked addresses'],
  });
}

function soBefore(provenance: Change['provenance']): string {
  return provenance === 'before' ? ' (Already so before this change.)' : '';
}

/** More of one reason are counted: `tradeform status --held` names them. */
const MOST_HELD = 5;

/** Tasks that are held for the same reason share a row. */
function heldSection(changes: readonly Change[]): readonly Section[] {
  const held = changes.filter((change) => change.held);
  const reasons = byKey(held, (change) => `${heldReason(change)}${soBefore(change.provenance)}`);
  const rows = [...reasons].map(([text, same]): Row => {
    const names = same.slice(0, MOST_HELD).map(({ address }) => address);
    const more = same.length - names.length;
    const beside = more === 0 ? '' : ` and ${more} more (\`tradeform status --held\`)`;
    return { sign: '=', tone: 'warn', names, beside, text, size: same.length };
  });
  return section(rows, {
    title: 'Held',
    aside: ': stopped, and left so',
    tone: 'warn',
    ways: waysToStart(held),
    weight: 75,
    unit: ['held task', 'held tasks'],
  });
}

/** What the switch stopped is started together again; anything else is asked for by name. */
function waysToStart(held: readonly Change[]): string[] {
  const all = held.some(({ reason }) => reason === 'switched-off')
    ? 'To start what `tradeform pause` switched off: `tradeform resume --all`. '
    : '';
  return [`${all}To start one: \`tradeform resume ADDRESS\`.`];
}

function settledSection({ base }: Plan): readonly Section[] {
  const settled = base?.settled ?? [];
  const rows = settled.map((item): Row => {
    return { sign: '=', tone: 'dim', names: [item.address], text: settledText(item) };
  });
  return section(rows, {
    title: 'Settled by this change',
    tone: 'title',
    weight: 40,
    unit: ['settled address', 'settled addresses'],
    shown: 'quiet',
  });
}

/** What the project does not manage, running tasks first. Only a conflict has to do with the plan; the head counts the others. */
function observed({ observations, changes }: Plan, kind: Observation['class']): readonly Section[] {
  const told = new Set(kind === 'conflict' ? changes.flatMap(({ blocked }) => blocked?.ids ?? []) : []);
  const found = observations.filter(({ class: its, id }) => its === kind && !told.has(id));
  if (found.length === 0) return [];
  const running = found.filter((observation) => observation.running);
  const paused = found.filter((observation) => !observation.running);
  const [said = '', ...others] = new Set(found.map(({ text }) => text));
  const one = others.length === 0;
  return [
    {
      title: CLASS_TITLES[kind],
      tone: kind === 'conflict' ? 'error' : kind === 'foreign' || kind === 'kept' ? 'dim' : 'warn',
      rows: [...running, ...paused].map((item) => ({
        sign: item.running ? '►' : '·',
        names: [item.id],
        beside: ` ${item.kind}, ${item.remark === '' ? 'no remark' : quoted(item.remark)}, ${item.running ? 'running' : 'not running'}`,
        text: one ? '' : item.text,
      })),
      ...(one ? { ways: [said] } : {}),
      weight: kind === 'conflict' ? 77 : 30,
      unit: [`of “${CLASS_TITLES[kind]}”`, `of “${CLASS_TITLES[kind]}”`],
      ...(kind === 'conflict' ? {} : { shown: 'quiet' as const }),
    },
  ];
}
