import type { Project } from '../files/project.ts';
import type { Plan } from '../model/generated/plan.ts';
import { REDACTED } from '../render/redact.ts';
import type { Io } from './io.ts';

type Redacting = Pick<Io, 'redactor'>;

/** A document, diagnostics or an event as it may be shown: with `--redact-wallets` names stand where addresses stood. */
export function shown<Document>(document: Document, { redactor }: Redacting): Document {
  return redactor === undefined ? document : redactor.document(document);
}

/** A plan as it may be shown. Its digest stays that of the plan; with `--redact-wallets` it has no checksum and cannot be applied. */
export function shownPlan(plan: Plan, io: Redacting): Plan {
  return io.redactor === undefined ? plan : { ...shown(plan, io), integrity: REDACTED };
}

/** Makes the wallet books of a project known, and every address that stands in its files. */
export function knowProject({ wallets, sources }: Project, { redactor }: Redacting): void {
  redactor?.learn(wallets);
  redactor?.know([...sources.keys()].map((file) => sources.get(file) ?? ''));
}
