import type { Stakes } from '../model/generated/fleet-report.ts';
import type { Outside, Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { Report, SwitchReport } from '../model/generated/report.ts';
import type { Json } from '../model/json.ts';
import type { FindingsDocument } from '../render/finding.ts';
import type { Essence } from '../render/format.ts';
import type { Sample } from '../render/metrics.ts';
import type { DocumentSubject, View } from '../render/view.ts';

/** What a command knows besides its document. */
export interface Known {
  /** The plan that a report carried out. */
  readonly plan?: Plan;
  /** Wallets by their names in the wallet books. */
  readonly wallets?: ReadonlyMap<string, string>;
  /** The subject of a document that names none. */
  readonly subject?: () => DocumentSubject | Promise<DocumentSubject>;
  /** See {@link View.files}. */
  readonly files?: string | undefined;
}

export type DocumentFindings = Pick<FindingsDocument, 'findings' | 'rules' | 'completed'>;

/** What is done with the documents of one format: a row of the register. All but `masked` get documents that are masked. */
export interface DocumentKind<Document> {
  /** For people. */
  readonly view: (document: Document, known: Known) => View | Promise<View>;
  /** For a browser, if that is more than the view. */
  readonly page?: (document: Document, known: Known) => View | Promise<View>;
  /** For the machines of a forge. Absent for a document that checks nothing: it has no annotations and no step summary. */
  readonly findings?: (document: Document, known: Known) => DocumentFindings;
  /** The same document without the values that came from the environment, where a document says which these are. */
  readonly masked?: (document: Document, known: Known) => Document;
  /** For Prometheus. */
  readonly metrics?: (document: Document) => readonly Sample[];
  /** For the channels of notifications. */
  readonly notice?: (document: Document) => DocumentNotice | Promise<DocumentNotice>;
  /** The exposure of the account, for the sums of a fleet. Absent if the document does not contain it. */
  readonly stakes?: (document: Document) => Stakes;
  /** The part of the Markdown that is never cut. Without it, a document without room is its verdict. */
  readonly essence?: Essence;
}

/** What a document says to people who are not there. */
export interface DocumentNotice {
  /** Addresses of tasks that ran before and were left paused. */
  readonly leftPaused?: readonly string[];
  /** What differs from git. */
  readonly drift?: readonly NoticeLine[];
  /** What failed, and why. */
  readonly problems?: readonly NoticeLine[];
  /** Changes that were made. */
  readonly applied?: number;
  /** SOL at stake of the running tasks of each account, what trades outside git, and sentences about what else they leave out. Absent if unknown. */
  readonly exposure?: {
    readonly sol: readonly string[];
    readonly outside: readonly Outside[] | undefined;
    readonly uncounted: readonly string[];
  };
}

export interface NoticeLine {
  /** Undefined for what is not worth a line. */
  readonly text?: string;
  /** What to do about it, from the folder of the project. */
  readonly way?: string;
  /** What makes it the same in another run, without times and request ids. */
  readonly identity: Json;
}

/** The errors among diagnostics. Their identity has the codes in the message (the service's own too), but not the message. */
export function problemsIn(diagnostics: readonly PlanDiagnostic[]): readonly NoticeLine[] {
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ code, address, message }) => ({
      text: `${code}: ${message}`,
      identity: [code, address ?? null, message.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []],
    }));
}

/** A task that trades although no manifest describes it. */
export function isStray(item: { readonly class: string; readonly running: boolean }): boolean {
  return item.class === 'unmanaged' && item.running;
}

/** True for the report of a pause, a resume or a release. */
export function isSwitched(report: Report): report is SwitchReport {
  return 'dry_run' in report;
}
