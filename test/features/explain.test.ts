import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { itemSchema } from '../../schemas/generator/field-schema.ts';
import { LINTS } from '../../src/core/desired/lints/index.ts';
import {
  childSchema,
  KIND_NAMES,
  kindSchema,
  LOOSE,
  nameCalled,
  OPEN,
  purposesOf,
  type SchemaNode,
  schemaId,
  UNKNOWN,
} from '../../src/core/manifest/schema.ts';
import { CODES } from '../../src/core/model/generated/codes.ts';
import { codePage, type ExplainOptions, runExplain } from '../../src/kit/explain/explain.ts';
import { plainProse, readPage, sectionsOf } from '../../src/kit/explain/pages.ts';
import { ERROR_CODES } from '../support/choices.ts';
import { type Result, runInMemory } from './in-memory.ts';

test.each([...ERROR_CODES, 'unsent', 'lost', 'unreadable', 'moved', 'stopped', 'gone', 'echo'])(
  'explain says what the code %s of an error is, and what to do',
  async (code) => {
    const { stdout } = await ran(code, { output: 'json' });
    const { word } = JSON.parse(stdout) as { word?: { name: string; means: string } };
    expect(word).toMatchObject({ name: code, means: expect.stringMatching(/\.$/) });
  },
);

const ALL = Object.keys(CODES) as (keyof typeof CODES)[];

function ran(path: string | undefined, options: ExplainOptions, columns = 80): Promise<Result> {
  return runInMemory({ cwd: '/nowhere', env: {}, columns }, (io) => runExplain(path, options, io));
}

async function run(path: string | undefined, options: ExplainOptions = {}, columns = 80): Promise<string> {
  const { code, stdout, stderr } = await ran(path, options, columns);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function document(path: string | undefined, options: ExplainOptions = {}) {
  return JSON.parse(await run(path, { ...options, output: 'json' }));
}

/** Message and hint of the one diagnostic that it fails with. */
async function refused(path: string | undefined, options: ExplainOptions = {}): Promise<string> {
  const { code, diagnostics } = await ran(path, options);
  expect(code).toBe(3);
  expect(diagnostics).toMatchObject([{ severity: 'error', code: 'invalid-option' }]);
  const [{ message = '', hint = '' } = {}] = diagnostics;
  return `${message} | ${hint}`;
}

/** Every path of every kind; items of lists by the index 0, entries of maps by a name. */
const EVERY = [
  ...new Set(
    KIND_NAMES.flatMap((kind) => {
      const purposes = purposesOf(kind);
      return (purposes.length === 0 ? [undefined] : purposes).flatMap((purpose) => {
        const schema = kindSchema(schemaId(kind, purpose) ?? '');
        if (schema === undefined) throw new Error(`no schema of ${kind}`);
        return pathsBelow(kind, schema);
      });
    }),
  ),
];

function pathsBelow(path: string, schema: SchemaNode): readonly string[] {
  if (schema === OPEN || schema === UNKNOWN || schema === LOOSE) return [];
  const items = itemSchema(schema);
  return [
    path,
    ...(items === undefined ? [] : pathsBelow(`${path}[0]`, items)),
    ...Object.keys(schema.properties ?? {}).flatMap((name) =>
      pathsBelow(`${path}.${name}`, childSchema(schema, name)),
    ),
    ...(typeof schema.additionalProperties === 'object'
      ? pathsBelow(`${path}.any`, childSchema(schema, 'any'))
      : []),
  ];
}

/** What every page of a code has, in this order. */
const PAGE = new RegExp(
  [
    '^# (?<code>[a-z0-9-]+)\\n\\n(?<title>PROSE)\\n\\n',
    'Severity: (?<severity>(?:error|warning|info)(?:(?:, warning)? or (?:warning|info))?)(?<lint> \\(lint\\))?\\.\\n\\n',
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
    for (const word of words.filter((each) => nameCalled(each) === undefined)) {
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

  test.each([
    ['import', 'tradeform init --from-live'],
    ['Kill Switch', 'tradeform pause --all'],
    ['dry-run', 'tradeform plan'],
    ['destroy', 'Delete the manifest and apply'],
    ['state', 'There is no state file'],
  ])('of another tool says what it is here: %s', async (word, here) => {
    const { name, means } = (await document(word)).word;
    expect([name, means]).toEqual([word.toLowerCase(), expect.stringContaining(here)]);
    expect(await run(word)).toContain(here);
  });

  test('of another tool is in one row, and has no other meaning here', () => {
    const rows = [...readPage('you-know-it-as.md').matchAll(/^\| (.+) \| .+ \|$/gm)].slice(1);
    const known = rows.flatMap(([, names = '']) => names.split(', '));
    expect(known.length).toBeGreaterThan(60);
    expect(known.filter((word, at) => known.indexOf(word) !== at || words.includes(word))).toEqual([]);
    expect(known.filter((word) => word !== word.toLowerCase())).toEqual([]);
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
  test('has its type, unit, limits, default, rules, and whether it is required', async () => {
    expect(await run('SniperTask.spec.config.buy_amount')).toBe(`SniperTask.spec.config.buy_amount
  amount, required. SOL per buy: greater than 0 and at most 1,000,000. Unit:
  SOL. Limits: greater than 0, at most 1000000.

Page: docs/reference/fields/SniperTask.md
`);
    expect(await run('copy-trade.spec.config.selected_dexes', {}, 400)).toMatch(
      /set of texts, required\. .* Limits: at least 1 item, at most 7 items\. Values: .*raydium-cpmm/,
    );
    expect(await run('sniper.spec.config.dex_source', {}, 400)).toContain('text, default global. ');
    expect(await run('CopyTradeTask.spec.config.dev_sell_only', {}, 400)).toMatch(
      /Rules: needs-pump-fun, ignored-under-dev-sell\.$/m,
    );
    const open = 'not documented by the service; passes through';
    expect(await run('sniper.spec.config.auto_strategy.anti_pvp')).toContain(open);
    expect(await run('sniper.spec.config.auto_strategy.timed_sell')).not.toContain(open);
  });

  test('has no JSON: its schema has', async () => {
    expect(await refused('SniperTask.spec', { output: 'json' })).toContain('`tradeform schema`');
  });

  test('that is a mapping or a list shows what is below', async () => {
    const text = await run('copy-trade.spec.config.buy_config_tiers');
    expect(text).toContain('\n  list of mappings, required. ');
    expect(text).toMatch(/^ {2}market_cap_min\n {4}amount, required\. /m);
    expect(text).not.toContain('buy_config_mode\n');
    const kind = await run('Label');
    expect(kind).toMatch(/^Label\n {2}A label; .*\n\n {2}apiVersion\n/);
  });

  test('within a list is found with an index and without', async () => {
    const of = (path: string) => run(`copytradetask.spec.config.${path}.relay_tip`, {}, 400);
    const text = await of('buy_config_tiers');
    expect(text).toContain('Unit: SOL. Limits: at least 0, at most 1000.');
    expect([await of('buy_config_tiers[0]'), await of('buy_config_tiers.0')]).toEqual([text, text]);
  });

  test('of a map is found by any key', async () => {
    expect(await run('project.spec.environments.staging.base_url')).toContain('\n  text. Base URL');
  });

  test('that is written on another page is found there, by the kinds of task that have it', async () => {
    const of = (path: string) => run(path, {}, 400);
    expect(await of('Preset.spec.config.buy_amount')).toContain(
      '\n  SniperTask: amount, required. SOL per buy',
    );
    expect(await of('TaskSet.spec.task.spec.target_wallet')).toMatch(
      /\n {2}SniperTask: wallet, required\. .*\n {2}CopyTradeTask: wallet, required\. /,
    );
    const limit = 'guardrails.max_deletes';
    const [, ...there] = (await of(`Project.spec.environments.production.${limit}`)).split('\n');
    const [, ...here] = (await of(`Project.spec.${limit}`)).split('\n');
    expect(there).toEqual(here);
    expect(here.join('\n')).toContain('whole number or percentage');
    // The page of a preset says where its config is described, and does not repeat it.
    expect(await of('Preset')).not.toContain('buy_amount');
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
      'SniperTask has no field config | Did you mean SniperTask.spec.config? Its fields are apiVersion,',
    ],
    ['copy-trade.config.x', 'CopyTradeTask has no field config | Did you mean CopyTradeTask.spec.config?'],
    ['copy-trade.config.buy_config_tiers[0].amount_sol', '.spec.config.buy_config_tiers.amount_sol?'],
    ['SniperTask.buy_amount', 'Did you mean SniperTask.spec.config.buy_amount?'],
    ['sniper.name', 'Did you mean SniperTask.metadata.name?'],
    ['preset.config.buy_config_mode', 'Did you mean Preset.spec.config.buy_config_mode?'],
  ])('%s without its parents is refused with the complete path', async (path, expected) => {
    expect(await refused(path)).toContain(expected);
  });

  test('of every schema is explained, and its lines fit', async () => {
    expect(EVERY.length).toBeGreaterThan(600);
    for (const path of EVERY) {
      const text = await run(path);
      expect(text, path).toMatch(/^\S+\n {2}\S[\s\S]*\.\n\nPage: docs\/reference\/fields\/\w+\.md\n$/);
      expect(text).not.toContain('undefined');
      expect(text).not.toMatch(/\\[|*_<[\]`]/);
      expect(text.split('\n').filter((line) => line.length > 80 && !path.startsWith(line))).toEqual([]);
    }
  });

  test('that the page of a code names has this rule on its page', () => {
    const pages = KIND_NAMES.map((kind) => readPage(`reference/fields/${kind}.md`)).join('');
    for (const code of ALL) {
      if (codePage(code).fields.length > 0) expect(pages, code).toContain(`[${code}](../codes/${code}.md)`);
    }
  });
});
