import { documentValidators } from '../model/generated/validators.js';
import type { AnyDocument } from './register.ts';

/** What its schema says against a document, to append to a sentence. The validators are large: only readers load this. */
export function problemWith(document: AnyDocument): string | undefined {
  const schema = documentValidators[document.format];
  if (schema?.(document) === true) return undefined;
  const [problem] = schema?.errors ?? [];
  return ` (${problem?.instancePath || 'the document'} ${problem?.message ?? 'is not valid'})`;
}
