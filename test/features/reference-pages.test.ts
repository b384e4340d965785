import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildProgram } from '../../cmd/program.ts';
import type { Io } from '../../src/command/io.ts';
import { factsOf } from '../../src/features/explain/field-facts.ts';
import { formsOf } from '../../src/features/explain/field-forms.ts';
import { findFields } from '../../src/features/explain/field-schema.ts';
import { KIND_NAMES } from '../../src/manifest/schema.ts';
import type { Json } from '../../src/model/json.ts';
import { Masking } from '../../src/render/masking/masking.ts';

/** Pages that are made of schemas and of the command line. */
const UPDATE = 'UPDATE_PAGES=1 npx vitest run test/features/reference-pages.test.ts';
const DOCS = new URL('../../docs/reference/', import.meta.url);

/** What another page or another part of this one has already. */
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
    const text = [plain(description ?? ''), ...facts.map(plain), elsewhere ?? ''].filter(
      (each) => each !== '',
    );
    const state = required === true ? 'required' : standard === null ? '' : `\`${shown(standard)}\``;
    const row = `| \`${own.slice(kind.length + 1)}\` | ${plain(type)} | ${state} | ${text.join(' ')} |`;
    return [row, ...(elsewhere === undefined ? rowsBelow(kind, own) : [])];
  });
}

function shown(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** Text in a cell of a table, of which Markdown takes nothing for markup. */
function plain(text: string): string {
  return text.replace(/[|*_<[\]`]/g, '\\$&');
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
    stdoutIsTTY: false,
    stderrIsTTY: false,
    stdinIsTTY: false,
    columns: 80,
    color: { stdout: false, stderr: false },
    env: {},
    cwd: '/nowhere',
    masking: new Masking(),
    stop: { soft: new AbortController().signal, hard: new AbortController().signal },
    ask: () => Promise.reject(new Error('help asks nothing')),
  };
  const program = buildProgram(io, () => undefined);
  const sections = [program, ...program.commands].map((command) => {
    printed = '';
    command.outputHelp();
    const title = command === program ? '`tradeform`' : `\`tradeform ${command.name()}\``;
    return `## ${title}\n\n\`\`\`text\n${printed.trim()}\n\`\`\`\n`;
  });
  return `# The help of each command\n\nWhat \`tradeform COMMAND --help\` prints.\n\n${sections.join('\n')}`;
}

function kindsPage(): string {
  const rows = KIND_NAMES.map((kind) => {
    const [{ field }] = formsOf(findFields(kind));
    return `| [${kind}](${kind}.md) | ${plain(factsOf(field).description ?? '')} |`;
  });
  return `# Fields of each kind\n\n\`tradeform explain KIND.FIELD\` prints one field, with an example and its rules.\n\n| kind | meaning |\n|---|---|\n${rows.join('\n')}\n`;
}

const PAGES = new Map([
  ['fields/README.md', kindsPage] as const,
  ...KIND_NAMES.map((kind) => [`fields/${kind}.md`, () => fieldPage(kind)] as const),
  ['help.md', helpPage] as const,
]);

test.each([...PAGES])('docs/reference/%s is current', (name, page) => {
  const file = new URL(name, DOCS);
  if (process.env.UPDATE_PAGES === '1') {
    mkdirSync(dirname(fileURLToPath(file)), { recursive: true });
    writeFileSync(file, page());
  }
  expect(readFileSync(file, 'utf8'), `not current; ${UPDATE} writes it`).toBe(page());
});

test('docs/reference/fields has a page for each kind, and no other', () => {
  expect(readdirSync(new URL('fields/', DOCS)).sort()).toEqual(
    [...KIND_NAMES.map((kind) => `${kind}.md`), 'README.md'].sort(),
  );
});
