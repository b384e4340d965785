import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { Io } from '../../src/command/io.ts';
import { LINTS } from '../../src/desired/lints/index.ts';
import { CommandFailure } from '../../src/diagnostics/diagnostic.ts';
import { codePage } from '../../src/features/explain/code.ts';
import { type ExplainOptions, runExplain } from '../../src/features/explain/explain.ts';
import { rulesOf } from '../../src/features/explain/field.ts';
import { exampleAt } from '../../src/features/explain/field-example.ts';
import { isKind, itemSchema } from '../../src/features/explain/field-schema.ts';
import { plainProse, readPage, sectionsOf } from '../../src/features/explain/pages.ts';
import {
  childSchema,
  KIND_NAMES,
  kindSchema,
  LOOSE,
  OPEN,
  purposesOf,
  type SchemaNode,
  schemaId,
  UNKNOWN,
} from '../../src/manifest/schema.ts';
import { CODES } from '../../src/model/generated/codes.ts';
import schemas from '../../src/model/generated/manifest-schema.json' with { type: 'json' };
import { Masking } from '../../src/render/masking/masking.ts';

const ALL = Object.keys(CODES) as (keyof typeof CODES)[];

async function run(path: string | undefined, options: ExplainOptions = {}, columns = 80): Promise<string> {
  let stdout = '';
  const io: Io = {
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      throw new Error(`explain says nothing on stderr: ${text}`);
    },
    stdoutIsTTY: false,
    stderrIsTTY: false,
    stdinIsTTY: false,
    columns,
    color: { stdout: false, stderr: false },
    env: {},
    cwd: '/nowhere',
    masking: new Masking(),
    stop: { soft: new AbortController().signal, hard: new AbortController().signal },
    ask: () => Promise.reject(new Error('explain asks nothing')),
  };
  expect(await runExplain(path, options, io)).toBe(0);
  return stdout;
}

async function document(path: string | undefined, options: ExplainOptions = {}) {
  return JSON.parse(await run(path, { ...options, output: 'json' }));
}

/** Message and hint of the one diagnostic that it fails with. */
async function refused(path: string | undefined, options: ExplainOptions = {}): Promise<string> {
  const error: unknown = await run(path, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CommandFailure)) throw new Error('it was explained');
  expect(error.exitCode).toBe(3);
  expect(error.diagnostics).toMatchObject([{ severity: 'error', code: 'invalid-option' }]);
  const [{ message = '', hint = '' } = {}] = error.diagnostics;
  return `${message} | ${hint}`;
}

/** Every path of every form of every kind; items of lists by the index 0, entries of maps by a name. */
const EVERY = KIND_NAMES.flatMap((kind) => {
  const purposes = purposesOf(kind);
  return (purposes.length === 0 ? [undefined] : purposes).flatMap((purpose) => {
    const schema = kindSchema(schemaId(kind, purpose) ?? '');
    if (schema === undefined) throw new Error(`no schema of ${kind}`);
    return pathsBelow(kind, schema).map((each) => ({ ...each, form: purpose ?? '' }));
  });
});
const AJV = new Ajv({ strict: false, allErrors: true });

interface Place {
  readonly path: string;
  readonly schema: SchemaNode;
}

function pathsBelow(path: string, schema: SchemaNode): readonly Place[] {
  if (schema === OPEN || schema === UNKNOWN || schema === LOOSE) return [];
  const items = itemSchema(schema);
  return [
    { path, schema },
    ...(items === undefined ? [] : pathsBelow(`${path}[0]`, items)),
    ...Object.keys(schema.properties ?? {}).flatMap((name) =>
      pathsBelow(`${path}.${name}`, childSchema(schema, name)),
    ),
    ...(typeof schema.additionalProperties === 'object'
      ? pathsBelow(`${path}.any`, childSchema(schema, 'any'))
      : []),
  ];
}

function plain(path: string): string {
  return path.replaceAll('[0]', '').replace('.environments.any', '.environments.*');
}

/** What every page of a code has, in this order. */
const PAGE = new RegExp(
  [
    '^# (?<code>[a-z0-9-]+)\\n\\n(?<title>PROSE)\\n\\n',
    'Severity: (?<severity>(?:error|warning|info)(?: or (?:warning|info))?)(?<lint> \\(lint\\))?\\.\\n\\n',
    '## What it means\\n\\nPROSE\\n\\n## Why it matters\\n\\nPROSE\\n\\n## What to do\\n\\nPROSE\\n',
    '(?:\\n## Example\\n\\nCODE\\n)?',
    '(?<off>\\n## How to turn it off\\n\\nPROSE\\n\\nCODE\\n)?',
    '(?:\\n## Fields\\n\\n(?:- `[A-Za-z_.*]+`\\n)+)?$',
  ]
    .join('')
    .replaceAll('PROSE', '(?!```|#|-)\\S.*(?:\\n\\S.*)*[.)?]')
    .replaceAll('CODE', '```(?:yaml|sh)\\n[\\s\\S]*?\\n```'),
);

describe('the pages of the codes', () => {
  const folder = fileURLToPath(new URL('../../docs/reference/codes/', import.meta.url));

  test('are one for each code, and none without a code', () => {
    const pages = readdirSync(folder).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(ALL.map((code) => `${code}.md`).sort());
  });

  test.each(ALL)('%s has its parts in order', (code) => {
    const page = readPage(`reference/codes/${code}.md`);
    const parts = PAGE.exec(page)?.groups ?? {};
    const lint = LINTS.some((one) => one.code === code);
    expect(parts).toMatchObject({ code });
    expect(plainProse(parts.title ?? '').replaceAll('`', '')).toBe(CODES[code]);
    expect([parts.lint !== undefined, parts.off !== undefined]).toEqual([lint, lint]);
    if (lint) expect(parts.severity).toBe('warning');
    if (lint) expect(parts.off).toContain(`\n  lint.tradeform/${code}: `);
    const prose = page.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`]+`/g, '');
    expect(prose, 'what Markdown would take for markup').not.toMatch(/[*_<>`]/);
  });

  test('that are missing in an installation are reported with their path, without a crash', () => {
    expect(() => readPage('reference/codes/none.md')).toThrow(
      /^this installation of tradeform lacks its documentation: .*docs\/reference\/codes\/none\.md cannot be read$/,
    );
  });

  test('have the severities of the printed diagnostics', () => {
    const tests = fileURLToPath(new URL('..', import.meta.url));
    const printed = new Set(
      readdirSync(tests, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:ts|txt|md)$/.test(name))
        .flatMap(
          (name) =>
            readFileSync(join(tests, name), 'utf8').match(/\b(?:error|warning|note)\[[a-z-]+\]/g) ?? [],
        )
        .filter((line) => ALL.some((code) => line.endsWith(`[${code}]`))),
    );
    expect(printed.size).toBeGreaterThan(30);
    for (const line of printed) {
      const [severity = '', code = ''] = line.replace('note', 'info').split(/[[\]]/);
      expect(/^Severity: (.*)$/m.exec(readPage(`reference/codes/${code}.md`))?.[1], line).toContain(severity);
    }
  });
});

describe('a code', () => {
  test.each(ALL)('%s has a text, whose lines fit', async (code) => {
    const { means, matters, act, example = '' } = codePage(code);
    for (const text of [means, matters, act]) expect(text).toMatch(/^\S+ \S+ .*[.)]$/);
    for (const columns of [60, 80]) {
      const text = await run(undefined, { code }, columns);
      expect(text.startsWith(`${code}\n`)).toBe(true);
      const long = text.split('\n').filter((line) => line.length > columns && !example.includes(line.trim()));
      expect(long).toEqual([]);
    }
    expect(await document(undefined, { code })).toMatchObject({
      format: 'tradeform.result/1',
      command: 'explain',
      ok: true,
      exit_code: 0,
      diagnostics: [],
      explanation: {
        code,
        title: CODES[code],
        means,
        matters,
        act,
        example: example === '' ? null : example,
      },
    });
  });

  test('says what it means, why it matters, what to do, with an example', async () => {
    expect(await run(undefined, { code: 'unknown-wallet' })).toBe(`unknown-wallet
  A text is neither a chain address nor a name from a WalletBook.

  Severity: error.

What it means
  A wallet field holds neither a chain address nor a name from a WalletBook.

Why it matters
  A misspelt name must not become a different wallet.

What to do
  Correct the name, or add it to a WalletBook.

Example
  apiVersion: tradeform/v1
  kind: WalletBook
  metadata: { name: whales }
  spec:
    wallets:
      whale-7: 7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj

Fields
  - target_wallet
  - linked_wallets
  - address_blacklist.wallets

Page: docs/reference/codes/unknown-wallet.md
`);
    const { explanation } = await document(undefined, { code: 'unknown-wallet' });
    expect(explanation).toMatchObject({ page: 'docs/reference/codes/unknown-wallet.md' });
  });

  test('of a lint says how to turn it off, of others it does not', async () => {
    for (const code of ALL) {
      const lint = LINTS.some((one) => one.code === code);
      const text = await run(undefined, { code });
      expect(text.includes(`  lint.tradeform/${code}: the reason\n`), code).toBe(lint);
      const { explanation } = await document(undefined, { code });
      expect(explanation).toMatchObject({ lint, annotation: lint ? `lint.tradeform/${code}` : null });
    }
  });

  test('that does not exist is refused with a suggestion', async () => {
    expect(await refused(undefined, { code: 'unkown-label' })).toContain(
      '"unkown-label" | Did you mean unknown-label?',
    );
    expect(await refused(undefined, { code: 'slippage' })).toContain('Did you mean slippage-inert');
    expect(await refused(undefined, { code: '' })).toContain('explain --codes');
    expect(await refused(undefined, { code: 'toString' })).toContain('explain --codes');
  });

  test.each([
    '../../explanation/x',
    '../codes/internal',
    'internal.md',
    '/etc/passwd',
    'internal\0',
    '%2e%2e/x',
  ])('%j names no file: only codes are read', async (code) => {
    expect(await refused(undefined, { code })).toContain('unknown code');
  });

  test('--codes lists them all, with a line or two each', async () => {
    const text = await run(undefined, { codes: true });
    for (const code of ALL) expect(text).toMatch(new RegExp(`^${code} `, 'm'));
    expect(text).toContain('(lint)');
    expect((await document(undefined, { codes: true })).codes).toEqual(
      ALL.map((code) => ({ code, title: CODES[code], lint: LINTS.some((one) => one.code === code) })),
    );
  });

  test('exactly one thing must be asked for', async () => {
    expect(await refused(undefined)).toContain('name something to explain');
    expect(await refused('SniperTask', { codes: true })).toContain('explain takes one name at a time');
    expect(await refused(undefined, { code: 'internal', codes: true })).toContain('one name');
  });
});

describe('a word', () => {
  const glossary = readPage('glossary.md');
  const words = [...sectionsOf(glossary).keys()];

  test('of the glossary is explained, in order and once', async () => {
    expect(words.length).toBeGreaterThan(40);
    expect(words).toEqual([...new Set(words)].sort());
    for (const word of words.filter((each) => !isKind(each))) {
      const text = await run(word);
      expect(text.startsWith(`${word}\n  `), word).toBe(true);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect((await document(word)).word.name).toBe(word);
    }
    expect(await run('Held')).toContain('stays paused through every later apply');
  });

  test('is one that the program uses: in its names or its output', () => {
    const source = fileURLToPath(new URL('../../src/', import.meta.url));
    const text = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
      .map((name) => readFileSync(join(source, name), 'utf8').replace(/^\s*(?:\/?\*|\/\/).*$/gm, ''))
      .join('\n');
    const unused = words.filter(
      (word) => !new RegExp(word.replace(' ', '[ _-]?').replace(/al$/, ''), 'i').test(text),
    );
    expect(unused).toEqual([]);
  });

  test('is explained in words of the glossary', () => {
    for (const [, , target = ''] of glossary.matchAll(/\[([^\]]+)\]\(#([a-z-]+)\)/g))
      expect(words).toContain(target);
    for (const page of ['README.md', 'CONTRIBUTING.md'])
      expect(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'), page).toContain(
        '(docs/glossary.md)',
      );
  });

  test('that is a code shows the code, and a part of a name lists its matches', async () => {
    expect(await run('slippage-inert')).toBe(await run(undefined, { code: 'slippage-inert' }));
    const { found } = await document('slippage');
    expect(found.codes).toContainEqual({ code: 'slippage-inert', title: CODES['slippage-inert'] });
    expect(found.fields[0]).toBe('SniperTask.spec.config.relay_mode.slippage');
    expect(await run('own')).toMatch(/^Words\n {2}owned +A task that carries/);
    expect(await run('buy_amount')).toMatch(/^Fields\n {2}SniperTask\.spec\.config\.buy_amount\n/);
  });

  test('of the output is found by the entry that explains it, and a code also by its words', async () => {
    const { found } = await document('at stake');
    expect(found.words).toContainEqual({ name: 'exposure', means: expect.stringContaining('SOL at stake') });
    expect(await run('may buy again')).toBe(await run('may-buy-again'));
  });

  test.each([
    ['armd', 'unknown field, code or word "armd" | Did you mean armed?'],
    ['slipage', 'Did you mean slippage?'],
    ['unkown-label', 'Did you mean unknown-label?'],
    ['SnipperTask', 'Did you mean SniperTask?'],
    ['__proto__', 'unknown field, code or word "__proto__"'],
    ['glossary', 'unknown field, code or word'],
    ['../glossary', 'a path starts with a kind'],
    ['../../package.json', 'a path starts with a kind'],
    ['/etc/passwd', 'unknown field, code or word'],
  ])('%j is unknown, and refused', async (word, expected) => {
    expect(await refused(word)).toContain(expected);
  });
});

describe('a field', () => {
  test('has type, unit, limits, and whether it is required', async () => {
    expect(await run('SniperTask.spec.config.buy_amount')).toBe(`SniperTask.spec.config.buy_amount
  SOL per buy: greater than 0 and at most 1,000,000.

  type      amount
  unit      SOL
  limits    greater than 0, at most 1000000
  required  yes; an extended template or preset can provide it

Example
  buy_amount: "0.5"
`);
    expect((await document('copy-trade.spec.config.selected_dexes')).field).toMatchObject({
      path: 'CopyTradeTask.spec.config.selected_dexes',
      type: 'set of texts',
      required: true,
      limits: 'at least 1 item, at most 7 items',
      values: expect.arrayContaining(['raydium-cpmm']),
      fields: [],
    });
  });

  test('has its default and its values', async () => {
    const text = await run('sniper.spec.config.dex_source');
    expect(text).toContain('  values    global, config\n  required  no\n  default   global\n');
    expect((await document('label.spec.sort_order')).field).toMatchObject({
      type: 'whole number',
      required: false,
      default: 0,
    });
  });

  test('that is a mapping or a list shows what is below', async () => {
    const { field } = await document('sniper.spec.config');
    expect(field.fields).toContainEqual(
      expect.objectContaining({ name: 'buy_once', type: 'true or false', required: false, default: false }),
    );
    const text = await run('copy-trade.spec.config.buy_config_tiers');
    expect(text).toContain('  type      list of mappings\n  limits    at most 20 items\n');
    expect(text).toMatch(/^ {2}market_cap_min {9}amount, required: /m);
  });

  test('within a list is found with an index and without', async () => {
    const below = 'relay_tip';
    for (const item of ['buy_config_tiers[0]', 'buy_config_tiers.0', 'buy_config_tiers']) {
      const { field } = await document(`copytradetask.spec.config.${item}.${below}`);
      expect(field).toMatchObject({ unit: 'SOL', limits: 'at least 0, at most 1000' });
    }
  });

  test('of a map is found by any key, and of a preset for the kind that has it', async () => {
    expect((await document('project.spec.environments.staging.base_url')).field.type).toBe('text');
    expect((await document('Preset.spec.config.buy_amount')).field.for).toEqual(['sniper', 'transfer-snipe']);
    expect((await document('preset.spec.config.buy_config_mode')).field.for).toEqual(['copy-trade']);
  });

  test('without a documented type says so', async () => {
    const text = await run('sniper.spec.config.auto_strategy.anti_pvp');
    expect(text).toContain('not documented by the service; passes through');
  });

  test('that does not exist is refused with a suggestion', async () => {
    expect(await refused('SniperTask.spec.config.buy_amout')).toContain(
      'SniperTask.spec.config has no field buy_amout | Did you mean buy_amount? Its fields are buy_amount, relay_mode,',
    );
    expect(await refused('SnipperTask.spec')).toContain('"SnipperTask" | Did you mean SniperTask?');
    expect(await refused('spec.config')).toContain('The kinds are SniperTask,');
    expect(await refused('')).toContain('a path starts with a kind');
    expect(await refused('SniperTask.spec.constructor')).toContain('has no field constructor');
    expect(await refused('Preset.spec.for.x')).toContain(
      'Preset.spec.for has no field x | It has no fields.',
    );
  });

  test.each([
    [
      'sniper.config',
      'SniperTask has no field config | Did you mean sniper.spec.config? Its fields are apiVersion,',
    ],
    ['copy-trade.config.x', 'CopyTradeTask has no field config | Did you mean copy-trade.spec.config?'],
    ['copy-trade.config.buy_config_tiers[0].amount_sol', '.spec.config.buy_config_tiers[0].amount_sol?'],
    ['SniperTask.buy_amount', 'Did you mean SniperTask.spec.config.buy_amount?'],
    ['sniper.spec.buy_amount', 'Did you mean sniper.spec.config.buy_amount? Its fields are state,'],
    ['sniper.name', 'Did you mean sniper.metadata.name?'],
    ['preset.config.buy_config_mode', 'Did you mean preset.spec.config.buy_config_mode?'],
  ])('%s without its parents is refused with the complete path', async (path, expected) => {
    expect(await refused(path)).toContain(expected);
  });

  test('of several forms is shown in all of them', async () => {
    const config = await document('Preset.spec.config');
    expect([config.field.for, config.other_forms[0].for]).toEqual([
      ['sniper', 'transfer-snipe'],
      ['copy-trade'],
    ]);
    const text = await run('TaskSet.spec.task.spec.target_wallet', {}, 120);
    const said = [...text.matchAll(/^ {2}for {7}(.*)$/gm)].map(([, words]) => words);
    expect(said).toEqual([
      'sniper; for copy-trade and transfer-snipe it is different: see below',
      'copy-trade; for transfer-snipe it is different: see below',
      'transfer-snipe',
    ]);
    expect((await document('Preset.spec.for')).field).toMatchObject({
      required: true,
      values: ['sniper', 'copy-trade', 'transfer-snipe'],
    });
    expect((await document('Preset.spec')).other_forms).toHaveLength(1);
  });

  test('of a guardrail: the content of a list, and the long form', async () => {
    const dexes = await document('Project.spec.guardrails.allowed_dexes');
    expect(dexes.field).toMatchObject({ type: 'list of texts or mapping or null' });
    expect(dexes.field.values).toContain('pump-fun');
    expect(dexes.field.fields.map(({ name }: { name: string }) => name)).toEqual(['limit', 'action']);
    expect(await run('Project.spec.guardrails.max_deletes')).toContain('whole number or percentage');
    const policies = await document('Project.spec.environments.production.guardrails.policies');
    expect(policies.field.fields.map(({ name }: { name: string }) => name)).toContain('message');
  });

  test('has the rules about it, by their codes', async () => {
    expect((await document('CopyTradeTask.spec.config.dev_sell_only')).field.rules).toContainEqual({
      code: 'needs-pump-fun',
      text: codePage('needs-pump-fun').means,
    });
    expect(await run('CopyTradeTask.spec.config.dev_sell_only')).toMatch(/^ {2}rule {6}dev_sell_only or/m);
    expect((await document('SniperTask.spec.target_wallet')).field.rules).not.toContainEqual(
      expect.objectContaining({ code: 'duplicate-target' }),
    );
    const paths = EVERY.map(({ path }) => plain(path));
    for (const code of ALL) {
      for (const end of codePage(code).fields) {
        const about = paths.filter(
          (path) => path.endsWith(end) && rulesOf(path).some((rule) => rule.code === code),
        );
        expect(about, `${code}: ${end}`).not.toEqual([]);
      }
    }
  });

  test('of every schema is explained in full, and its lines fit', async () => {
    const paths = new Set(EVERY.map(({ path }) => path));
    expect(paths.size).toBeGreaterThan(600);
    for (const path of paths) {
      const text = await run(path);
      expect(text).not.toContain('undefined');
      expect(text.split('\n').filter((line) => line.length > 80 && line !== path)).toEqual([]);
      const { field, other_forms = [] } = await document(path);
      for (const form of [field, ...other_forms]) {
        const { required, description, type, default: standard, example } = form;
        expect(description, path).toMatch(/^\S.*[.:)\]]$/s);
        expect(type, path).not.toBe('');
        // Items, and the manifest itself, are there or not.
        if (required === false && standard === null) expect(text, path).toMatch(/^ {2}default {3}\S/m);
        if (example === null) expect(`${type} ${description}`, path).toMatch('not documented');
      }
    }
  });

  test('has an example that its schema accepts', () => {
    const tried = new Set<string>();
    for (const { path, schema } of EVERY) {
      const example = exampleAt({ path, schema });
      const known = JSON.stringify([schema, example]);
      if (example === undefined || tried.has(known)) continue;
      tried.add(known);
      const validate = AJV.compile({ ...schema, definitions: schemas.definitions });
      const taken = validate(example);
      expect(taken, `${path}: ${JSON.stringify(example)}: ${AJV.errorsText(validate.errors)}`).toBe(true);
      const range = schema['x-decimal'];
      if (range === undefined || typeof example !== 'string' || example.endsWith('%')) continue;
      const { min = '-1', above = '-1', max = 'Infinity' } = range;
      expect(Number(example), path).toBeGreaterThanOrEqual(Number(min));
      expect(Number(example), path).toBeGreaterThan(Number(above));
      expect(Number(example), path).toBeLessThanOrEqual(Number(max));
    }
  });
});
