import { byKey } from '../model/by-key.ts';
import { compareDecimals } from '../model/decimal.ts';
import type { DriftClass, DriftItem, DriftReport } from '../model/generated/drift.ts';
import { given } from '../model/given.ts';
import type { Json } from '../model/json.ts';
import { acceptingText, count } from '../model/named.ts';
import { SECRET } from '../model/secret.ts';
import { byStake, dearestField, sortedFields } from '../plan/stakes/cost.ts';
import { fieldWords, originText, walletNames } from '../render/differences.ts';
import { type FormatFinding, findingsOf } from '../render/finding.ts';
import type { Tone } from '../render/layout.ts';
import { exposureSamples, type Sample } from '../render/metrics.ts';
import { quoted, valueText } from '../render/value-text.ts';
import { noteSections, type Row, type Section, type View } from '../render/view.ts';
import { minuteOf, ownerWord } from '../render/words.ts';
import { type DocumentFindings, type DocumentKind, isStray, type Known, problemsIn } from './document.ts';
import { CLASS_WORDS, DRIFT_CLASSES } from './drift-classes.ts';
import { selectionText } from './plan-summary.ts';
import { stakeText } from './stake-text.ts';

/** The appearance of each class, its weight for room in Markdown, and its heading. A class with a higher weight is cut later. */
const CLASSES: Readonly<Record<DriftClass, readonly [Tone, weight: number, title: string]>> = {
  started: ['stop', 95, 'Somebody started these, and git wants them paused'],
  conflict: ['error', 90, 'Ownership conflicts'],
  interrupted: ['error', 88, 'Interrupted: an apply stopped part-way'],
  stopped: ['warn', 85, 'Stopped: git wants these running'],
  changed: ['change', 80, 'Somebody changed these on the service · git → service'],
  unknown: ['change', 78, 'Unknown: from a commit that is not in this history, or from the environment'],
  missing: ['warn', 75, 'Missing on the service'],
  damaged: ['warn', 60, 'Damaged markers'],
  pending: ['dim', 50, 'Pending: not applied yet · service → git'],
  unmanaged: ['warn', 40, 'Outside git'],
  foreign: ['dim', 20, 'Outside git: of other projects'],
};

export function driftView(document: DriftReport, { wallets = new Map() }: Known = {}): View {
  const report = dearestDrift(document);
  const { project, environment, service, drift, complete, items } = report;
  const differing = items.filter(({ fields }) => fields.length > 0);
  const groups = driftGroups(report);
  const [money, running] = stakesTexts(report);
  const { read, commit } = report.source;
  const git =
    read === 'working-tree' || commit === null ? 'the working tree' : `commit ${commit.slice(0, 7)}`;
  return {
    command: 'drift',
    heading: 'Drift of',
    subject: { project, environment, service },
    headline: headlineText(report),
    verdict: driftVerdict(report),
    tone: drift || !complete ? 'warn' : 'add',
    money,
    facts: [running, `git: ${git}`],
    notes: [selectionText(report) ?? '', policyText(report) ?? ''].filter((note) => note !== ''),
    names: walletNames(wallets),
    parts: [...groups.map((group) => groupSection(group, environment)), ...noteSections(report.diagnostics)],
    fields:
      differing.length === 0
        ? undefined
        : {
            title: 'Fields, from - to +, in the direction of the sections above',
            subjects: differing.map((item) => ({ ...item, ...happened(item), name: driftName(item) })),
          },
    named: groups
      .filter((group) => isCostly(group))
      .map(({ title, items: some }) => ({ title, names: some.map(driftName), former: [] })),
    footer: [historyText(report) ?? ''].filter((text) => text !== ''),
    seeAll: 'To see all of it, run `tradeform drift -v`.',
    at: report.created_at,
  };
}

/** Live resources of these classes can be taken over into git. */
const ACCEPTABLE: ReadonlySet<DriftClass> = new Set(['changed', 'unknown', 'pending', 'stopped', 'started']);

/** Of more addresses than this, one stands for all. */
const MOST_WRITTEN = 5;

/** What to do about items of a class that differ alike. Neither an export nor an apply starts what was stopped. */
function waysOf(same: readonly [DriftItem, ...DriftItem[]], environment: string | null): readonly string[] {
  const [first] = same;
  const addresses = same.flatMap(({ address }) => address ?? []);
  if (!first.fails || addresses.length === 0) return [];
  if (first.refused.length > 0 && first.keep === undefined && !SWITCHED.has(first.class))
    return [`An apply of this is refused: ${first.refused.join(', ')}; \`tradeform plan\` says why.`];
  const some = addresses.length > MOST_WRITTEN ? ['ADDRESS'] : addresses;
  const [names, targets] = [some.join(' '), some.map((name) => `--target ${name}`).join(' ')];
  const { before, after } = first.exposure;
  const rises = compareDecimals(after, before) > 0 ? ` (${first.running ? 'raises' : 'starts'} it)` : '';
  switch (first.class) {
    case 'stopped':
      return [`Undo: \`tradeform resume ${names}\`. Keep: \`state: paused\` in git.`];
    case 'started':
      if (first.deletes) break;
      return [`Undo: \`tradeform pause ${names}\`, or an apply. Keep: \`state: active\` in git.`];
    case 'pending':
      if (first.keep !== undefined) return [`Keep the rollback: ${first.keep}.`];
      return [`Carry out: \`tradeform apply --only pending ${targets}\`.`];
    case 'changed':
    case 'unknown':
      break;
    default:
      return isRestored(first) ? [`Restore: \`tradeform apply ${targets}\`${rises}.`] : [];
  }
  const keep = same.flatMap(({ address, row }) => (address === null ? [] : [{ address, ...given({ row }) }]));
  const undo = first.deletes ? 'Delete' : 'Undo';
  return [
    `${undo}: \`tradeform apply ${targets}\`${rises}. Keep: ${acceptingText(keep, environment)}, then commit.`,
  ];
}

/** True if an apply changes something about it: it starts nothing that was stopped, and leaves what has no certain owner. */
function isRestored({ class: kind, fields, keep }: DriftItem): boolean {
  if (keep !== undefined) return false;
  if (kind === 'stopped') return fields.some(({ path }) => path !== 'state');
  return ACCEPTABLE.has(kind) || kind === 'missing' || kind === 'interrupted';
}

/** True if an apply ends some of the drift, and is not refused. */
export function isRestorable({ items }: DriftReport): boolean {
  return items.some((item) => item.fails && isRestored(item) && item.refused.length === 0);
}

function isCostly({ class: kind, items: [first] }: DriftGroup): boolean {
  return kind === 'started' || (kind === 'unmanaged' && first?.running === true);
}

/** Classes whose items differ in their state. */
const SWITCHED: ReadonlySet<DriftClass> = new Set(['started', 'stopped']);

/** Items that differ in the same way share a row. */
function groupSection(group: DriftGroup, environment: string | null): Section {
  const { class: kind, title, items } = group;
  const same = byKey(items, (item) => {
    const { text, running, ignored, address, id, refused } = item;
    const fields = item.fields.map(({ origin: _place, ...field }) => field);
    // The reader must see a started task with more at stake.
    const stake = isCostly(group) ? itemStake(item) : '';
    return JSON.stringify([text, fields, running, ignored, refused, stake, address === null ? id : '']);
  });
  const [tone, weight] = CLASSES[kind];
  // One apply carries out all of it, and takes each rollback back.
  const isOne =
    kind === 'pending' && items.every(({ keep, refused }) => keep === undefined && refused.length === 0);
  return {
    title,
    tone,
    rows: [...same.values()].map((alike) => rowOf(alike, isOne ? [] : waysOf(alike, environment))),
    ...(isOne ? { ways: ['Carry out: `tradeform apply --only pending`.'] } : {}),
    weight: isCostly(group) && kind === 'unmanaged' ? 97 : weight,
    namesFirst: true,
    unit: [`item of ${kind}`, `items of ${kind}`],
  };
}

/** The sides of an item in the direction of what happened: what a person changed from git to the service, what git changed to git. */
function happened(item: DriftItem): Pick<DriftItem, 'fields' | 'exposure'> {
  const { class: kind, fields, exposure } = item;
  if (kind !== 'changed' && !SWITCHED.has(kind)) return { fields, exposure };
  return { fields: fields.map(turned), exposure: turned(exposure) };
}

export function turned<Sides extends { before?: unknown; after?: unknown }>({
  before,
  after,
  ...rest
}: Sides): Sides {
  return { ...rest, ...given({ before: after, after: before }) } as Sides;
}

function rowOf(same: readonly [DriftItem, ...DriftItem[]], next: readonly string[]): Row {
  const [first] = same;
  const { address, kind, id, remark, running, ignored, text, class: what, updated_at: at } = first;
  const alone = same.length === 1;
  const [sentence = '', ...below] = text.split('\n');
  const stake = itemStake(first) ?? '';
  // A hidden amount of a task that does not run is most likely 0.
  const isShown = stake !== '' && (running || first.exposure.secret !== true);
  const isTask = id !== null && kind !== 'label' && !kind.endsWith('-template');
  const facts = [
    ...(address === null && remark ? [quoted(remark)] : []),
    ...(isTask ? [running ? 'running' : 'not running'] : []),
    ...(ignored ? ['ignored'] : []),
    ...(isShown && (alone || what === 'started') ? [alone ? stake : `each ${stake}`] : []),
    // The last write is the latest possible time of a change on the service.
    ...(!alone || at === null || what === 'unmanaged' || what === 'foreign'
      ? []
      : [`last written ${minuteOf(at)}`]),
  ].filter((fact) => fact !== '');
  return {
    sign: running ? '►' : '·',
    names: same.map(driftName),
    beside: facts.length === 0 ? '' : ` (${facts.join(', ')})`,
    text: sentence,
    below,
    fields: happened({ ...first, fields: sharedPlaces(same) }).fields,
    ...(SWITCHED.has(what) ? { told: ['state'] } : {}),
    next,
    size: same.length,
  };
}

/** The fields of items that differ alike; each with its place in the manifests, where that is the same for all. */
function sharedPlaces(same: readonly [DriftItem, ...DriftItem[]]): DriftItem['fields'] {
  return same[0].fields.map((field, index) => {
    const { origin: _place, ...rest } = field;
    const text = originText(field);
    return same.every(({ fields }) => fields[index] !== undefined && originText(fields[index]) === text)
      ? field
      : rest;
  });
}

interface DriftGroup {
  readonly class: DriftClass;
  readonly title: string;
  readonly items: readonly DriftItem[];
}

/** The items by class in the order of display, the most expensive first. What runs unmanaged has a group of its own. */
function driftGroups({ items }: DriftReport): readonly DriftGroup[] {
  const titles = byKey(items, (item) =>
    isStray(item) ? 'Outside git, and running' : CLASSES[item.class][2],
  );
  return [...titles].map(([title, some]) => ({ class: some[0].class, title, items: some }));
}

function driftName({ address, kind, id }: DriftItem): string {
  return address ?? `${kind} ${id ?? ''}`.trim();
}

/** What somebody did comes first. */
function headlineText(report: DriftReport): string {
  const { started, stopped, changed } = report.summary;
  const many = started + stopped + changed;
  return many === 0 ? driftVerdict(report) : `Somebody changed ${count(many, 'task')}`;
}

function driftVerdict(report: DriftReport): string {
  const { summary, complete } = report;
  const many = { ...summary, unmanaged: summary.unmanaged + summary.foreign, foreign: 0 };
  const counts = DRIFT_CLASSES.flatMap((kind) =>
    many[kind] > 0 ? `${many[kind]} ${ownerWord(kind)}` : [],
  ).join(', ');
  if (!complete)
    return `The live view is not complete. Known so far: ${counts === '' ? 'no drift' : counts}.`;
  if (counts === '') return 'No drift: the service has what git wants.';
  if (summary.failing === 0) return `No drift that fails the check: ${counts}.`;
  return `Drift: ${counts}.`;
}

/** The effect of `--ignore` and `--fail-on` on the exit code. Undefined without these options. */
function policyText({ policy }: DriftReport): string | undefined {
  const parts = [
    ...(policy.ignore.length === 0 ? [] : [`${policy.ignore.join(', ')} ignored (--ignore)`]),
    ...(policy.fail_on.length === 0 ? [] : [`${policy.fail_on.join(', ')} always failing (--fail-on)`]),
  ];
  return parts.length === 0 ? undefined : `In the exit code: ${parts.join('; ')}.`;
}

/** How far pending and changed could be told apart. */
function historyText({ history }: DriftReport): string | undefined {
  const { commits, skipped, oldest } = history;
  if (oldest === null) return undefined;
  const passed = skipped === 0 ? '' : `; ${skipped} more ${skipped === 1 ? 'does' : 'do'} not compile`;
  return `Compared with ${count(commits, 'commit')}, back to ${oldest.hash.slice(0, 7)} of ${oldest.date.slice(0, 10)}${passed}.`;
}

/** `1.5 SOL at stake (1 after apply)`, `2 trading (1 after apply)`: arrows are for what somebody did. */
function stakesTexts({ exposure }: DriftReport): readonly [money: string, running: string] {
  const { live, git, running_live, running_git, outside } = exposure;
  return [
    stakeText(live === git ? `${live} SOL at stake` : `${live} SOL at stake (${git} after apply)`, outside),
    running_live === running_git
      ? `${running_live} trading`
      : `${running_live} trading (${running_git} after apply)`,
  ];
}

/** `0.5 SOL`, `0.5 → 0.2 SOL`, in the direction of what happened. */
function itemStake(item: DriftItem): string | undefined {
  const { before, after, secret } = happened(item).exposure;
  if (secret === true) return `${SECRET} SOL`;
  if (before === '0' && after === '0') return undefined;
  return before === after ? `${before} SOL` : `${before} → ${after} SOL`;
}

export function driftFindings(report: DriftReport): DocumentFindings {
  return {
    // A problem of the view affects all items.
    findings: [...findingsOf(report.diagnostics), ...dearestDrift(report).items.map(findingOf)],
    rules: new Map(DRIFT_CLASSES.map((kind) => [`drift/${kind}`, CLASS_WORDS[kind]])),
  };
}

function findingOf(item: DriftItem): FormatFinding {
  const place = item.fields.find(({ origin }) => origin !== undefined)?.origin;
  return {
    rule: `drift/${item.class}`,
    level: item.fails ? 'error' : item.ignored || item.class === 'foreign' ? 'note' : 'warning',
    message: [`${driftName(item)}: ${item.text}`, ...item.fields.map(fieldText)].join('\n'),
    // The same drift has the same fingerprint in every run, whatever commit or time its sentence names.
    fingerprint: [item.class, item.address ?? item.kind, item.id ?? ''].join(' '),
    ...given({ address: item.address ?? undefined, location: place }),
  };
}

function fieldText({ path, before, after, sensitive, commit }: DriftItem['fields'][number]): string {
  const values = sensitive
    ? 'values are secret'
    : `${valueText(before)} on the service, ${valueText(after)} in git`;
  const past = commit === null ? '' : ` (in git since ${commit.hash.slice(0, 7)})`;
  return `${path}: ${values}${past}`;
}

/** The classes in order, each by its most expensive field. A lower rank is more expensive. */
function driftRank(item: DriftItem): number {
  const { class: kind, running, fields } = item;
  return DRIFT_CLASSES.indexOf(kind) * 1_000 + dearestField({ running, fields }) + (running ? 0 : 500);
}

/** The same report with items and fields sorted by what they can cost. */
function dearestDrift(report: DriftReport): DriftReport {
  return {
    ...report,
    items: report.items
      .map((item) => ({ ...item, fields: sortedFields(item.fields) }))
      .sort((a, b) => driftRank(a) - driftRank(b) || byStake(a.exposure, b.exposure)),
  };
}

/** `changed: sniper/dawn: amount 0.5 → 9 SOL ×18, 0.5024 → 9.0024 SOL at stake`. */
function noticeText(item: DriftItem): string {
  const { class: kind, address, id } = item;
  const stake = itemStake(item) ?? (kind === 'stopped' ? '0 SOL' : undefined);
  const facts = [fieldWords(happened(item).fields), stake === undefined ? '' : `${stake} at stake`];
  const said = facts.filter((fact) => fact !== '').join(', ');
  return `${kind}: ${address ?? id}${said && `: ${said}`}`;
}

export const driftKind: DocumentKind<DriftReport> = {
  view: driftView,
  findings: driftFindings,
  stakes: ({ exposure, items, summary: { started, stopped, failing } }) => ({
    outside: exposure.outside,
    before: exposure.live,
    after: exposure.git,
    starts: started,
    stops: stopped,
    changes: failing,
    pending: items.filter((item) => item.fails && item.class === 'pending').length,
  }),
  metrics: ({ summary, exposure, items }) => [
    ...Object.entries(summary).flatMap(([name, count]): readonly Sample[] =>
      name === 'failing' ? [] : [['tradeform_drift_items', count, { class: name }]],
    ),
    ['tradeform_unmanaged_running_tasks', items.filter(isStray).length],
    ...exposureSamples(exposure.live, exposure.git),
  ],
  notice: ({ items, diagnostics, exposure, environment }) => ({
    // The same tasks with the same fields are the same drift, whatever the commit and the time.
    drift: items
      .filter(({ fails }) => fails)
      .map((item) => ({
        text: noticeText(item),
        ...given({ way: waysOf([item], environment)[0] }),
        identity: [
          item.class,
          item.address ?? item.id,
          item.fields.map(({ path, before, after }) => [path, before ?? null, after ?? null] as Json[]),
        ],
      })),
    problems: problemsIn(diagnostics),
    exposure: { sol: [exposure.live], outside: exposure.outside, uncounted: [] },
  }),
  essence: {
    essence: 'the report does not fit BYTES bytes: its summary and what trades against git',
    less: 'look at',
  },
};
