/**
 * The pages of docs/reference that are generated from schemas and the command line: the fields of each kind, the documents of `-o
 * json` and the help of each command. `npm run generate` writes them.
 */
import { commandName } from '../../cmd/options.ts';
import { buildProgram } from '../../cmd/program.ts';
import type { Io } from '../../src/core/command/io.ts';
import { KIND_NAMES } from '../../src/core/manifest/schema.ts';
import type { Json } from '../../src/core/model/json.ts';
import { Masking } from '../../src/core/render/masking/masking.ts';
import { CODE_NAMES, codePage } from '../../src/kit/explain/explain.ts';
import { OUTLETS } from '../../src/kit/outlets.ts';
import { factsOf } from './field-facts.ts';
import { formsOf } from './field-forms.ts';
import { findFields } from './field-schema.ts';

type Schema = { readonly [key: string]: Json } & {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
};

/** Content that another page or another part of this one has already. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^(?:TransferSnipeTask|SniperTemplate)\.spec\.config$/, 'The fields of [SniperTask](SniperTask.md).'],
  [/^CopyTradeTemplate\.spec\.config$/, 'The fields of [CopyTradeTask](CopyTradeTask.md).'],
  [
    /^(?:Preset\.spec\.config|TaskSet\.spec\.task\.spec)$/,
    'The fields of [SniperTask](SniperTask.md) or [CopyTradeTask](CopyTradeTask.md), depending on `for`.',
  ],
  [/^Project\.spec\.environments\.<name>\.guardrails$/, 'The fields of `spec.guardrails`.'],
];

function rowsBelow(kind: string, path: string): readonly string[] {
  const [{ below }] = formsOf(findFields(path.replaceAll('<name>', 'any')));
  return below.flatMap(({ name, ...child }) => {
    const own = `${path}.${name}`;
    const { type, required, description, limits, unit, values, default: standard } = factsOf(child);
    const elsewhere = ELSEWHERE.find(([pattern]) => pattern.test(own))?.[1];
    const facts = [
      ...(unit === null ? [] : [`Unit: ${unit}.`]),
      ...(limits === null ? [] : [`Limits: ${limits}.`]),
      ...(values === null ? [] : [`Values: ${values.map(shown).join(', ')}.`]),
    ];
    const text = [plain(description ?? ''), ...facts.map(plain), rulesOf(own), elsewhere ?? ''].filter(
      (each) => each !== '',
    );
    const state = required === true ? 'required' : standard === null ? '' : `\`${shown(standard)}\``;
    const row = `| \`${own.slice(kind.length + 1)}\` | ${plain(type)} | ${state} | ${text.join(' ')} |`;
    return [row, ...(elsewhere === undefined ? rowsBelow(kind, own) : [])];
  });
}

/** The checks of a field across fields and manifests: the codes whose pages name it. */
const RULES = CODE_NAMES.map((code) => ({ code, ends: codePage(code).fields })).filter(
  ({ ends }) => ends.length > 0,
);

function rulesOf(path: string): string {
  const plainPath = path.replace('.environments.<name>', '.environments.*');
  const links = RULES.flatMap(({ code, ends }) =>
    ends.some((end) => plainPath === end || plainPath.endsWith(`.${end}`))
      ? [`[${code}](../codes/${code}.md)`]
      : [],
  );
  return links.length === 0 ? '' : `Rules: ${links.join(', ')}.`;
}

function shown(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** Text in a table cell, with all Markdown markup escaped. */
function plain(text: string): string {
  return text.replace(/[|*_<[\]`]/g, '\\$&');
}

/** The same for text with marked code. */
function marked(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? plain(part) : part.replaceAll('|', '\\|')))
    .join('`');
}

function fieldPage(kind: string): string {
  const [{ field }] = formsOf(findFields(kind));
  const { description } = factsOf(field);
  const head = '| field | type | default | meaning |\n|---|---|---|---|';
  return `# ${kind}\n\n${plain(description ?? '')}\n\n${head}\n${rowsBelow(kind, kind).join('\n')}\n`;
}

function helpPage(): string {
  let printed = '';
  const io: Io = {
    stdout: (text) => {
      printed += text;
    },
    stderr: () => undefined,
    stderrIsTTY: false,
    stdinIsTTY: false,
    columns: 80,
    color: { stdout: false, stderr: false },
    env: {},
    cwd: '/nowhere',
    masking: new Masking(),
    outlets: OUTLETS,
    stop: { soft: new AbortController().signal, hard: new AbortController().signal },
    ask: () => Promise.reject(new Error('help asks nothing')),
  };
  const program = buildProgram(io, () => undefined);
  const all = [program, ...program.commands.flatMap((command) => [command, ...command.commands])];
  const sections = all.map((command) => {
    printed = '';
    command.outputHelp();
    const title = command === program ? '`tradeform`' : `\`tradeform ${commandName(command)}\``;
    return `## ${title}\n\n\`\`\`text\n${printed.trim()}\n\`\`\`\n`;
  });
  return `# The help of each command\n\nWhat \`tradeform COMMAND --help\` prints.\n\n${sections.join('\n')}`;
}

function kindsPage(): string {
  const rows = KIND_NAMES.map((kind) => {
    const [{ field }] = formsOf(findFields(kind));
    return `| [${kind}](${kind}.md) | ${plain(factsOf(field).description ?? '')} |`;
  });
  return `# Fields of each kind\n\n\`tradeform explain KIND.FIELD\` prints a field and the fields below it.\n\n| kind | meaning |\n|---|---|\n${rows.join('\n')}\n`;
}

interface DocumentRow {
  readonly name: string;
  readonly schema: Schema;
  readonly printedBy: string;
}

function documentPage({ name, schema, printedBy }: DocumentRow): string {
  const definitions = Object.entries(schema.definitions ?? {});
  const parts = definitions.map(([part, definition]) => {
    const text = definition.description === undefined ? '' : `${marked(definition.description)}\n\n`;
    const table =
      definition.properties === undefined ? `${marked(documentType(definition))}\n` : tableOf(definition);
    return `## ${part}\n\n${text}${table}`;
  });
  const about = `Printed with \`-o json\` by ${printedBy}. \`tradeform schema ${name}\` prints its JSON Schema.`;
  return [
    `# ${schema.title}`,
    marked(schema.description ?? ''),
    about,
    `${tableOf(schema)}${parts.length === 0 ? '' : '\n'}${parts.join('\n')}`,
  ].join('\n\n');
}

function tableOf(schema: Schema): string {
  return `| field | type | meaning |\n|---|---|---|\n${documentRows(schema, '').join('\n')}\n`;
}

/** Objects and lists of objects without their own name are rows below their field. */
function documentRows({ properties = {}, required = [] }: Schema, parent: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, child]) => {
    const path = `${parent}${name}`;
    const inner = child.properties === undefined ? child.items : child;
    const below =
      inner?.properties === undefined ? [] : documentRows(inner, `${path}${inner === child ? '' : '[]'}.`);
    const state = required.includes(name) ? '' : 'Optional. ';
    return [
      `| \`${path}\` | ${documentType(child)} | ${state}${marked(child.description ?? '')} |`,
      ...below,
    ];
  });
}

function documentType(schema: Schema): string {
  const { type, items, $ref, enum: values, const: constant, format, anyOf, allOf } = schema;
  if ($ref !== undefined) {
    const [file = '', part = ''] = $ref.split('#/definitions/');
    const page = file.replace(/^.*?([\w-]+)\.schema\.json$/, '$1.md');
    return `[${part}](${page}#${part.toLowerCase()})`;
  }
  if (constant !== undefined) return `\`${shown(constant)}\``;
  if (Array.isArray(values)) return values.map((value) => `\`${shown(value)}\``).join(', ');
  if (Array.isArray(allOf)) return documentType(allOf[0] as Schema);
  if (Array.isArray(anyOf)) return anyOf.map((each) => documentType(each as Schema)).join(' or ');
  if (items !== undefined) return `list of ${documentType(items)}`;
  const types = [type ?? 'any'].flat().map((one) => TYPES[one] ?? one);
  return `${types.join(' or ')}${format === 'date-time' ? ', date and time' : ''}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
  object: 'mapping',
  any: 'any value',
};

function documentsPage(documents: readonly DocumentRow[]): string {
  const rows = documents.map(
    ({ name, printedBy, schema: { description = '' } }) =>
      `| [${name}](${name}.md) | ${printedBy} | ${marked(description)} |`,
  );
  return `# Documents of \`-o json\`\n\nEvery command prints one document, whatever its exit code. New fields can be added to a document: ignore fields that you do not know.\n\n| document | printed by | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** Path below docs/reference → content. */
export function pages(documents: readonly DocumentRow[]): ReadonlyMap<string, string> {
  return new Map([
    ['documents/README.md', documentsPage(documents)],
    ...documents.map((row) => [`documents/${row.name}.md`, documentPage(row)] as const),
    ['fields/README.md', kindsPage()],
    ...KIND_NAMES.map((kind) => [`fields/${kind}.md`, fieldPage(kind)] as const),
    ['help.md', helpPage()],
  ]);
}
