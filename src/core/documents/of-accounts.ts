import { DRIFT_FORMAT } from '../model/generated/drift.ts';
import type { FleetUnit } from '../model/generated/fleet-report.ts';
import { PLAN_FORMAT } from '../model/generated/plan.ts';
import { REPORT_FORMAT } from '../model/generated/report.ts';
import { RESULT_FORMAT } from '../model/generated/result.ts';
import { STATUS_FORMAT } from '../model/generated/status.ts';
import { type DocumentKind, isSwitched } from './document.ts';

export type AccountDocument = NonNullable<FleetUnit['document']>;

type KindFor<Document> = Document extends unknown ? DocumentKind<Document> : never;

/** The kinds of some documents by their format. Each is loaded when it is needed. */
export type Kinds<Documents extends { readonly format: string }> = {
  readonly [Format in Documents['format']]: (
    document: Extract<Documents, { readonly format: Format }>,
  ) => Promise<KindFor<Extract<Documents, { readonly format: Format }>>>;
};

export const OF_ACCOUNTS: Kinds<AccountDocument> = {
  [PLAN_FORMAT]: async () => (await import('./plan.ts')).planKind,
  [REPORT_FORMAT]: async (report) =>
    isSwitched(report) ? (await import('./switch.ts')).switchKind : (await import('./report.ts')).reportKind,
  [DRIFT_FORMAT]: async () => (await import('./drift.ts')).driftKind,
  [STATUS_FORMAT]: async () => (await import('./status.ts')).statusKind,
  [RESULT_FORMAT]: async () => (await import('./result.ts')).resultKind,
};

export function accountKind(document: AccountDocument): Promise<DocumentKind<AccountDocument>> {
  // What a format gives for a document is for this document.
  return OF_ACCOUNTS[document.format](document as never) as Promise<unknown> as Promise<
    DocumentKind<AccountDocument>
  >;
}

/** What a document says of its project and account. Undefined if it says nothing. */
export function accountIn(document: AccountDocument) {
  return document.format === RESULT_FORMAT ? undefined : document;
}
