import { FLEET_FORMAT, type FleetReport } from '../model/generated/fleet-report.ts';
import { LOG_FORMAT, type RunLog } from '../model/generated/log.ts';
import type { DocumentKind } from './document.ts';
import { type AccountDocument, type Kinds, OF_ACCOUNTS } from './of-accounts.ts';

export type AnyDocument = AccountDocument | FleetReport | RunLog;

/** The register: all kinds of documents that tradeform prints. */
const KINDS: Kinds<AnyDocument> = {
  ...OF_ACCOUNTS,
  [LOG_FORMAT]: async () => (await import('./log.ts')).logKind,
  [FLEET_FORMAT]: async () => (await import('./fleet.ts')).fleetKind,
};

export const DOCUMENT_FORMATS = Object.keys(KINDS) as readonly AnyDocument['format'][];

export function documentKind<Document extends AnyDocument>(
  document: Document,
): Promise<DocumentKind<Document>> {
  return KINDS[document.format](document as never) as Promise<unknown> as Promise<DocumentKind<Document>>;
}
