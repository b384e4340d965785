import { type Diagnostic, type Location, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean, someOf } from '../../diagnostics/suggest.ts';
import { readCsv, type Table } from '../../manifest/csv.ts';
import type { Manifest, Place, Problem } from '../../manifest/manifest.ts';
import { mayHoldReference, parseReferences, type Reference } from '../../manifest/references.ts';
import type { Source } from '../../manifest/source.ts';
import type { Path } from '../../manifest/spans.ts';
import { isObject, type Json, type JsonObject, objectIn } from '../../model/json.ts';
import { credentialProblem } from './credentials.ts';
import { Used } from './unused.ts';

/** The surroundings of composition, besides the manifests themselves. */
export interface ComposeInput {
  /** Every readable document, sorted by file and place. */
  readonly documents: readonly Manifest[];
  /** False if a file or document could not be read, so that its definitions are unknown. */
  readonly whole: boolean;
  /** The project file, for variables and patches. Undefined if there is none. */
  readonly project?: Manifest | undefined;
  readonly environment: string | null;
  readonly environmentVariable: (name: string) => string | undefined;
  /** A variable of the process environment that is not set keeps its reference: nothing of this state is ever sent. */
  readonly compared?: boolean | undefined;
  /** Values of the process environment that must not appear in any manifest (`credentialsIn`). */
  readonly credentials: readonly string[];
  /** The text of a table, by its path from the project directory. `from` is the place that names it. */
  readonly table: (
    file: string,
    from: Location,
  ) => { readonly source: Source } | { readonly diagnostic: Diagnostic };
}

export interface ReferenceValue {
  /** null: there is no value, and the field is left out. */
  readonly value: Json;
  /** From the environment: never shown. */
  readonly secret: boolean;
  /** A text that takes the type of its field, because the environment and CSV files have no types. */
  readonly untyped: boolean;
  /** The reference stays in the place of its value. */
  readonly kept?: boolean;
}

export type Lookup = (reference: Reference) => ReferenceValue | Problem | 'later';

/** tradeform's own settings cannot be used as values. Otherwise the token could be sent to the service as a value. */
const OWN = /^TRADEFORM_/i;

/** Variables of the project, its environment and the process. */
export class Scope {
  readonly used = new Used();
  readonly #places: readonly Path[];

  constructor(private readonly input: ComposeInput) {
    const { environment } = input;
    const own = environment === null ? [] : [['spec', 'environments', environment, 'variables']];
    this.#places = [...own, ['spec', 'variables']];
  }

  find({ scope, name }: Reference): ReferenceValue | Problem {
    if (scope === 'env') return this.#variable(name);
    if (scope === 'row') {
      return {
        code: 'unknown-variable',
        message: `\${row.${name}} is used outside a TaskSet`,
        hint: 'rows belong to a TaskSet; write ${var.NAME} for a variable of the project file',
      };
    }
    this.used.variables.add(name);
    const path = this.#pathOf(name);
    const value = path === undefined ? undefined : this.input.project?.get(...path);
    if (value !== undefined) return { value, secret: false, untyped: false };
    const { environment } = this.input;
    const here = environment === null ? '' : ` in the environment ${environment}`;
    return { code: 'unknown-variable', message: `no variable ${name}${here}`, hint: this.#hint(name) };
  }

  /** The place where a variable is defined. */
  place({ scope, name }: Reference): Place | undefined {
    const path = scope === 'var' ? this.#pathOf(name) : undefined;
    return path === undefined ? undefined : this.input.project?.places.find(path, 'value');
  }

  #pathOf(name: string): Path | undefined {
    const place = this.#places.find((path) => Object.hasOwn(this.#variablesAt(path), name));
    return place === undefined ? undefined : [...place, name];
  }

  #variablesAt(path: Path): JsonObject {
    return this.input.project?.object(...path) ?? {};
  }

  #hint(name: string): string {
    const known = this.#places.flatMap((path) => Object.keys(this.#variablesAt(path)));
    const environments = ['spec', 'environments'];
    const elsewhere = Object.keys(this.#variablesAt(environments)).filter((environment) =>
      Object.hasOwn(this.#variablesAt([...environments, environment, 'variables']), name),
    );
    if (elsewhere.length > 0)
      return `it is defined in ${someOf(elsewhere)}; define it here too, or in spec.variables`;
    const near = didYouMean(name, known);
    if (near !== undefined) return near;
    return known.length === 0 ? 'the project file has none' : `the variables are ${someOf(known)}`;
  }

  #variable(name: string): ReferenceValue | Problem {
    if (OWN.test(name)) {
      return {
        code: 'env-not-here',
        message: `\${env.${name}} is a setting of tradeform itself`,
        hint: 'a token must never become part of a manifest; use another variable',
      };
    }
    const { environmentVariable, credentials, compared } = this.input;
    const value = environmentVariable(name);
    const problem = credentialProblem(name, value ?? '', credentials);
    if (problem !== undefined) return problem;
    if (value !== undefined && value !== '') return { value, secret: true, untyped: true };
    if (compared === true) return { value: `\${env.${name}}`, secret: true, untyped: true, kept: true };
    return {
      code: 'unknown-variable',
      message: `the environment variable ${name} is ${value === '' ? 'empty' : 'not set'}`,
      hint: `set ${name} in the environment of tradeform`,
    };
  }
}

/** The values of one task in a task set, and their places. */
export interface TableRow {
  /** The place of a cell. Undefined if the row has no such column. */
  place(column: string): Place | undefined;
  find(column: string): ReferenceValue | Problem;
}

interface CellValue extends ReferenceValue {
  /** Computed only if it is shown. */
  readonly place: () => Place;
}

function rowOf(cells: ReadonlyMap<string, CellValue>): TableRow {
  return {
    place: (column) => cells.get(column)?.place(),
    find: (column) => cells.get(column) ?? unknownColumn(column, [...cells.keys()]),
  };
}

function unknownColumn(column: string, known: readonly string[]): Problem {
  return {
    code: 'unknown-variable',
    message: `the rows have no column ${column}`,
    hint: didYouMean(column, known) ?? `its columns are ${someOf(known)}; null leaves a field out`,
  };
}

const ROWS: Path = ['spec', 'rows'];
const FILE: Path = ['spec', 'rows_from'];

/** The rows of a task set, from its manifest or from a table beside it. Problems in rows are reported. */
export function rowsOf(
  set: Manifest,
  spec: JsonObject,
  secrets: readonly Path[],
  { table, compared = false }: Pick<ComposeInput, 'table' | 'compared'>,
  report: (diagnostic: Diagnostic) => void,
): readonly TableRow[] {
  const { rows, rows_from: file } = spec;
  if ((rows === undefined) === (file === undefined)) {
    const both = rows !== undefined;
    const problem = {
      code: 'rows-missing',
      message: both ? 'the task set has both rows and rows_from' : 'the task set has no rows',
      hint: both ? 'remove one of them' : 'write rows, or name a CSV file in rows_from',
    } as const;
    report(set.diagnostic(both ? FILE : ['spec'], problem, 'key'));
    return [];
  }
  const used = new Set(columnsIn(spec.task ?? null, new Set()));
  if (objectIn(objectIn(spec.task).metadata).name === undefined) used.add('name');
  if (Array.isArray(rows)) {
    reportUnused(set, rows, used, report);
    const secret = secrets.map((path) => path.slice(1, 4).join());
    return rows.map((row, index) => {
      const cells = Object.entries(objectIn(row)).map(([column, value]): [string, CellValue] => {
        const hidden = secret.includes([ROWS[1], index, column].join());
        const place = () => set.places.find([...ROWS, index, column], 'value');
        const kept = compared && hidden && mayHoldReference(String(value));
        return [column, { value, secret: hidden, untyped: hidden, kept, place }];
      });
      return rowOf(new Map(cells));
    });
  }
  return typeof file === 'string' ? tableRows(set, file, used, table, report) : [];
}

function reportUnused(
  set: Manifest,
  rows: readonly Json[],
  used: ReadonlySet<string>,
  report: (diagnostic: Diagnostic) => void,
): void {
  const seen = new Set(used);
  for (const [index, row] of rows.entries()) {
    for (const column of Object.keys(objectIn(row))) {
      if (seen.has(column)) continue;
      seen.add(column);
      report(set.diagnostic([...ROWS, index, column], unusedColumn(column), 'key'));
    }
  }
}

function unusedColumn(column: string) {
  const hint = `write \${row.${column}} in the body of the task set, or remove the column`;
  return warning('column-unused', `the column ${column} is not used`, hint);
}

function tableRows(
  set: Manifest,
  file: string,
  used: ReadonlySet<string>,
  table: ComposeInput['table'],
  report: (diagnostic: Diagnostic) => void,
): readonly TableRow[] {
  const location = set.location(FILE);
  const refuse = (code: Problem['code'], message: string, hint: string) => {
    report(set.diagnostic(FILE, { code, message, hint }));
    return [];
  };
  // Diagnostics show the line of a problem. Only tables may be shown this way.
  if (!file.endsWith('.csv'))
    return refuse('invalid-value', `${file} is not a table`, 'rows_from must name a .csv file');
  const path = besides(location.file, file);
  if (path === undefined)
    return refuse(
      'file-outside-project',
      `${file} is outside the project directory`,
      'a table must be inside the project; its path is relative to this manifest',
    );
  const read = table(path, location);
  if ('diagnostic' in read) {
    report(read.diagnostic);
    return [];
  }
  const { source } = read;
  const parsed = readCsv(source, (finding) => report(source.diagnostic(finding)));
  if (parsed === undefined) return [];
  for (const { value, start, end } of parsed.columns) {
    if (!used.has(value)) report(source.diagnostic({ ...unusedColumn(value), start, end }));
  }
  if (parsed.rows.length === 0) {
    const problem = { code: 'rows-missing', message: 'the table has no rows', start: 0, end: 0 } as const;
    report(source.diagnostic(problem));
  }
  return csvRows(source, parsed);
}

function csvRows(source: Source, { columns, rows }: Table): readonly TableRow[] {
  return rows.map((cells) => {
    const values = columns.map(({ value: column }, index): [string, CellValue] => {
      const { value = '', start = 0, end = 0 } = cells[index] ?? {};
      const text = value === '' ? null : value;
      return [column, { value: text, secret: false, untyped: true, place: () => ({ source, start, end }) }];
    });
    return rowOf(new Map(values));
  });
}

/** A path relative to a project file. Undefined if it leads out of the project. */
function besides(manifest: string, file: string): string | undefined {
  if (file.startsWith('/') || file.includes('\\') || /^[A-Za-z]:/.test(file)) return undefined;
  const segments = manifest.split('/').slice(0, -1);
  for (const segment of file.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

function columnsIn(value: Json, into: Set<string>): Set<string> {
  if (typeof value === 'string' && mayHoldReference(value)) {
    const parsed = parseReferences(value);
    for (const part of 'parts' in parsed ? parsed.parts : []) {
      if (typeof part === 'object' && part.scope === 'row') into.add(part.name);
    }
  }
  if (Array.isArray(value)) for (const item of value) columnsIn(item, into);
  if (isObject(value)) for (const child of Object.values(value)) columnsIn(child, into);
  return into;
}
