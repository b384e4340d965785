import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import { CODE_NAMES, codePage } from './code.ts';

/** What is checked of a field across fields and manifests, beyond its own type and range. */
interface FieldRule {
  readonly code: DiagnosticCode;
  readonly text: string;
}

/** The codes whose pages name fields; read once, by whoever asks for a field. */
const RULES = CODE_NAMES.map((code) => ({ code, ...codePage(code) })).filter(
  ({ fields }) => fields.length > 0,
);

/** The rules about a field, by its path as `explain` shows it. */
export function rulesOf(path: string): readonly FieldRule[] {
  const plain = path.replace(/\[\d+\]/g, '').replace(/\.environments\.[^.]+/, '.environments.*');
  return RULES.flatMap(({ code, fields, means }) =>
    fields.some((end) => plain === end || plain.endsWith(`.${end}`)) ? [{ code, text: means }] : [],
  );
}
