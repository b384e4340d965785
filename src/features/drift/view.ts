import { byKey } from '../../model/by-key.ts';
import type { DriftClass, DriftItem, DriftReport } from '../../model/generated/drift.ts';
import { costOf } from '../../plan/stakes/cost.ts';
import { costCounts, withCost } from '../../render/cost-words.ts';
import { originText } from '../../render/differences.ts';
import { walletNames } from '../../render/field-words.ts';
import { selectionText } from '../../render/plan-summary.ts';
import { noteSections } from '../../render/sections.ts';
import type { Tone } from '../../render/style.ts';
import { quoted } from '../../render/value-text.ts';
import type { Row, Section, View } from '../../render/view.ts';
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
  stakesTexts,
} from './words.ts';

/** The appearance of each class, and its weight for room in Markdown. A class with a higher weight is cut later. */
const CLASSES: Readonly<Record<DriftClass, readonly [Tone, weight: number]>> = {
  started: ['stop', 95],
  conflict: ['error', 90],
  interrupted: ['error', 88],
  stopped: ['warn', 85],
  changed: ['change', 80],
  unknown: ['change', 78],
  missing: ['warn', 75],
  damaged: ['warn', 60],
  pending: ['dim', 50],
  unmanaged: ['warn', 40],
  foreign: ['dim', 20],
};

/** A drift report for people (DESIGN 9). `books`: wallets by their names in the wallet books. */
export function driftView(document: DriftReport, books: ReadonlyMap<string, string> = new Map()): View {
  const report = dearestDrift(document);
  const { project, environment, service, drift, complete, items } = report;
  const differing = items.filter(({ fields }) => fields.length > 0);
  const paths = items.flatMap(({ fields }) => [...new Set(fields.map(({ path }) => costOf(path)))]);
  const costs = costCounts(paths.reduce((counts, cost) => withCost(counts, cost, 1), {}));
  const groups = driftGroups(report);
  const [money, running] = stakesTexts(report);
  return {
    command: 'drift',
    heading: 'Drift of',
    subject: { project, environment, service },
    verdict: driftVerdict(report),
    tone: drift || !complete ? 'warn' : 'add',
    money,
    facts: [running, `git: ${sourceText(report)}`],
    notes: [
      selectionText(report) ?? '',
      policyText(report) ?? '',
      costs === '' ? '' : `Differs in: ${costs}.`,
      differing.length === 0 ? '' : 'Fields: on the service → in git',
    ].filter((note) => note !== ''),
    names: walletNames(books),
    parts: [...groups.map(groupSection), ...noteSections(report.diagnostics)],
    fields:
      differing.length === 0
        ? undefined
        : {
            title: 'Differences, - on the service, + in git',
            subjects: differing.map((item) => ({ ...item, name: driftName(item) })),
          },
    named: groups
      .filter((group) => isCostly(group))
      .map(({ title, items: some }) => ({ title, names: some.map(driftName), former: [] })),
    footer: [historyText(report) ?? '', drift ? WAYS_OUT : ''].filter((text) => text !== ''),
    seeAll: 'To see all of it, run `tradeform drift -v`.',
  };
}

const WAYS_OUT =
  'To accept the state of the service, run `tradeform export --out .` and commit the result. To restore the state in git, run `tradeform apply`.';

function isCostly({ class: kind, items: [first] }: DriftGroup): boolean {
  return kind === 'started' || (kind === 'unmanaged' && first?.running === true);
}

/** Classes whose items differ in their state. */
const SWITCHED: ReadonlySet<DriftClass> = new Set(['started', 'stopped']);

/** Items that differ in the same way share a row. */
function groupSection(group: DriftGroup): Section {
  const { class: kind, title, items } = group;
  const same = byKey(items, (item) => {
    const { text, running, ignored, address, id } = item;
    const fields = item.fields.map(({ origin: _place, ...field }) => field);
    // The reader must see a started task with more at stake.
    const stake = isCostly(group) ? itemStake(item) : '';
    return JSON.stringify([text, fields, running, ignored, stake, address === null ? id : '']);
  });
  const [tone, weight] = CLASSES[kind];
  return {
    title,
    tone,
    rows: [...same.values()].map(rowOf),
    weight: isCostly(group) && kind === 'unmanaged' ? 97 : weight,
    namesFirst: true,
    unit: [`item of ${kind}`, `items of ${kind}`],
  };
}

function rowOf(same: readonly DriftItem[]): Row {
  const [first] = same;
  if (first === undefined) return { names: [], text: '' };
  const {
    address,
    kind,
    id,
    remark,
    running,
    ignored,
    text,
    fields,
    commit,
    class: what,
    updated_at: at,
  } = first;
  const alone = same.length === 1;
  const stake = itemStake(first) ?? '';
  // A hidden amount of a task that does not run is most likely 0.
  const isShown = stake !== '' && (running || first.exposure.secret !== true);
  const isTask = id !== null && kind !== 'label' && !kind.endsWith('-template');
  const facts = [
    ...(address === null && remark !== null ? [quoted(remark)] : []),
    ...(isTask ? [running ? 'running' : 'not running'] : []),
    ...(ignored ? ['ignored'] : []),
    ...(isShown && (alone || what === 'started') ? [alone ? stake : `each ${stake}`] : []),
    // The last write is the latest possible time of a change on the service.
    ...(!alone || at === null || what === 'unmanaged' || what === 'foreign'
      ? []
      : [`last written ${minuteOf(at)}`]),
  ].filter((fact) => fact !== '');
  const past = byKey(
    fields.filter((field) => field.commit !== null && field.commit.hash !== commit?.hash),
    (field) => `as in ${field.commit?.hash.slice(0, 7)} of ${field.commit?.date.slice(0, 10)}`,
  );
  return {
    sign: running ? '►' : '·',
    names: same.map(driftName),
    beside: facts.length === 0 ? '' : ` (${facts.join(', ')})`,
    text,
    fields: sharedPlaces(same),
    ...(SWITCHED.has(what) ? { told: ['state'] } : {}),
    below: [...past].map(([words, some]) => `${some.map(({ path }) => path).join(', ')} ${words}`),
    size: same.length,
  };
}

/** The fields of items that differ alike; each with its place in the manifests, where that is the same for all. */
function sharedPlaces(same: readonly DriftItem[]): DriftItem['fields'] {
  const [first] = same;
  return (first?.fields ?? []).map((field, index) => {
    const { origin: _place, ...rest } = field;
    const text = originText(field);
    return same.every(({ fields }) => fields[index] !== undefined && originText(fields[index]) === text)
      ? field
      : rest;
  });
}

/** `2026-11-21 09:00 UTC`. */
function minuteOf(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
