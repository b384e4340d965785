import type { Field } from '../model/generated/plan.ts';
import type { ListedChange } from '../plan/review/digest.ts';
import type { WalletNames } from './field-words.ts';
import type { Tone } from './style.ts';
import type { DocumentSubject } from './subject.ts';

/**
 * What a plan, a report or a drift says, free of any layout: made once from the document, then laid out for a terminal
 * (`text-layout.ts`) or as Markdown (`markdown/layout.ts`). Texts are raw. A layout makes each line harmless when it is
 * composed (HAZARDS 48); commands in them are in backticks.
 */
export interface View {
  /** `plan`: the hidden header of Markdown has it. */
  readonly command: string;
  /** `Drift of`; none where it goes without saying. */
  readonly heading?: string;
  /** A terminal shows what it comes to, and the notes, at the end; `bare`: it has just shown what all of it is about. */
  readonly end?: 'titled' | 'bare';
  readonly subject: DocumentSubject;
  readonly digest?: string | null;
  /** What an apply after the merge may do. */
  readonly approves?: readonly ListedChange[];
  /** What it comes to: `2 start · 11 change`, `No changes`, `Plan refused. Nothing was changed.` */
  readonly verdict: string;
  readonly tone: Tone;
  /** `6.011 → 7.714 SOL at stake (+28%)`: per trigger. */
  readonly money?: string | undefined;
  /** What is counted besides. */
  readonly facts?: readonly string[];
  /** What limits all of it: a selection, a base. */
  readonly notes?: readonly string[];
  readonly parts: readonly (Section | ChangeTable)[];
  /** Of wallets in the fields of rows. */
  readonly names?: WalletNames;
  /** Differences that Markdown shows apart from the rows that have them, the dearest first. */
  readonly fields?: { readonly title: string; readonly subjects: readonly Subject[] } | undefined;
  /** Names that Markdown never leaves out, where it has no room for the changes. */
  readonly named?: readonly NamedList[];
  readonly footer?: readonly string[];
  /** Stands before the footer where it is read on a forge. */
  readonly merging?: string | undefined;
  /** Where all of it can be seen, as a sentence. */
  readonly seeAll?: string;
}

export interface NamedList {
  readonly title: string;
  readonly names: readonly string[];
  /** Those that were so before this change. */
  readonly former: readonly string[];
}

export const THESE = ['of these', 'of these'] as const;

/** A list of things to know. */
export interface Section {
  readonly title: string;
  /** Where it is not that of the rows. */
  readonly number?: number;
  /** Follows the title and its number. */
  readonly aside?: string;
  readonly tone: Tone;
  readonly rows: readonly Row[];
  /** What can be done about all of them. */
  readonly ways?: readonly string[];
  /** Room in Markdown: the higher, the later it is cut; without one never, up to a quarter of a comment. */
  readonly weight?: number;
  /** Where there is no room for the rows, their names are told before what is said of them. */
  readonly namesFirst?: true;
  /** What one of them is called, and several; else {@link THESE}. */
  readonly unit?: readonly [string, string];
  /** Rows that a terminal shows, where it does not show all. */
  readonly most?: number;
  /** For the terminal in place of the rows, unless details are asked for. */
  readonly brief?: readonly string[];
  /** quiet: a terminal shows it with details only, Markdown collapsed; markdown: a terminal has it elsewhere. */
  readonly shown?: 'quiet' | 'collapsed' | 'markdown';
}

export interface Row {
  readonly sign?: string;
  readonly tone?: Tone;
  /** Code of a diagnostic, with its severity. */
  readonly code?: readonly [severity: string, code: string];
  readonly names: readonly string[];
  /** Follows the names: ` (running)`. */
  readonly beside?: string;
  readonly text: string;
  /** A number or a word, in a column of its own. */
  readonly value?: string;
  readonly places?: readonly string[];
  /** Lines of their own. */
  readonly below?: readonly string[];
  /** What to do next. */
  readonly next?: readonly string[];
  readonly fields?: readonly Field[];
  /** Things that the row stands for, where that is not one. */
  readonly size?: number;
}

/** Changes, the dearest first; equal ones are one row. */
export interface ChangeTable {
  readonly title: string;
  readonly changes: readonly ChangeRow[];
  /** Were planned before this change already. */
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
  /** All of the members are named, also without details: they start, stop, come or go. */
  readonly weighty: boolean;
  readonly remark: string;
  readonly what: string;
  /** The same with nothing but the fields that can cost money. */
  readonly dear: string;
  /** Of a row of several: how many of them do what else. */
  readonly aside: string;
  readonly warnings: readonly string[];
  /** SOL per trigger, of all members; undefined where nothing is at stake. */
  readonly stake: string | undefined;
  /** Where in the manifests, if all members have one place. */
  readonly place: string | undefined;
  /** Addresses of wallets that the change sets, whole, each with its sign. */
  readonly wallets: readonly string[];
  readonly details: ChangeDetails;
}

/** Something whose fields differ. */
export interface Subject {
  /** Its address. */
  readonly name: string;
  readonly running: boolean;
  readonly fields: readonly Field[];
}

export interface ChangeDetails {
  /** All that the row stands for. */
  readonly subjects: readonly Subject[];
  /** Sentences. */
  readonly why: readonly string[];
  /** With a base: what this change does, then what was so before. */
  readonly fields: readonly { readonly title?: string; readonly fields: readonly Field[] }[];
  readonly requests: string;
}
