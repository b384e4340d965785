import { usage } from '../../core/diagnostics/diagnostic.ts';
import { didYouMean, guessFirst } from '../../core/diagnostics/suggest.ts';
import { KIND_NAMES, nameCalled } from '../../core/manifest/schema.ts';
import { parsePath, startsWith } from '../../core/manifest/spans.ts';
import { KINDS } from '../../core/model/kind.ts';
import { hang, painter, wrap } from '../../core/render/layout.ts';
import { type Explained, plainProse, readPage } from './pages.ts';

/** A row of a generated page: a field of a kind. */
interface Row {
  /** The names from the kind on; `<name>` is a free key. */
  readonly path: readonly string[];
  readonly text: string;
  /** If its row is on another page, or elsewhere on this one: the number of names in the path of the row that says so. */
  readonly through?: number;
}

const ANY = '<name>';

function pageOf(kind: string): string {
  return `reference/fields/${kind}.md`;
}

/** The rows of a kind's page, those that it only refers to among them. */
function rowsOf(kind: string): readonly Row[] {
  const own = readPage(pageOf(kind))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, name = '', type = '', state = '', meaning = ''] = line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim());
      const path = [kind, ...name.replaceAll('`', '').split('.')];
      const facts = [type, state === 'required' ? state : state === '' ? '' : `default ${state}`];
      const text = `${facts.filter((fact) => fact !== '').join(', ')}. ${meaning}`;
      return { path, text: plainCell(text), meaning };
    });
  return own.flatMap(({ path, text, meaning }) => [
    { path, text },
    ...targetsOf(kind, path, meaning).flatMap((target) => {
      const [other = ''] = target;
      const said = other === kind ? '' : `${other}: `;
      return (other === kind ? own : rowsOf(other))
        .filter((row) => row.path.length > target.length && startsWith(row.path, target))
        .map((row) => ({
          path: [...path, ...row.path.slice(target.length)],
          text: said + row.text,
          through: path.length,
        }));
    }),
  ]);
}

/** `The fields of [SniperTask](SniperTask.md).`, in the same place there; or of another field of this kind. */
function targetsOf(kind: string, path: readonly string[], meaning: string): readonly (readonly string[])[] {
  const said = /The fields of (.*)\.$/.exec(meaning)?.[1] ?? '';
  const place = path.slice(path.lastIndexOf('spec'));
  const kinds = [...said.matchAll(/\[(\w+)\]\(/g)].map(([, other = '']) => [other, ...place]);
  const own = /^`(spec\..+)`$/.exec(said)?.[1];
  return own === undefined ? kinds : [[kind, ...own.split('.')]];
}

function plainCell(text: string): string {
  return plainProse(text).replace(/\\([|*_<[\]`])/g, '$1');
}

/** The path as its page writes it: a name that is none of a field is a free key. */
function written(path: readonly string[], rows: readonly Row[]): readonly string[] {
  const known: string[] = [];
  for (const name of path) {
    const isField = known.length === 0 || rows.some((row) => startsWith(row.path, [...known, name]));
    known.push(isField ? name : ANY);
  }
  return known;
}

/** The kind and the names of a path, without indexes of lists. Without a kind, what is written in its place. */
function readPath(text: string) {
  const [first = '', ...rest] = parsePath(text).map(String);
  const kind = nameCalled(first);
  const names = rest.filter((name) => !/^\d+$/.test(name));
  return kind === undefined ? { first } : { kind, path: [kind, ...names] };
}

function unknownKind(first: string): Error {
  const names = [...KIND_NAMES, ...KINDS.map(({ collection }) => collection)];
  return usage(
    `a path starts with a kind; unknown kind ${JSON.stringify(first)}`,
    guessFirst(didYouMean(first, names), `The kinds are ${KIND_NAMES.join(', ')}.`),
  );
}

/** A field and the fields below it, from the generated page of its kind. Fails (exit 3) with the existing fields. */
export function explainField(text: string): Explained {
  const { first, kind, path } = readPath(text);
  if (kind === undefined) throw unknownKind(first);
  const rows = rowsOf(kind);
  const asked = written(path, rows);
  const below = rows.filter((row) => startsWith(row.path, asked));
  if (below.length === 0) throw missing(path, rows);
  // What is written elsewhere belongs to a field below which it is asked for.
  const found = below.filter(({ through = 0 }) => through <= path.length);
  const [, , about = ''] = readPage(pageOf(kind)).split('\n');
  return {
    text: ({ columns, color }) => {
      const lines = found.flatMap((row) => {
        const name = row.path.slice(path.length).join('.');
        if (name === '') return wrap(row.text, columns - 2).map((line) => `  ${line}`);
        return ['', `  ${name}`, ...hang('    ', row.text, columns)];
      });
      const head = path.length > 1 ? [] : wrap(plainCell(about), columns - 2).map((line) => `  ${line}`);
      const title = painter(color.stdout)('title', path.join('.'));
      return [title, ...head, ...lines, '', `Page: docs/${pageOf(kind)}`, ''].join('\n');
    },
  };
}

function missing(path: readonly string[], rows: readonly Row[]): Error {
  const [kind = ''] = path;
  const asked = written(path, rows);
  const known = asked.findIndex(
    (_, index) => !rows.some((row) => startsWith(row.path, asked.slice(0, index + 1))),
  );
  const parent = asked.slice(0, known);
  const names = namesBelow(parent, rows);
  const rest = path.slice(known);
  // Users often leave parents out.
  const meant = rest
    .map((_, index) => rest.slice(0, rest.length - index))
    .map((end) => rows.find((row) => end.every((name, index) => row.path.at(index - end.length) === name)))
    .find((row) => row !== undefined);
  const near =
    meant === undefined ? didYouMean(rest[0] ?? '', names) : `did you mean ${meant.path.join('.')}?`;
  const list = names.length === 0 ? 'It has no fields.' : `Its fields are ${names.join(', ')}.`;
  return usage(`${parent.join('.') || kind} has no field ${rest[0]}`, guessFirst(near, list));
}

function namesBelow(path: readonly string[], rows: readonly Row[]): readonly string[] {
  const below = rows.filter((row) => row.path.length === path.length + 1 && startsWith(row.path, path));
  // A field below a free key has no fixed path.
  return [...new Set(below.map((row) => row.path.at(-1) ?? ''))].filter((name) => name !== ANY);
}

/** Names of the fields below a path. Empty if no page has it. */
export function fieldsAt(text: string): readonly string[] {
  const { kind, path } = readPath(text);
  if (kind === undefined) return [];
  const rows = rowsOf(kind);
  return namesBelow(written(path, rows), rows);
}

export function fieldPaths(): readonly string[] {
  const paths = KIND_NAMES.flatMap((kind) => rowsOf(kind).map(({ path }) => path));
  return [...new Set(paths.filter((path) => path.at(-1) !== ANY).map((path) => path.join('.')))];
}
