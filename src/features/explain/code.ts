import { LINTS } from '../../desired/lints/index.ts';
import { usage } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { CODES, type DiagnosticCode } from '../../model/generated/codes.ts';
import { hang, padEnd } from '../../render/layout.ts';
import type { Explained } from './explained.ts';
import { codeIn, plainPage, plainProse, readPage, sectionsOf } from './pages.ts';

export const CODE_NAMES = Object.keys(CODES).filter(isCode);

/** The content of a code's page, each section as plain text on one line. */
interface CodePage {
  readonly means: string;
  readonly matters: string;
  readonly act: string;
  /** A piece of a manifest, or command lines. For a lint it is a piece of a config that causes the warning. */
  readonly example?: string;
  /** Ends of the paths of fields that the code is about (`spec.label`), without list indexes. */
  readonly fields: readonly string[];
}

/** Everything about a code. Fails (exit 3) with a suggestion if there is no such code. */
export function explainCode(text: string): Explained {
  const code = text.trim().toLowerCase();
  if (!isCode(code)) {
    throw usage(`unknown code ${JSON.stringify(text)}`, suggestion(code));
  }
  const { means, matters, act, example = null } = codePage(code);
  const annotation = isLint(code) ? `lint.tradeform/${code}` : null;
  return {
    document: {
      explanation: {
        code,
        title: CODES[code],
        means,
        matters,
        act,
        example,
        lint: annotation !== null,
        annotation,
        page: `docs/${pathOf(code)}`,
      },
    },
    text: (io) => `${plainPage(readPage(pathOf(code)), io)}\nPage: docs/${pathOf(code)}\n`,
  };
}

export function codePage(code: DiagnosticCode): CodePage {
  const sections = sectionsOf(readPage(pathOf(code)));
  const prose = (title: string) => (sections.get(title) ?? []).map(plainProse).join(' ');
  const example = codeIn(sections.get('Example')?.[0] ?? '');
  return {
    means: prose('What it means'),
    matters: prose('Why it matters'),
    act: prose('What to do'),
    ...(example === undefined ? {} : { example }),
    fields: [...(sections.get('Fields')?.[0] ?? '').matchAll(/`(.+)`/g)].map(([, end = '']) => end),
  };
}

function pathOf(code: DiagnosticCode): string {
  return `reference/codes/${code}.md`;
}

/** A similar code, or the few codes that contain the text. */
function suggestion(text: string): string {
  const parts = text === '' ? [] : CODE_NAMES.filter((name) => name.includes(text)).slice(0, 3);
  const few = parts.length === 0 ? undefined : `did you mean ${parts.join(' or ')}?`;
  const near = didYouMean(text, CODE_NAMES) ?? few;
  return `${near === undefined ? '' : `D${near.slice(1)} `}\`tradeform explain --codes\` lists them all.`;
}

/** Every code with its line, in the order of the set. */
export function listCodes(): Explained {
  const codes = CODE_NAMES.map((code) => ({ code, title: CODES[code], lint: isLint(code) }));
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

export function isCode(text: string): text is DiagnosticCode {
  return Object.hasOwn(CODES, text);
}

function isLint(code: DiagnosticCode): boolean {
  return LINTS.some((lint) => lint.code === code);
}
