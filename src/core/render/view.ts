import { byKey } from '../model/by-key.ts';
import type { Field, Override, Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import { acceptingText, count } from '../model/named.ts';
import type { ListedChange } from '../plan/review/digest.ts';
import { placeText, type WalletNames } from './differences.ts';
import type { Tone } from './layout.ts';

/**
 * The content of a document without any layout. It is made once from the document, then laid out for a terminal
 * (`text-layout.ts`), as Markdown (`markdown/layout.ts`) or as a page for a browser (`html/layout.ts`). Texts are raw. A layout
 * escapes each line when it composes it (HAZARDS 48). Commands in texts are in backticks.
 */
export interface View {
  /** `plan`: the value in the hidden header of Markdown. */
  readonly command: string;
  /** `Drift of`. Absent if it is obvious. */
  readonly heading?: string;
  /** The subject was shown just before: a terminal begins with the verdict. */
  readonly bare?: true;
  /** A terminal shows details without being asked. */
  readonly detailed?: true;
  readonly subject: DocumentSubject;
  readonly digest?: string | null;
  /** The changes that an apply after the merge may make. */
  readonly approves?: { readonly changes: readonly ListedChange[]; readonly order: string | undefined };
  /** The result in one line: `2 to change · 0 to start …`, `No changes.`, `Refused: max_factor.` */
  readonly verdict: string;
  /** What happens, for the title of a comment or a page, where the verdict counts everything. */
  readonly headline?: string;
  readonly tone: Tone;
  /** `6.011 → 7.714 SOL at stake (+28%)`, per trigger. */
  readonly money?: string | undefined;
  /** Further counts. */
  readonly facts?: readonly string[];
  /** Limits of the whole document: a selection, a base. */
  readonly notes?: readonly string[];
  readonly parts: readonly (Section | ChangeTable)[];
  readonly names?: WalletNames;
  /** Differences that Markdown shows separately from their rows, the most expensive first. */
  readonly fields?: { readonly title: string; readonly subjects: readonly Subject[] } | undefined;
  /** Names that Markdown never leaves out, even without room for the changes. */
  readonly named?: readonly NamedList[];
  readonly footer?: readonly string[];
  /** Behind the footer: `from 1f2e3d4`. */
  readonly source?: readonly string[];
  /** URL on a forge that shows the files of the project at the commit of the document; the path of a file follows it. */
  readonly files?: string | undefined;
  /** A sentence that says where to see all of it. */
  readonly seeAll?: string;
  /** For a page: when the document was made or the work ended, ISO 8601. */
  readonly at?: string;
  /** For a page: further facts about the names in rows, by address. */
  readonly about?: ReadonlyMap<string, About>;
  /** For a page: the milliseconds from the first step to the last. */
  readonly span?: number;
  /** The accounts of a fleet. */
  readonly units?: readonly UnitView[];
}

export interface UnitView {
  readonly name: string;
  /** Its account and host. */
  readonly place: string;
  readonly view: View;
  /** Nothing is wrong with it: only a terminal shows it, with details. */
  readonly quiet: boolean;
}

export interface About {
  readonly label?: string;
  /** What is done to it, or its state, in a word or two. */
  readonly action?: string;
  readonly steps?: readonly TimelineStep[];
  /** What was planned for it. */
  readonly why?: readonly string[];
  readonly fields?: readonly Field[];
}

/** One request, or several for one purpose. */
export interface TimelineStep {
  readonly words: string;
  readonly result: string;
  readonly bad: boolean;
  /** It changed nothing: after a failed pause the task goes on trading, after a failed resume it stays paused. */
  readonly failed: boolean;
  /** The task does not trade from here to the `resumes` of the same address. */
  readonly pauses: boolean;
  readonly resumes: boolean;
  /** Milliseconds from the start to the sending. Undefined if not recorded. */
  readonly at: number | undefined;
  /** Milliseconds to the answer. */
  readonly took: number | undefined;
}

export interface NamedList {
  readonly title: string;
  readonly names: readonly string[];
  /** Names for which the same was planned before this change. */
  readonly former: readonly string[];
}

export const THESE = ['of these', 'of these'] as const;

/** A list of facts. */
export interface Section {
  readonly title: string;
  /** The number in the title, if it is not the number of rows. */
  readonly number?: number;
  /** Text after the title and its number. */
  readonly aside?: string;
  readonly tone: Tone;
  readonly rows: readonly Row[];
  /** A terminal and Markdown show the `cells` of the rows as a table, and what is below them. */
  readonly columns?: readonly Column[];
  /** Ways to resolve all of them. */
  readonly ways?: readonly string[];
  /**
   * Priority for room in Markdown: a section with a higher weight is cut later. Without a weight it is never cut, up to a
   * quarter of a comment.
   */
  readonly weight?: number;
  /** Without room for the rows, the names are kept longer than the texts about them. */
  readonly namesFirst?: true;
  /** A terminal shows rows that say the same as one, unless details are requested. Markdown always does. */
  readonly merges?: true;
  /** The words for one item and for several. Default: {@link THESE}. */
  readonly unit?: readonly [string, string];
  /** The maximum of rows on a terminal. */
  readonly most?: number;
  /** quiet: shown on a terminal only with details, and collapsed in Markdown. markdown: a terminal shows the facts elsewhere. */
  readonly shown?: 'quiet' | 'collapsed' | 'markdown';
}

export interface Column {
  readonly title: string;
  /** The maximum of terminal cells. */
  readonly most?: number;
}

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Row {
  /** One for each column of the section, the name first. */
  readonly cells?: readonly Cell[];
  readonly sign?: string;
  readonly tone?: Tone;
  /** The code of a diagnostic, with its severity. */
  readonly code?: readonly [severity: string, code: string];
  readonly names: readonly string[];
  /** Text after the names: ` (running)`. */
  readonly beside?: string;
  readonly text: string;
  /** A number or a word in its own column. */
  readonly value?: string;
  readonly places?: readonly string[];
  readonly below?: readonly string[];
  /** Ids of the requests, of the first item if the row stands for several. */
  readonly requests?: readonly string[];
  readonly next?: readonly string[];
  readonly fields?: readonly Field[];
  /** Paths of fields that the title of the section tells. They are shown in detail only. */
  readonly told?: readonly string[];
  /** The number of items in the row, if not one. */
  readonly size?: number;
}

/** Changes, the most expensive first. Equal ones share a row. */
export interface ChangeTable {
  readonly title: string;
  readonly changes: readonly ChangeRow[];
  /** The changes were already planned before this change. */
  readonly former: boolean;
}

export interface ChangeRow {
  readonly sign: string;
  readonly tone: Tone;
  /** `create, start` */
  readonly action: string;
  /** An address, or `9 snipers`. */
  readonly name: string;
  /** Names of the tasks in a row of several, without the kind; else empty. */
  readonly members: readonly string[];
  /** All members are named, also without details, because they start, stop, are created or deleted. */
  readonly weighty: boolean;
  readonly remark: string;
  readonly what: string;
  /** The same with only the fields that can cost money. */
  readonly dear: string;
  readonly warnings: readonly string[];
  /** SOL at stake, over all members. Undefined if nothing is at stake. */
  readonly stake: string | undefined;
  /** The place in the manifests, if all members share it. */
  readonly place: Field['origin'];
  /** Addresses of wallets that the change sets, in full, each with its sign. */
  readonly wallets: readonly string[];
  readonly details: ChangeDetails;
}

/** An item whose fields differ. */
export interface Subject {
  /** Its address. */
  readonly name: string;
  readonly running: boolean;
  readonly fields: readonly Field[];
}

interface ChangeDetails {
  /** Everything that the row combines. */
  readonly subjects: readonly Subject[];
  /** Reasons, as sentences. */
  readonly why: readonly string[];
  /** With a base: first what this change does, then what was planned before. */
  readonly fields: readonly { readonly title?: string; readonly fields: readonly Field[] }[];
  readonly requests: string;
}

/** The known facts about the subject of a document. */
export interface DocumentSubject {
  readonly project: string | null;
  readonly environment: string | null;
  readonly service?: {
    readonly base_url?: string;
    /** null: an account without a name. */
    readonly login_username?: string | null;
    /** The account is the one that the project file pins. The service was not asked yet. */
    readonly pinned?: boolean;
  };
}

/**
 * The subject of a document, for its title: `core · production`, and in small print `whales on api.example.invalid`. A reader
 * must notice a plan for the wrong account or host. `write` escapes each name. Empty if nothing is known.
 */
export function subjectParts(
  { project, environment, service = {} }: DocumentSubject,
  write: (text: string) => string,
): readonly [names: string, place: string] {
  const { base_url: baseUrl, login_username: account, pinned } = service;
  const host = baseUrl === undefined ? undefined : /^\w+:\/\/([^/]+)/.exec(baseUrl)?.[1];
  const place = [
    account === undefined ? '' : account === null ? 'account without a name' : write(account),
    account !== undefined && pinned === true ? '(as pinned)' : '',
    host === undefined ? '' : `on ${write(host)}`,
  ];
  return [
    [project, environment].flatMap((name) => (name === null ? [] : [write(name)])).join(' · '),
    place.filter((part) => part !== '').join(' '),
  ];
}

export function subjectText(subject: DocumentSubject, write: (text: string) => string): string {
  const parts = subjectParts(subject, write).filter((part) => part !== '');
  return parts.join(parts[1]?.startsWith('on ') === true ? ' ' : ' · ');
}

/** Sections that several documents share. A section without rows is left out. */

export function section(rows: readonly Row[], about: Omit<Section, 'rows'>): readonly Section[] {
  return rows.length === 0 ? [] : [{ ...about, rows }];
}

export function itemsIn(rows: readonly Row[]): number {
  return rows.reduce((sum, { size = 1 }) => sum + size, 0);
}

/** More names in one row could only be cut together. */
const MOST_TOGETHER = 20;

/** Rows that say the same of different names, as one. Such rows differ in their request ids at most. */
export function together(rows: readonly Row[]): readonly Row[] {
  const same = byKey(rows, (row) => JSON.stringify({ ...row, names: [], size: 0, requests: [] }));
  return [...same.values()].flatMap((equal) =>
    Array.from({ length: Math.ceil(equal.length / MOST_TOGETHER) }, (_, at): Row => {
      const some = equal.slice(at * MOST_TOGETHER, (at + 1) * MOST_TOGETHER);
      return { ...(some[0] ?? { text: '' }), names: some.flatMap(({ names }) => names), size: itemsIn(some) };
    }),
  );
}

/** The fields that are shown without details. */
export function briefFields({ fields = [], told = [] }: Row): readonly Field[] {
  return fields.filter(({ path }) => !told.includes(path));
}

/** `request 1f2e…`, `last request of sniper/alpha 2a3b…; all with -o json`. */
export function requestLines({ names, requests = [] }: Row): readonly string[] {
  const last = requests.at(-1);
  if (last === undefined) return [];
  if (names.length > 1) return [`last request of ${names[0]} ${last}`];
  return [requests.length === 1 ? `request ${last}` : `last request ${last}; all with \`-o json\``];
}

/** One misspelt label can be wrong in a thousand tasks, and a reader needs only a few of the places. */
const MOST_TOLD = 5;

export const WARNINGS_TITLE = 'Warnings';

/** Errors, warnings and notes. Equal ones about different addresses share a row. */
export function noteSections(diagnostics: readonly PlanDiagnostic[]): readonly Section[] {
  const of = (wanted: PlanDiagnostic['severity']) =>
    diagnostics.filter(({ severity }) => severity === wanted);
  return [
    ...noteSection(of('error'), { title: 'Errors', tone: 'error', weight: 90, unit: ['error', 'errors'] }),
    ...noteSection(of('warning'), {
      title: WARNINGS_TITLE,
      tone: 'warn',
      weight: 55,
      unit: ['warning', 'warnings'],
    }),
    ...noteSection(of('info'), {
      title: 'Notes',
      tone: 'dim',
      weight: 20,
      unit: ['note', 'notes'],
      shown: 'collapsed',
    }),
  ];
}

export function noteSection(
  diagnostics: readonly PlanDiagnostic[],
  about: Omit<Section, 'rows'>,
): readonly Section[] {
  const same = byKey(diagnostics, ({ severity, code, message, hint, address, provenance }) =>
    JSON.stringify([severity, code, withoutAddress(message, address), withoutReach(hint), provenance]),
  );
  return section([...same.values()].map(noteRow), about);
}

/** The common message of many diagnostics, without the address. */
function withoutAddress(message: string, address: string | undefined): string {
  return address === undefined ? message : message.replaceAll(address, '…').replace(/^…:? /, '');
}

/** Of one preset, a hint names the tasks. Of several, the places say it. */
function withoutReach(hint: string | undefined): string | undefined {
  return hint?.replace(/;? this affects .*$/, '');
}

function noteRow(same: readonly PlanDiagnostic[]): Row {
  const [first] = same;
  if (first === undefined) return { names: [], text: '' };
  const { severity, code, message, hint, address, provenance } = first;
  const places = same.flatMap(({ location }) => (location === undefined ? [] : [placeText(location)]));
  const more = same.length - MOST_TOLD;
  const names = [...new Set(same.flatMap((item) => item.address ?? []))];
  const whole = same.length === 1 && address !== undefined && message.includes(address);
  return {
    code: [severity === 'info' ? 'note' : severity, code],
    names: whole ? [] : names.slice(0, MOST_TOLD),
    beside: more > 0 ? ` and ${more} more` : '',
    text: whole ? message : withoutAddress(message, address),
    places: places.slice(0, MOST_TOLD),
    below: [
      ...(provenance === 'before' ? ['Already so before this change.'] : []),
      ...(hint === undefined ? [] : [(same.length > 1 ? withoutReach(hint) : hint) ?? '']),
    ],
    size: same.length,
  };
}

export function overridesSection(
  overrides: readonly Pick<Override, 'guardrail' | 'findings'>[] = [],
): readonly Section[] {
  const rows = overrides.map(({ guardrail, findings }): Row => {
    return { sign: '!', tone: 'warn', names: [guardrail], text: count(findings, 'finding') };
  });
  return section(rows, {
    title: 'Allowed by --override, for this plan only',
    tone: 'warn',
    weight: 88,
    unit: ['guardrail allowed', 'guardrails allowed'],
  });
}

/** What `--only` leaves, with its fields (live → git) and the two ways to resolve it. */
export function leftSection({
  left = [],
  environment,
}: {
  readonly left?: Plan['left'];
  readonly environment: Plan['environment'];
}): readonly Section[] {
  const rows = left.map(({ address, running, text, fields }) => ({
    sign: '·',
    names: [address],
    beside: running ? ' (running)' : '',
    text: text ?? '',
    below: [...new Set(fields.map((field) => field.text))],
    fields,
  }));
  return section(rows, {
    title: 'Left as they are on the service',
    aside: ': service → git, not applied',
    tone: 'warn',
    ways: [
      `To accept these differences in git: ${acceptingText(left, environment)}. To undo them on the service: apply without \`--only\`, for a single address with \`--target ADDRESS\`.`,
    ],
    weight: 74,
    unit: ['address that is left', 'addresses that are left'],
  });
}

/** `0.35 s`. */
export function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
