import { createHash } from 'node:crypto';
import type { Location } from '../diagnostics/diagnostic.ts';
import { addressOrId } from '../model/address.ts';
import { byKey } from '../model/by-key.ts';
import { compareTexts } from '../model/compare-texts.ts';
import { isGood } from '../model/exit-codes.ts';
import type { FleetReport, FleetUnit, Stakes } from '../model/generated/fleet-report.ts';
import { PLAN_FORMAT, type PlanDiagnostic } from '../model/generated/plan.ts';
import { REPORT_FORMAT } from '../model/generated/report.ts';
import { RESULT_FORMAT } from '../model/generated/result.ts';
import { given } from '../model/given.ts';
import type { Json } from '../model/json.ts';
import { count, named } from '../model/named.ts';
import { type FormatFinding, findingsOf } from '../render/finding.ts';
import type { Tone } from '../render/layout.ts';
import type { Sample } from '../render/metrics.ts';
import { noteSections, type Row, section, type UnitView, type View } from '../render/view.ts';
import {
  type DocumentKind,
  type DocumentNotice,
  isSwitched,
  type NoticeLine,
  problemsIn,
} from './document.ts';
import { accountKind } from './of-accounts.ts';
import { diagnosticsView, UNKNOWN_SUBJECT } from './result.ts';
import { stakeText } from './stake-text.ts';
import { age } from './status.ts';

const RESULTS = {
  'not-run': 'not run',
  interrupted: 'interrupted',
  invalid: 'invalid',
  failed: 'failed',
  refused: 'refused',
  differs: 'with differences',
  drifted: 'drifted',
  pending: 'pending',
  ok: 'ok',
} as const;

/** `12 accounts: 1 failed, 2 refused, 9 ok`; of a drift `1 drifted, 3 pending`. */
function resultsText({ command, units }: FleetReport): string {
  const same = byKey(units, (unit) => resultWord(unit, command));
  const parts = Object.entries(RESULTS).flatMap(([word, words]) => {
    const many = same.get(word as keyof typeof RESULTS);
    return many === undefined ? [] : [`${many.length} ${words}`];
  });
  return `${count(units.length, 'account')}: ${parts.join(', ')}`;
}

/** Of a drift: did somebody change something, or does git only wait for an apply? */
function resultWord(unit: FleetUnit, command: FleetReport['command']): keyof typeof RESULTS {
  if (command !== 'drift' || unit.result !== 'differs') return unit.result;
  return onlyWaits(unit) ? 'pending' : 'drifted';
}

export function onlyWaits({ result, stakes }: FleetUnit): boolean {
  return result === 'differs' && stakes !== null && stakes.pending === stakes.changes;
}

/** `0.5 → 0.7 SOL at stake, 9 changes (2 starts)`. Undefined if the command knows no exposure. */
function sumsText({ command, stakes, units }: FleetReport): string | undefined {
  const left = units.filter((unit) => unit.stakes === null).length;
  if (left === units.length) return undefined;
  const unswitched = units.filter(({ exit_code }) => isSwitch(command) && exit_code !== 0);
  const names = unswitched.map(({ name }) => name);
  const first = names.length === 0 ? '' : `NOT COMPLETE: ${named(names, MOST_NAMED)}; `;
  const sum = `${solText(stakes, command)} ${solTitle(command)}`;
  return [
    `${first}${stakeText(sum, stakes.outside)}; ${changesText(stakes, command)}`,
    ...(left === 0 || first !== '' ? [] : [`${count(left, 'account')} not in these sums`]),
  ].join('; ');
}

const MOST_NAMED = 5;
const isSwitch = (command: FleetReport['command']) => command === 'pause' || command === 'resume';

/** A pause and a resume know only the tasks that they switch. */
function solTitle(command: FleetReport['command']): string {
  return isSwitch(command) ? 'SOL switched' : 'SOL at stake';
}

/** Arrows are for what the command does; a drift did happen. */
function solText({ before, after }: Stakes, command: FleetReport['command']): string {
  if (before === after) return before;
  return command === 'drift' ? `${before} (${after} after apply)` : `${before} → ${after}`;
}

/** `9 changes (2 starts, 1 stop), 3 held, 1 blocked`; of a drift `2 drifted (1 started), 1 pending`. */
function changesText(
  { starts, stops, changes, pending = 0, held = 0, blocked = 0 }: Stakes,
  command: FleetReport['command'],
): string {
  // What drift finds, somebody did.
  const some = (number: number, word: string, past: string) =>
    number === 0 ? [] : [command === 'drift' ? `${number} ${past}` : count(number, word)];
  const among = [...some(starts, 'start', 'started'), ...some(stops, 'stop', 'stopped')].join(', ');
  const all = changes === 0 ? ['no changes'] : some(changes - pending, 'change', 'drifted');
  return [
    ...all.map((text) => `${text}${among === '' ? '' : ` (${among})`}`),
    ...(pending === 0 ? [] : [`${pending} pending`]),
    ...(held === 0 ? [] : [`${held} held`]),
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
  ].join(', ');
}

/** The account and host of a unit: `account whales on api.example.com`. */
function unitPlaceText({ account, base_url }: FleetUnit): string {
  const host = /^\w+:\/\/([^/]+)/.exec(base_url)?.[1] ?? base_url;
  return account === null ? host : `account ${account} on ${host}`;
}

/** Why a unit is not ok, in one line: without a document, the code alone, whose message is shown once for all units. Empty if it is ok. */
function reasonText({ exit_code, result, diagnostics, document }: FleetUnit): string {
  if (exit_code === 0) return '';
  const said = [...diagnostics, ...diagnosticsIn(document)];
  const errors = said.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return changeReasonText(document);
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const next = result === 'not-run' && first.hint !== undefined ? `. ${first.hint}` : '';
  const refused = /^(?:invalid_api_token|ip_not_allowed)$/.test(first.error?.code ?? '');
  if (document === null && next === '') return `${refused ? 'token refused' : first.code}${more}`;
  return `${String(first.code)}: ${String(first.message)}${more}${next}`;
}

/** The first change that a report says was not done: `sniper/dawn failed: The change was refused.` */
function changeReasonText(document: FleetUnit['document']): string {
  const changes = document?.format === REPORT_FORMAT ? document.changes : [];
  const bad = changes.filter(({ status }) => status === 'failed' || status === 'unknown');
  const [first, ...more] = bad.length > 0 ? bad : changes.filter(({ status }) => status === 'blocked');
  if (first === undefined) return '';
  const { status, text, error } = first;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${addressOrId(first)} ${status}: ${text === '' ? (error?.message ?? '') : text}${rest}`;
}

function diagnosticsIn(document: FleetUnit['document']): readonly PlanDiagnostic[] {
  return document !== null && 'diagnostics' in document ? document.diagnostics : [];
}

/** What a reading found of a freeze. A report of the switch may also say that it is gone. */
function freezeText({ document }: FleetUnit): readonly string[] {
  const found = diagnosticsIn(document).some(({ code }) => code === 'frozen');
  return found && document?.format !== REPORT_FORMAT ? ['A label freezes starts'] : [];
}

/** What `init` did in an account. */
function madeText({ document }: FleetUnit): string {
  if (document?.format !== RESULT_FORMAT || document.command !== 'init' || !document.ok) return '';
  const { manifests } = document;
  return Array.isArray(manifests)
    ? `${count(manifests.length, 'manifest')} written`
    : 'unchanged: it has a project';
}

/** What `--only` leaves, or an import could not write. */
function leftIn({ document }: FleetUnit): number {
  if (document?.format === PLAN_FORMAT) return document.left?.length ?? 0;
  return diagnosticsIn(document).filter(({ code }) => code === 'export-left-out').length;
}

/** True if the unit needs attention: something is wrong with it, or would change. */
function isNotable(unit: FleetUnit): boolean {
  const { exit_code: code, stakes, document } = unit;
  const said = document?.format === RESULT_FORMAT ? document.diagnostics.length : leftIn(unit);
  const { outside = [], changes = 0, starts = 0, stops = 0, held = 0, blocked = 0 } = stakes ?? {};
  return code + said + outside.length + changes + starts + stops + held + blocked > 0;
}

/** The result, a row for each account, the worst first, and the documents of the accounts. */
async function fleetView(report: FleetReport, look: 'view' | 'page' = 'view'): Promise<View> {
  const { command, fleet, units, digest, exit_code, created_at: at, diagnostics = [] } = report;
  const isDone = isGood(exit_code);
  const isKnown = units.some(({ stakes, last_known: last }) => stakes !== null || last !== undefined);
  const causes = units.flatMap(({ name, document, result, diagnostics: own }) =>
    document === null && result !== 'not-run' ? own.map((one) => ({ ...one, address: name })) : [],
  );
  const views = units.map(
    async (unit): Promise<UnitView> => ({
      name: unit.name,
      place: unitPlaceText(unit),
      view: await unitView(unit, command, look),
      // Why it has no document is said once for all units with this cause, or in its row.
      quiet: !isNotable(unit) || unit.document === null,
    }),
  );
  const notices = await noticesOf(units);
  // A page folds what nobody has to look at.
  const rowsOf = (folded: boolean) =>
    units.flatMap((unit, index) =>
      folded === (look === 'page' && !isNotable(unit))
        ? [unitRow(unit, isKnown, report, notices[index]?.drift)]
        : [],
    );
  const accounts = {
    title: 'Accounts',
    tone: 'dim' as const,
    columns: isKnown ? [...COLUMNS, { title: solTitle(command) }, { title: 'changes' }] : COLUMNS,
    weight: 70,
    unit: ['account', 'accounts'] as const,
  };
  return {
    command: `fleet ${command}`,
    heading: `Fleet ${command} for`,
    subject: { project: fleet, environment: null },
    // An apply relies on the digest of a comment. If some plans failed, there is no digest to rely on.
    digest: isDone ? (digest ?? null) : null,
    verdict: `${resultsText(report)}${units.some(isDry) ? '. Dry run: nothing was sent.' : ''}`,
    tone: isDone ? 'title' : 'error',
    money: sumsText(report),
    parts: [
      ...noteSections([...diagnostics, ...causes]),
      ...section(rowsOf(false), accounts),
      ...section(rowsOf(true), { ...accounts, title: 'Nothing to do', shown: 'collapsed' }),
    ],
    footer: digest === undefined ? [] : [`Digest ${digest}`],
    seeAll: `To see all of it, run \`tradeform fleet ${command}\`.`,
    at,
    about: new Map(units.map((unit) => [unit.name, { action: resultWord(unit, command) }])),
    units: await Promise.all(views),
  };
}

/** A refused unit sent nothing either, but says nothing about the others. */
function isDry({ document }: FleetUnit): boolean {
  if (document?.format !== REPORT_FORMAT || !isSwitched(document)) return false;
  return document.dry_run && document.outcome !== 'refused';
}

const COLUMNS = [{ title: 'account' }, { title: 'result' }];
/** All others are errors. */
const TONES: Readonly<Partial<Record<keyof typeof RESULTS, Tone>>> = {
  ok: 'dim',
  pending: 'dim',
  drifted: 'warn',
  differs: 'change',
  refused: 'warn',
};

function unitRow(
  unit: FleetUnit,
  isKnown: boolean,
  { command, created_at: now }: FleetReport,
  drift: readonly NoticeLine[] = [],
): Row {
  const { name, stakes, last_known: last } = unit;
  const word = resultWord(unit, command);
  const tone = TONES[word] ?? 'error';
  const left = leftIn(unit);
  const below = [
    reasonText(unit),
    named(
      drift.flatMap(({ text }) => text ?? []),
      1,
    ),
    madeText(unit),
    ...freezeText(unit),
    left === 0 ? '' : `${left} left on the service`,
  ]
    .filter((text) => text !== '')
    .join('; ');
  const known = last && `last known ${last.sol}, ${age(Date.parse(now) - Date.parse(last.at))} ago`;
  const [sol, changes] =
    stakes === null
      ? [known ?? 'not known', '']
      : [stakeText(solText(stakes, command), stakes.outside, true), changesText(stakes, command)];
  return {
    tone,
    names: [name],
    beside: unitPlaceText(unit),
    text: changes,
    value: sol,
    below: below === '' ? [] : [below],
    cells: [{ text: name }, { text: word, tone }, ...(isKnown ? [{ text: sol }, { text: changes }] : [])],
  };
}

/** The document of one account in the form of the single command, with everything that this would say beside it. */
async function unitView(
  { document, diagnostics, folder, environment }: FleetUnit,
  command: string,
  look: 'view' | 'page',
): Promise<View> {
  if (document === null) return { ...diagnosticsView(command, diagnostics, UNKNOWN_SUBJECT), heading: '' };
  const kind = await accountKind(document);
  const view = await (kind[look] ?? kind.view)(document, {});
  const parts = view.parts.map((part) => {
    if (!('rows' in part) || part.shown !== 'markdown') return part;
    const { shown: _elsewhere, ...section } = part;
    return section;
  });
  const placed = placedIn({ folder, environment });
  // The title of the account says whose document it is. Of a single switch, stderr has these.
  const isSaid = ({ code }: PlanDiagnostic) =>
    'dry_run' in document && (document.outcome === 'refused' || code === 'file-unwritable');
  const beside = diagnosticsIn(document).filter(isSaid);
  const notes = view.notes?.map(placed) ?? [];
  const all = [...noteSections([...diagnostics, ...beside]), ...parts];
  return { ...view, heading: '', notes, parts: all.map((part) => eachText(part, placed)) };
}

function eachText<Value>(value: Value, change: (text: string) => string): Value {
  const each = (_: string, one: unknown) => (typeof one === 'string' ? change(one) : one);
  return JSON.parse(JSON.stringify(value, each)) as Value;
}

/** Commands of an account with the options that name it: `tradeform apply -C a/desk -e production …`. */
function placedIn({ folder, environment }: Pick<FleetUnit, 'folder' | 'environment'>) {
  const place = `${folder === '.' ? '' : ` -C ${folder}`}${environment === null ? '' : ` -e ${environment}`}`;
  return (text: string) =>
    text.replace(/`tradeform (\w+)( -e \S+)?/g, (_, name: string) => `\`tradeform ${name}${place}`);
}

function noticesOf(units: readonly FleetUnit[]): Promise<readonly DocumentNotice[]> {
  return Promise.all(
    units.map(async ({ document }) =>
      document === null ? {} : ((await (await accountKind(document)).notice?.(document)) ?? {}),
    ),
  );
}

/** A line for each account that is not ok; the same accounts with the same problems are the same situation. */
async function fleetNotice({
  units,
  stakes: { outside },
  diagnostics = [],
}: FleetReport): Promise<DocumentNotice> {
  const notices = await noticesOf(units);
  const unitLines = (identityOf: (unit: FleetUnit, notice: DocumentNotice) => Json): readonly NoticeLine[] =>
    units.map((unit, index) => ({
      ...(unit.exit_code === 0 ? {} : { text: `${unit.name}: ${unit.result}` }),
      identity: identityOf(unit, notices[index] ?? {}),
    }));
  const identities = (all: readonly NoticeLine[] = []): Json => all.map(({ identity }) => identity);
  const sol = units.map(({ stakes }) => stakes?.before ?? '');
  return {
    drift: units.flatMap((unit, index): readonly NoticeLine[] => {
      const lines = notices[index]?.drift ?? [];
      const placed = placedIn(unit);
      const said = lines.map(({ text, way, identity }) => ({
        ...given({
          text: text && `${unit.name}: ${text}`,
          way: way && placed(way),
        }),
        identity,
      }));
      return said.length > 0 ? said : unitLines(({ name }) => [name]).slice(index, index + 1);
    }),
    problems: [
      ...problemsIn(diagnostics),
      ...unitLines(({ name, result, diagnostics: own }, { problems, leftPaused = [] }) => [
        ...[name, result, identities(problemsIn(own))],
        ...[identities(problems), [...leftPaused]],
      ]),
    ],
    applied: notices.reduce((sum, { applied = 0 }) => sum + applied, 0),
    ...(sol.length === 0 ? {} : { exposure: { sol, outside, uncounted: [] } }),
  };
}

export const fleetKind: DocumentKind<FleetReport> = {
  view: (report) => fleetView(report),
  page: (report) => fleetView(report, 'page'),
  findings: ({ diagnostics = [], units, file }) => ({
    findings: [...findingsOf(diagnostics), ...units.flatMap((unit) => findingsOfUnit(unit, file))],
    rules: new Map(),
  }),
  metrics: ({ units }) =>
    units.flatMap(({ name: unit, exit_code, stakes }): readonly Sample[] => [
      ['tradeform_unit_exit_code', exit_code, { unit }],
      ['tradeform_unit_exposure_sol', stakes?.before, { unit }],
    ]),
  notice: fleetNotice,
  essence: { essence: 'the report does not fit BYTES bytes: its result', less: 'look at' },
};

/** A unit that is not ok has an error, even if its document says so only with numbers. */
function findingsOfUnit(unit: FleetUnit, fleetFile: string): readonly FormatFinding[] {
  const placed = [...diagnosticsIn(unit.document), ...unit.diagnostics].map((one) => ({
    ...one,
    message: `${unit.name}: ${one.message}`,
    ...(one.location === undefined ? {} : { location: inFolder(one.location, unit.folder, fleetFile) }),
  }));
  const findings = findingsOf(placed);
  if (unit.exit_code === 0 || findings.some(({ level }) => level === 'error')) return findings;
  const message = `${unit.name}: ended with ${unit.exit_code} (${unit.result}) ${reasonText(unit)}`.trim();
  return [...findings, { rule: `fleet/${unit.result}`, level: 'error', message }];
}

/** From the working directory. */
function inFolder(location: Location, folder: string, fleetFile: string): Location {
  const { file } = location;
  return file === fleetFile || folder === '.' ? location : { ...location, file: `${folder}/${file}` };
}

/** A digest over what was planned for each unit. A unit without a plan is included as such. */
export function fleetDigest(units: readonly Pick<FleetUnit, 'name' | 'digest'>[]): string {
  const listed = units.map(({ name, digest = null }) => [name, digest] as const);
  const sorted = listed.sort(([a], [b]) => compareTexts(a, b));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
