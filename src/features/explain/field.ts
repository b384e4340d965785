import type { Io } from '../../command/io.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import type { Json } from '../../model/json.ts';
import { hang, padEnd, wrap } from '../../render/layout.ts';
import { blockYaml } from '../../render/manifest-yaml.ts';
import { type Paint, painter } from '../../render/style.ts';
import { CODE_NAMES, codePage } from './code.ts';
import type { Explained } from './explained.ts';
import { exampleAt, fieldNamesIn } from './field-example.ts';
import { factsOf } from './field-facts.ts';
import { type Child, type FieldForm, formsOf } from './field-forms.ts';
import { findFields } from './field-schema.ts';

/** A check of a field across fields and manifests, beyond its type and range. */
interface FieldRule {
  readonly code: DiagnosticCode;
  readonly text: string;
}

/** The codes whose pages name fields. Read once, on first use. */
const RULES = CODE_NAMES.map((code) => ({ code, ...codePage(code) })).filter(
  ({ fields }) => fields.length > 0,
);

/** The rules about a field, by its path in `explain`. */
export function rulesOf(path: string): readonly FieldRule[] {
  const plain = path.replace(/\[\d+\]/g, '').replace(/\.environments\.[^.]+/, '.environments.*');
  return RULES.flatMap(({ code, fields, means }) =>
    fields.some((end) => plain === end || plain.endsWith(`.${end}`)) ? [{ code, text: means }] : [],
  );
}

/** Documentation of a field and the fields below it, in every form, from the schemas. */
export function explainField(path: string): Explained {
  const [first, ...others] = formsOf(findFields(path));
  return {
    document: {
      field: documentOf(first),
      ...(others.length === 0 ? {} : { other_forms: others.map(documentOf) }),
    },
    text: (io) =>
      [first, ...others].map((form, index) => fieldText(form, others.slice(index), io)).join('\n'),
  };
}

function documentOf({ field, purposes, below }: FieldForm) {
  return {
    path: field.path,
    ...(purposes.length === 0 ? {} : { for: purposes }),
    ...factsOf(field),
    example: exampleAt(field) ?? null,
    rules: rulesOf(field.path),
    fields: below.map(({ name, ...child }) => ({ name, ...factsOf(child) })),
  };
}

const MARGIN = 2;
/** Width of the names of facts. */
const LABEL = 10;
/** A longer name gets its own line. */
const NAME = 22;

/** `others`: the forms that follow. */
function fieldText(
  form: FieldForm,
  others: readonly FieldForm[],
  { columns, color }: Pick<Io, 'columns' | 'color'>,
): string {
  const paint = painter(color.stdout);
  const { field, purposes, below } = form;
  const { path } = field;
  const { description, type, required, default: standard, unit, limits, values } = factsOf(field);
  const fact = (name: string, text: string | null | undefined): readonly string[] =>
    text === null || text === undefined ? [] : hang(`  ${padEnd(name, LABEL)}`, text, columns);
  return [
    paint('title', path),
    ...(description === null ? [] : wrap(description, columns - MARGIN).map((line) => `  ${line}`)),
    '',
    ...fact('type', type),
    ...fact('for', purposes.length === 0 ? null : forWords(purposes, others)),
    ...fact('unit', unit),
    ...fact('limits', limits),
    ...fact('values', values?.map(shown).join(', ')),
    ...fact('required', required === null ? null : required ? requiredWords(path) : 'no'),
    ...fact('default', required === false ? defaultWords(standard, description) : null),
    ...rulesOf(path).flatMap(({ code, text }) => fact('rule', `${text} (${code})`)),
    ...(below.length === 0 ? [] : ['', paint('strong', 'Fields')]),
    ...below.flatMap((child) => childLines(child, columns)),
    ...exampleLines(form, paint),
    '',
  ].join('\n');
}

/** The other forms come after a complete example. This line at the top tells the reader about them. */
function forWords(purposes: readonly string[], others: readonly FieldForm[]): string {
  const below = others.flatMap((form) => form.purposes);
  return `${purposes.join(', ')}${below.length === 0 ? '' : `; for ${below.join(' and ')} it is different: see below`}`;
}

/** A default that is decided at the time of use is documented only in the description. */
function defaultWords(standard: Json, description: string | null): string {
  if (standard !== null) return shown(standard);
  return /\bDefault: (.+?)\.(?= |$)/.exec(description ?? '')?.[1] ?? 'none: optional';
}

/** The value with its name as in a manifest. For a kind, a whole manifest. */
function exampleLines({ field }: FieldForm, paint: Paint): readonly string[] {
  const { path } = field;
  const example = exampleAt(field);
  if (example === undefined) return [];
  const name = fieldNamesIn(path).at(-1) ?? '';
  const isKind = name === path;
  const value = path.endsWith(']') ? [example] : example;
  const text = blockYaml(isKind ? example : { [name]: value });
  return [
    '',
    paint('strong', 'Example'),
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

function requiredWords(path: string): string {
  return path.includes('.config.') ? 'yes; an extended template or preset can provide it' : 'yes';
}

function childLines(child: Child, columns: number): readonly string[] {
  const { name, required } = child;
  const { description, type, default: standard } = factsOf(child);
  const state = required === true ? ', required' : standard === null ? '' : `, default ${shown(standard)}`;
  const text = `${type}${state}${description === null ? '' : `: ${description}`}`;
  const head = `  ${padEnd(name, NAME)} `;
  return name.length <= NAME
    ? hang(head, text, columns)
    : [`  ${name}`, ...hang(' '.repeat(NAME + 3), text, columns)];
}

function shown(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
