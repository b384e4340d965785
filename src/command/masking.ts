import type { Plan } from '../model/generated/plan.ts';
import type { Project } from '../project/project.ts';
import { maskPlan, secretsOfPlan } from '../render/masking/by-path.ts';
import { REDACTED } from '../render/masking/wallets.ts';
import type { Io } from './io.ts';

type Masked = Pick<Io, 'masking'>;

/** A document, diagnostics or an event as it may be shown: without what is secret; with `--redact-wallets` with names for addresses. */
export function shown<Document>(document: Document, { masking }: Masked): Document {
  return masking.document(document);
}

/** A plan as it may be shown. Its digest stays that of the plan; with `--redact-wallets` it has no checksum and cannot be applied. */
export function shownPlan(plan: Plan, io: Masked): Plan {
  const masked = shown(maskPlan(plan), io);
  return io.masking.hidesWallets ? { ...masked, integrity: REDACTED } : masked;
}

/** Makes the secrets of a project known: values that it took from the environment, wallets, addresses in its files. */
export function knowProject({ environment, wallets, sources }: Project, { masking }: Masked): void {
  masking.learnEnvironment(environment);
  masking.learnWallets(wallets);
  if (masking.hidesWallets) masking.know([...sources.keys()].map((file) => sources.get(file) ?? ''));
}

/** The same of a saved plan, which holds the values whole. */
export function knowPlan(plan: Plan, { masking }: Masked): void {
  masking.learnValues(secretsOfPlan(plan));
}
