import type { Io } from '../../command/io.ts';
import { usage } from '../../command/usage-error.ts';
import { LINTS } from '../../desired/lints/index.ts';
import { CODES, type DiagnosticCode } from '../../diagnostics/codes.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { hang, padEnd, wrap } from '../../render/layout.ts';
import { type Paint, painter } from '../../render/style.ts';
import type { Explained } from './explained.ts';
import type { Explanation } from './explanations/explanation.ts';
import { EXPLANATIONS } from './explanations/index.ts';

const NAMES = Object.keys(CODES).filter(isCode);
const MARGIN = 2;

/** Everything there is to say of a code; fails (exit 3) with a suggestion where there is none of that name. */
export function explainCode(text: string): Explained {
  const code = text.trim().toLowerCase();
  if (!isCode(code)) {
    throw usage(`no diagnostic has the code ${JSON.stringify(text)}`, suggestion(code));
  }
  const explanation: Explanation = EXPLANATIONS[code];
  const { means, matters, act, example } = explanation;
  const annotation = annotationOf(code);
  return {
    document: {
      explanation: {
        code,
        title: CODES[code],
        means,
        matters,
        act,
        example: example ?? null,
        lint: annotation !== undefined,
        annotation: annotation ?? null,
      },
    },
    text: (io) => codeText(code, explanation, annotation, io),
  };
}

/** A code that is nearly the same, or the few that the text is a part of. */
function suggestion(text: string): string {
  const parts = text === '' ? [] : NAMES.filter((name) => name.includes(text)).slice(0, 3);
  const few = parts.length === 0 ? undefined : `did you mean ${parts.join(' or ')}?`;
  const near = didYouMean(text, NAMES) ?? few;
  return `${near === undefined ? '' : `D${near.slice(1)} `}\`tradeform explain --codes\` lists them all.`;
}

/** Every code with its line, in the order of the set. */
export function listCodes(): Explained {
  const codes = NAMES.map((code) => ({
    code,
    title: CODES[code],
    lint: annotationOf(code) !== undefined,
  }));
  const width = Math.max(...codes.map(({ code }) => code.length));
  return {
    document: { codes },
    text: ({ columns }) =>
      codes
        .flatMap(({ code, title, lint }) =>
          hang(`${padEnd(code, width)}  `, `${title}${lint ? ' (lint)' : ''}`, columns),
        )
        .map((line) => `${line}\n`)
        .join(''),
  };
}

function isCode(text: string): text is DiagnosticCode {
  return Object.hasOwn(CODES, text);
}

/** What turns the finding off, for a lint. */
function annotationOf(code: DiagnosticCode): string | undefined {
  return LINTS.some((lint) => lint.code === code) ? `lint.tradeform/${code}` : undefined;
}

function codeText(
  code: DiagnosticCode,
  { means, matters, act, example }: Explanation,
  annotation: string | undefined,
  { columns, color }: Pick<Io, 'columns' | 'color'>,
): string {
  const paint = painter(color.stdout);
  const width = columns - MARGIN;
  const off =
    'A lint warns and fails nothing. In metadata of a manifest, or of the preset or template that the value comes from, this annotation turns it off; it must say why:';
  const silence = `annotations:\n  ${annotation}: why this is meant`;
  return [
    `${paint('title', code)}${annotation === undefined ? '' : '  lint'}`,
    ...indented(wrap(CODES[code], width)),
    ...section('What it means', wrap(means, width), paint),
    ...section('Why it matters', wrap(matters, width), paint),
    ...section('What to do', wrap(act, width), paint),
    ...(example === undefined ? [] : section('Example', example.split('\n'), paint)),
    ...(annotation === undefined
      ? []
      : section('How to turn it off', [...wrap(off, width), '', ...silence.split('\n')], paint)),
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return ['', paint('strong', title), ...indented(lines)];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(MARGIN) + line));
}
