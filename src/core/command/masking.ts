import type { DocumentKind, Known } from '../documents/document.ts';
import type { AnyDocument } from '../documents/register.ts';
import { maskPlan } from '../render/masking/by-path.ts';
import type { Io } from './io.ts';

type Masked = Pick<Io, 'masking'>;

/** A document, diagnostics or an event in the form that may be shown: without secrets. */
export function shown<Document>(document: Document, { masking }: Masked): Document {
  return masking.document(document);
}

/** A document of the register in that form, with what is known besides. */
export function maskedDocument<Document extends AnyDocument>(
  document: Document,
  { masked }: DocumentKind<Document>,
  { plan, subject, ...known }: Known,
  io: Masked,
): { readonly masked: Document; readonly known: Known } {
  const given: Known = { ...known, ...(plan === undefined ? {} : { plan }) };
  return {
    masked: shown(masked?.(document, given) ?? document, io),
    known: {
      ...given,
      ...(plan === undefined ? {} : { plan: shown(maskPlan(plan), io) }),
      ...(subject === undefined ? {} : { subject: async () => shown(await subject(), io) }),
    },
  };
}
