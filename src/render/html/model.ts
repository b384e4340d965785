import type { Field } from '../../model/generated/plan.ts';
import type { View } from '../view.ts';

/** A document as a page for a browser: its view, and further details for which a page has room. */
export interface Page {
  readonly view: View;
  /** When the document was made or the work ended, ISO 8601. */
  readonly at?: string;
  /** SOL per trigger. */
  readonly bars?: readonly BarGroup[];
  /** Further facts about the names in rows, by address. */
  readonly about?: ReadonlyMap<string, About>;
  /** The milliseconds from the first step to the last. */
  readonly span?: number;
  /** For a fleet: the pages of the units that need attention. */
  readonly units?: readonly { readonly name: string; readonly place: string; readonly page: Page }[];
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly before: string; readonly after: string }[];
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

/** In the first bytes of every page. No other file is overwritten. */
export const HTML_MARK = '<meta name="generator" content="tradeform">';
