import type { Field } from '../../model/generated/plan.ts';
import type { View } from '../view.ts';

/** A document as a page for a browser: what the view of it says, and what there is room for besides. */
export interface Page {
  readonly view: View;
  /** When it was made, or when the work ended; ISO 8601. */
  readonly at?: string;
  /** SOL per trigger. */
  readonly bars?: readonly BarGroup[];
  /** What else is known of what the rows name, by address. */
  readonly about?: ReadonlyMap<string, About>;
  /** Milliseconds that the steps took together, from the first to the last. */
  readonly span?: number;
  /** Of a fleet: the pages of its units that are worth a look. */
  readonly units?: readonly { readonly name: string; readonly place: string; readonly page: Page }[];
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly before: string; readonly after: string }[];
}

export interface About {
  readonly label?: string;
  /** What is done to it, or the state that it is in: a word or two. */
  readonly action?: string;
  readonly steps?: readonly TimelineStep[];
  /** What was planned for it. */
  readonly why?: readonly string[];
  readonly fields?: readonly Field[];
}

/** A request, or several for one purpose. */
export interface TimelineStep {
  readonly words: string;
  readonly result: string;
  readonly bad: boolean;
  /** From here to the `resumes` of the same address it does not trade. */
  readonly pauses: boolean;
  readonly resumes: boolean;
  /** Milliseconds from the beginning to the sending; undefined where nobody wrote it down. */
  readonly at: number | undefined;
  /** Milliseconds to the answer. */
  readonly took: number | undefined;
}

/** The first bytes of a page hold it: no other file is written over. */
export const HTML_MARK = '<meta name="generator" content="tradeform">';
