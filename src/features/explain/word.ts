import { usage } from '../../diagnostics/diagnostic.ts';
import { KIND_NAMES } from '../../manifest/schema.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { CODES } from '../../model/generated/codes.ts';
import { KINDS } from '../../model/kind.ts';
import { hang, padEnd } from '../../render/layout.ts';
import { painter } from '../../render/style.ts';
import { CODE_NAMES, explainCode, isCode } from './code.ts';
import type { Explained } from './explained.ts';
import { explainField, fieldPaths, isKind } from './field.ts';
import { plainPage, plainProse, readPage, sectionsOf } from './pages.ts';

/** The maximum of fields with the word in their names. */
const MOST_FIELDS = 12;
const COLLECTIONS = KINDS.map(({ collection }) => collection);

/**
 * A field, a diagnostic code or a glossary word with this name. Otherwise the codes, words and fields whose names contain the
 * text. Fails (exit 3) if there is none.
 */
export function explainName(text: string): Explained {
  const name = text.trim().toLowerCase();
  if (name === '' || /[.[]/.test(name) || isKind(name)) return explainField(text);
  const code = name.replaceAll(' ', '-');
  if (isCode(code)) return explainCode(code);
  const glossary = sectionsOf(readPage('glossary.md'));
  const entry = glossary.get(name.replaceAll(/[-_]/g, ' '));
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
    isNamed || !name.includes(' ') ? named : [...glossary].filter(([, entry]) => tells(entry, name));
  const words = told.map(([word, entry]) => ({ name: word, means: plainProse(entry[0] ?? '') }));
  const paths = fieldPaths();
  const fields = paths.filter((path) => leafOf(path).includes(name));
  fields.sort((one, other) => Number(leafOf(other) === name) - Number(leafOf(one) === name));
  if (codes.length + words.length + fields.length === 0) {
    const names = [...CODE_NAMES, ...glossary.keys(), ...KIND_NAMES, ...COLLECTIONS, ...paths.map(leafOf)];
    throw usage(
      `unknown field, code or word ${JSON.stringify(text)}`,
      `${didYouMean(name, names)?.replace(/^d/, 'D') ?? ''} Write a field such as SniperTask.spec.config; --codes lists the codes.`.trim(),
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

function tells(entry: readonly string[], text: string): boolean {
  return plainProse(entry.join(' ')).toLowerCase().includes(text);
}

function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
