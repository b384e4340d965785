import type { Field } from '../model/generated/plan.ts';
import type { ListedChange } from '../plan/review/digest.ts';
import type { WalletNames } from './field-words.ts';
import type { Tone } from './style.ts';
import type { DocumentSubject } from './subject.ts';

/**
 * The content of a plan, a report or a drift document without any layout. It is made once from the document, then laid out for
 * a terminal (`text-layout.ts`) or as Markdown (`markdown/layout.ts`). Texts are raw. A layout escapes each line when it
 * composes it (HAZARDS 48). Commands in texts are in backticks.
 */
export interface View {
  /** `plan`: the value in the hidden header of Markdown. */
  readonly command: string;
  /** `Drift of`. Absent if it is obvious. */
  readonly heading?: string;
  /** A terminal shows the verdict and the notes at the end. `bare`: the subject was shown just before. */
  readonly end?: 'titled' | 'bare';
  readonly subject: DocumentSubject;
  readonly digest?: string | null;
  /** The changes that an apply after the merge may make. */
  readonly approves?: { readonly changes: readonly ListedChange[]; readonly order: string | undefined };
  /** The result in one line: `2 start · 11 change`, `No changes`, `Plan refused: guardrail-max-factor. Nothing was changed.` */
  readonly verdict: string;
  readonly tone: Tone;
  /** `6.011 → 7.714 SOL at stake (+28%)`, per trigger. */
  readonly money?: string | undefined;
  /** Further counts. */
  readonly facts?: readonly string[];
  /** Limits of the whole document: a selection, a base. */
  readonly notes?: readonly string[];
  readonly parts: readonly (Section | ChangeTable)[];
  /** Names of wallets in the fields of rows. */
  readonly names?: WalletNames;
  /** Differences that Markdown shows separately from their rows, the most expensive first. */
  readonly fields?: { readonly title: string; readonly subjects: readonly Subject[] } | undefined;
  /** Names that Markdown never leaves out, even without room for the changes. */
  readonly named?: readonly NamedList[];
  readonly footer?: readonly string[];
  /** URL on a forge that shows the files of the project at the commit of the document; the path of a file follows it. */
  readonly files?: string | undefined;
  /** A sentence that says where to see all of it. */
  readonly seeAll?: string;
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
  /** A terminal shows this in place of the rows, unless details are requested. */
  readonly brief?: readonly string[];
  /** quiet: shown on a terminal only with details, and collapsed in Markdown. markdown: a terminal shows the facts elsewhere. */
  readonly shown?: 'quiet' | 'collapsed' | 'markdown';
}

export interface Row {
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
  /** Separate lines below the row. */
  readonly below?: readonly string[];
  /** Ids of the requests, of the first item if the row stands for several. */
  readonly requests?: readonly string[];
  /** What to do next. */
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
  /** For a row of several members: how many of them do something else as well. */
  readonly aside: string;
  readonly warnings: readonly string[];
  /** SOL per trigger, over all members. Undefined if nothing is at stake. */
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
