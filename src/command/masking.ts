import type { Plan } from '../model/generated/plan.ts';
import type { Project } from '../project/project.ts';
import { maskPlan, secretsOfPlan } from '../render/masking/by-path.ts';
import { REDACTED } from '../render/masking/wallets.ts';
import type { Io } from './io.ts';

type Masked = Pick<Io, 'masking'>;

/**
 * A document, diagnostics or an event in the form that may be shown: without secrets, and with names instead of addresses under
 * `--redact-wallets`.
 */
export function shown<Document>(document: Document, { masking }: Masked): Document {
  return masking.document(document);
}

/**
 * A plan in the form that may be shown. It keeps the digest of the plan. Under `--redact-wallets` it has no checksum and cannot
 * be applied.
 */
export function shownPlan(plan: Plan, io: Masked): Plan {
  const masked = shown(maskPlan(plan), io);
  return io.masking.hidesWallets ? { ...masked, integrity: REDACTED } : masked;
}

/** Registers the secrets of a project: values from the environment, wallets, and addresses in its files. */
export function knowProject({ environment, wallets, sources }: Project, { masking }: Masked): void {
  masking.learnEnvironment(environment);
  masking.learnWallets(wallets);
  if (masking.hidesWallets) masking.know([...sources.keys()].map((file) => sources.get(file) ?? ''));
}

/** Registers the secrets of a saved plan, which holds the values unmasked. */
export function knowPlan(plan: Plan, { masking }: Masked): void {
  masking.learnValues(secretsOfPlan(plan));
}
