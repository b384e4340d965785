import type { DiagnosticCode } from '../model/generated/codes.ts';

/** `${var.size}`: a value that is defined elsewhere. */
export interface Reference {
  readonly scope: 'var' | 'env' | 'row';
  readonly name: string;
}

interface ReferenceProblem {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint: string;
  /** The position in the text. */
  readonly index: number;
  readonly length: number;
}

/** The parts of a text in order. A single reference may be the whole text. */
interface ReferenceText {
  readonly parts: readonly (string | Reference)[];
}

const TOKEN = /\$\$\{|\$\{([^}]*)\}?/g;
const REFERENCE = /^(var|env|row)\.([A-Za-z_][A-Za-z0-9_-]*)$/;
const HINT = 'write ${var.NAME}, ${env.NAME}, ${row.NAME} (in a task set), or $${ for the characters ${';

export function mayHoldReference(text: string): boolean {
  return text.includes('${');
}

/** The text as a manifest writes it, so that it is no reference. */
export function literal(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** What such a text says. */
export function ofLiteral(text: string): string {
  return text.replaceAll('$${', () => '${');
}

/** Splits a text into its parts. `$${` means a literal `${`. */
export function parseReferences(text: string): ReferenceText | ReferenceProblem {
  const parts: (string | Reference)[] = [];
  let literal = '';
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    literal += text.slice(at, match.index);
    at = match.index + match[0].length;
    if (match[0] === '$${') {
      literal += '${';
      continue;
    }
    const found = match[0].endsWith('}') ? REFERENCE.exec(match[1] ?? '') : null;
    const [, scope, name] = found ?? [];
    if (scope === undefined || name === undefined) {
      return {
        code: 'invalid-reference',
        message: `${match[0]} is not a valid reference`,
        hint: HINT,
        index: match.index,
        length: match[0].length,
      };
    }
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push({ scope: scope as Reference['scope'], name });
  }
  literal += text.slice(at);
  if (literal !== '' || parts.length === 0) parts.push(literal);
  return { parts };
}

/** The reference whose place a text has: its first one to a row, or the one that is the whole text. Undefined for others. */
export function placingReference(value: unknown): Reference | undefined {
  if (typeof value !== 'string' || !mayHoldReference(value)) return undefined;
  const parsed = parseReferences(value);
  const parts = 'parts' in parsed ? parsed.parts : [];
  return parts
    .filter((part) => typeof part === 'object')
    .find(({ scope }) => scope === 'row' || parts.length === 1);
}
