import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { LINTS } from '../../core/desired/lints/index.ts';
import { usage } from '../../core/diagnostics/diagnostic.ts';
import { didYouMean, guessFirst } from '../../core/diagnostics/suggest.ts';
import { KIND_NAMES, nameCalled } from '../../core/manifest/schema.ts';
import { CODES, type DiagnosticCode } from '../../core/model/generated/codes.ts';
import { KINDS } from '../../core/model/kind.ts';
import { hang, padEnd, painter } from '../../core/render/layout.ts';
import { explainField, fieldPaths } from './field.ts';
import { codeIn, type Explained, plainPage, plainProse, readPage, sectionsOf } from './pages.ts';

export interface ExplainOptions extends CommonOptions {
  readonly code?: string;
  /** List all codes, one on each line. */
  readonly codes?: boolean;
}

/**
 * `tradeform explain`: a field of a manifest, a diagnostic code, a word, or the list of codes. Reads no project and sends nothing.
 */
export async function runExplain(path: string | undefined, options: ExplainOptions, io: Io): Promise<number> {
  const { document, text } = explained(path, options);
  if (options.output === 'json' && document === undefined)
    throw usage(
      'a field has no JSON',
      'Leave out -o json, or print the JSON Schema with `tradeform schema`.',
    );
  return presentAnswer({ command: 'explain', ...document }, () => text(io), options, io);
}

function explained(path: string | undefined, { code, codes }: ExplainOptions): Explained {
  const asked = [path, code, codes].filter((one) => one !== undefined).length;
  if (asked !== 1)
    throw usage(
      asked === 0 ? 'name something to explain' : 'explain takes one name at a time',
      'Write a field such as SniperTask.spec.config, a code or a word; --codes lists the codes.',
    );
  if (path !== undefined) return explainName(path);
  return code === undefined ? listCodes() : explainCode(code);
}

/** The maximum of fields with the word in their names. */
const MOST_FIELDS = 12;
const COLLECTIONS = KINDS.map(({ collection }) => collection);

/**
 * A field, a diagnostic code or a glossary word with this name. Otherwise the codes, words and fields whose names contain the
 * text. Fails (exit 3) if there is none.
 */
function explainName(text: string): Explained {
  const name = text.trim().toLowerCase();
  if (name === '' || /[.[]/.test(name) || nameCalled(name) !== undefined) return explainField(text);
  const code = name.replaceAll(' ', '-');
  if (isCode(code)) return explainCode(code);
  const errors = sectionsOf(readPage('reference/error-codes.md'));
  const glossary = new Map([...sectionsOf(readPage('glossary.md')), ...errors]);
  for (const [, words = '', here = ''] of readPage('you-know-it-as.md').matchAll(/^\| (.+) \| (.+) \|$/gm))
    for (const word of words.split(', ')) glossary.set(word, [here]);
  const entry = glossary.get(name) ?? glossary.get(name.replaceAll(/[-_]/g, ' '));
  if (entry === undefined) return search(text, name, glossary);
  return {
    document: { word: { name, means: entry.map(plainProse).join(' ') } },
    text: (io) => plainPage(`# ${name}\n\n${entry.join('\n\n')}`, io),
  };
}

function search(text: string, name: string, glossary: ReadonlyMap<string, readonly string[]>): Explained {
  const codes = CODE_NAMES.filter((code) => code.includes(name)).map((code) => ({
    code,
    title: CODES[code],
  }));
  const named = [...glossary].filter(([word]) => word.includes(name));
  // Output also uses words that the glossary has no entry for, but explains under another one: "at stake".
  const isNamed = named.length + codes.length > 0;
  const told =
    isNamed || !name.includes(' ')
      ? named
      : [...glossary].filter(([, entry]) => plainProse(entry.join(' ')).toLowerCase().includes(name));
  const words = told.map(([word, entry]) => ({ name: word, means: plainProse(entry[0] ?? '') }));
  const paths = fieldPaths();
  const fields = paths.filter((path) => leafOf(path).includes(name));
  fields.sort((one, other) => Number(leafOf(other) === name) - Number(leafOf(one) === name));
  if (codes.length + words.length + fields.length === 0) {
    const names = [...CODE_NAMES, ...glossary.keys(), ...KIND_NAMES, ...COLLECTIONS, ...paths.map(leafOf)];
    throw usage(
      `unknown field, code or word ${JSON.stringify(text)}`,
      guessFirst(
        didYouMean(name, names),
        'Write a field such as SniperTask.spec.config; --codes lists the codes.',
      ),
    );
  }
  return {
    document: { found: { codes, words, fields } },
    text: ({ columns, color }) => {
      const list = (title: string, lines: readonly string[]) =>
        lines.length === 0 ? [] : [[painter(color.stdout)('strong', title), ...lines, ''].join('\n')];
      const table = (rows: readonly (readonly [string, string])[]) => {
        const width = Math.max(...rows.map(([first]) => first.length));
        return rows.flatMap(([first, rest]) => hang(`  ${padEnd(first, width)}  `, rest, columns));
      };
      const some = fields.slice(0, MOST_FIELDS).map((path) => `  ${path}`);
      const more = fields.length > MOST_FIELDS ? [`  and ${fields.length - MOST_FIELDS} more`] : [];
      return [
        ...list('Words', table(words.map((word) => [word.name, word.means]))),
        ...list('Codes', table(codes.map(({ code, title }) => [code, title]))),
        ...list('Fields', [...some, ...more]),
      ].join('\n');
    },
  };
}

function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

export const CODE_NAMES = Object.keys(CODES).filter(isCode);

/** Everything about a code. Fails (exit 3) with a suggestion if there is no such code. */
function explainCode(text: string): Explained {
  const code = text.trim().toLowerCase();
  if (!isCode(code)) throw usage(`unknown code ${JSON.stringify(text)}`, suggestion(code));
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

/** The content of a code's page, each section as plain text on one line. */
export function codePage(code: DiagnosticCode) {
  const sections = sectionsOf(readPage(pathOf(code)));
  const prose = (title: string) => (sections.get(title) ?? []).map(plainProse).join(' ');
  return {
    means: prose('What it means'),
    matters: prose('Why it matters'),
    act: prose('What to do'),
    // A piece of a manifest, or command lines. For a lint it is a piece of a config that causes the warning.
    example: codeIn(sections.get('Example')?.[0] ?? ''),
    // Ends of the paths of fields that the code is about (`spec.label`), without list indexes.
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
  return guessFirst(didYouMean(text, CODE_NAMES) ?? few, '`tradeform explain --codes` lists them all.');
}

/** Every code with its line, in the order of the set. */
function listCodes(): Explained {
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

function isCode(text: string): text is DiagnosticCode {
  return Object.hasOwn(CODES, text);
}

function isLint(code: DiagnosticCode): boolean {
  return LINTS.some((lint) => lint.code === code);
}
