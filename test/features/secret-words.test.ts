import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Diagnostic } from '../../src/core/diagnostics/diagnostic.ts';
import { runPlan } from '../../src/core/features/plan.ts';
import { runValidate } from '../../src/core/features/validate.ts';
import { FORMATS } from '../../src/core/render/format.ts';
import { copyTrade, PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import fc from '../properties.ts';
import { runInMemory } from './in-memory.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/**
 * What a diagnostic says of a value of the environment: which problem it has, and which form the field wants. Two values with the
 * same problems at the same places have the same words, byte for byte; so nothing in them comes from either.
 */

let project: ProjectRun;
beforeAll(async () => {
  project = await openProject();
  project.write('tradeform.yaml', GUARDED);
});

const GUARDED = `${PROJECT}spec:
  guardrails:
    max_buy_amount: 0.5
    max_tip: 0.0001
    max_slippage: 1
    max_exposure: 0.6
    max_task_exposure: 0.3
    allowed_dexes: [bags]
    forbidden_wallets: [${WALLETS[2]}, ${WALLETS[0]}]
    allowed_wallets: [${WALLETS[1]}]
`;

type Node = { [key: string]: Node } | Node[] | string | number | boolean | null;
type Path = readonly (string | number)[];

const ORDERS = [
  { sell: '60.5', trigger: '10' },
  { sell: '50.5', trigger: '20' },
];
/** Tasks with something in every list, so that each rule and lint has something to compare. */
function tasks(): readonly Node[] {
  const snipe = parse(sniper({ spec: '  remark: quiet\n' })) as { spec: { config: Record<string, Node> } };
  snipe.spec.config.dev_min_amount = '1';
  snipe.spec.config.dev_max_amount = '2';
  snipe.spec.config.bundle_amount = '0.001';
  const copy = parse(copyTrade({ spec: `  linked_wallets: [${WALLETS[2]}]\n` })) as typeof snipe;
  const { config } = copy.spec;
  const tier = (min: string, max: string) => ({
    ...(config.buy_config_universal as object),
    market_cap_min: min,
    market_cap_max: max,
    selected_dexes: ['pump-fun'],
  });
  config.buy_config_tiers = [tier('1', '5'), tier('4', '9'), tier('11', '12')];
  config.buy_config_mode = 'tiered';
  config.min_trade_amount = '1';
  config.max_trade_amount = '2';
  config.dev_sell_only = false;
  (config.auto_sell as Record<string, Node>).enabled = true;
  (config.auto_sell as Record<string, Node>).tp_orders = ORDERS;
  return [snipe as never, copy as never];
}

function* leaves(node: Node, path: Path = []): Iterable<Path> {
  if (typeof node !== 'object' || node === null) yield path;
  else
    for (const key of Array.isArray(node) ? node.keys() : Object.keys(node))
      yield* leaves((node as Record<string | number, Node>)[key] ?? null, [...path, key]);
}

function withAt(node: Node, [key, ...rest]: Path, leaf: Node): Node {
  if (key === undefined) return leaf;
  const child = (node as Record<string | number, Node>)[key] ?? null;
  if (Array.isArray(node)) return node.with(Number(key), withAt(child, rest, leaf));
  return { ...(node as object), [key]: withAt(child, rest, leaf) };
}

function valueAt(node: Node, path: Path): Node {
  return path.reduce<Node>((value, key) => (value as Record<string | number, Node>)[key] ?? null, node);
}

const FIELDS = tasks().flatMap((task, index) =>
  [...leaves(task)]
    .filter(
      ([top, field]) =>
        top === 'spec' && ['config', 'target_wallet', 'linked_wallets', 'remark'].includes(String(field)),
    )
    .map((path) => ({ index, path, value: valueAt(task, path) })),
);

/** Ways to write a value, of which a helpful hint would spell out the right one. */
const digits = fc.integer({ min: 12_345, max: 98_765 }).filter((number) => number % 10 !== 0);
const word = fc.stringMatching(/^[a-z]{7}$/);
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'a leading zero': (text) => `00${text}`,
  'a sign': (text) => `+${text}`,
  negative: (text) => `-${text}`,
  'an exponent': (text) => `${text}e2`,
  'spaces around': (text) => ` ${text} `,
  'a percent sign': (text) => `${text}%`,
  'no digit before the point': (text) => `.${text}`,
  'no digit after the point': (text) => `${text}.`,
  'a fraction': (text) => `${text.slice(0, 2)}.${text.slice(2)}`,
  'a small fraction': (text) => `0.0${text}`,
  'grouped digits': (text) => `${text.slice(0, 2)},${text.slice(2)}`,
  'another base': (text) => `0x${text}`,
  'too many digits': (text) => `${text}.${text.repeat(5)}`,
  'a long text': (text) => text.repeat(60),
  'a whole number': (text) => text,
};
const WORDS = [
  ['pump-fnu', 'pump-amn', 'baggs', 'bagz'],
  ['tierde', 'universl', 'tired', 'unversal'],
  ['configg', 'globl'],
  ['pump-fun', 'pump-amm', 'bags'],
  ['tiered', 'universal'],
  ['config', 'global'],
  ['a note [git:core/alpha]', 'another [git:core/beta]'],
  ['zero\u200bwidth', 'right\u202eto'],
];
const SWITCHES = [['true', 'false', 'yes', 'no', 'on', 'off', 'True', 'NO']];
const ADDRESSES = [
  [
    `${WALLETS[0].slice(0, 30)}0${WALLETS[0].slice(31)}`,
    `${WALLETS[1].slice(0, 12)}l${WALLETS[1].slice(13)}`,
  ],
  [WALLETS[0].slice(1), WALLETS[1].slice(3)],
  // Valid, and nowhere else: what is written in a file as well is hidden there too.
  ['BRSpBrs5en3aQxiXznUyNwj8XejFfwV5ACUz77nycEqT', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsV'],
  [`0x${'1a'.repeat(20)}`, `0x${'2b'.repeat(20)}`],
];
type Pair = readonly [string, string];
const among = (groups: readonly (readonly string[])[]) =>
  fc
    .constantFrom(...groups)
    .chain((near) => fc.shuffledSubarray([...near], { minLength: 2, maxLength: 2 }))
    .map(([one = '', other = '']): Pair => [one, other]);
const amounts = fc
  .tuple(fc.constantFrom(...Object.values(FORMS)), digits, digits)
  .map(([form, one, other]): Pair => [form(String(one)), form(String(other))]);
const anything = fc.oneof(amounts, fc.tuple(word, word), among([...WORDS, ...SWITCHES, ...ADDRESSES]));

/** Mostly values of the field's own type, which come close to what it wants. */
function pairsFor(value: Node): fc.Arbitrary<Pair> {
  const own =
    typeof value === 'boolean'
      ? among(SWITCHES)
      : WALLETS.includes(value as never)
        ? among(ADDRESSES)
        : value === '' || /^[0-9.]+$/.test(String(value))
          ? amounts
          : among(WORDS);
  return fc.oneof({ weight: 4, arbitrary: own }, { weight: 1, arbitrary: anything });
}

interface Said {
  /** The problems without their words. */
  readonly problems: string;
  /** The words of all problems, in every format. */
  readonly words: string;
  /** Everything that was printed or written. */
  readonly outputs: string;
}

/** What `validate` and `plan` say. A plan shows more than problems: whether a task sells, for example. */
async function said(secret: string): Promise<Said> {
  const all: Said[] = [];
  for (const command of [runValidate, runPlan]) {
    const env = { ...project.env, VALUE: secret };
    const report = FORMATS.map((format) => `${format}=report.${format}`);
    const { stdout, stderr, diagnostics } = await runInMemory({ cwd: project.path, env }, (io) =>
      command({ output: 'json', report }, io),
    );
    const files = FORMATS.map((format) => join(project.path, `report.${format}`)).filter(existsSync);
    const outputs = [stdout, stderr, ...files.map((file) => readFileSync(file, 'utf8'))].join('\n');
    for (const file of files) rmSync(file);
    const found = [
      ...diagnostics,
      ...((JSON.parse(stdout || '{}').diagnostics ?? []) as readonly Diagnostic[]),
    ];
    const bare = found.map(({ message: _, hint: __, ...rest }) => rest);
    const words = `${JSON.stringify(found)}${command === runValidate ? outputs : ''}`;
    // A digest is meant to differ.
    const same = words.replace(/\b[\da-f]{12,}\b|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
    all.push({ problems: JSON.stringify(bare), words: same, outputs });
  }
  const joined = (part: keyof Said) => all.map((one) => one[part]).join('\n');
  return { problems: joined('problems'), words: joined('words'), outputs: joined('outputs') };
}

/** Digits of a secret anywhere, however they are grouped. */
function expectNoDigits(outputs: string, secret: string): void {
  const core =
    /\d{5,}/
      .exec(secret.replace(/[.,]/g, ''))?.[0]
      .replace(/^0+|0+$/g, '')
      .slice(0, 5) ?? '';
  if (core.length === 5) expect(outputs.replaceAll(/(?<=\d)[.,_ ](?=\d)/g, '')).not.toContain(core);
}

describe('a value of the environment', () => {
  it('shows in no word of any diagnostic, in any field, form and format', { timeout: 300_000 }, async () => {
    const played = new Set<string>();
    const property = fc.asyncProperty(
      fc.constantFrom(...FIELDS).chain((field) => fc.tuple(fc.constant(field), pairsFor(field.value))),
      fc.option(fc.constantFrom(...FIELDS), { freq: 1 }),
      async ([field, [one, other]], second) => {
        const places = second === null ? [field] : [field, second];
        const changed = tasks().map((task, index) =>
          places
            .filter((place) => place.index === index)
            .reduce<Node>((node, { path }) => withAt(node, path, '${env.VALUE}'), task),
        );
        project.write('manifests/alpha.yaml', JSON.stringify(changed[0]));
        project.write('manifests/whale.yaml', JSON.stringify(changed[1]));
        const first = await said(one);
        expectNoDigits(first.outputs + first.words, one);
        const then = await said(other);
        if (first.problems !== then.problems) return;
        played.add(first.problems);
        expect(then.words).toBe(first.words);
      },
    );
    await fc.assert(property, { numRuns: process.env.TRADEFORM_TEST === 'full' ? 600 : 80 });
    expect(played.size).toBeGreaterThan(15);
  });

  const HEAD = 'apiVersion: tradeform/v1\n';
  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'a preset',
      {
        'tradeform.yaml': PROJECT,
        'manifests/alpha.yaml': sniper({ spec: '  extends: [base]\n' }).replace('    buy_amount: 0.5\n', ''),
        'manifests/base.yaml': `${HEAD}kind: Preset\nmetadata: { name: base }\nspec: { for: sniper, config: { buy_amount: "\${env.VALUE}" } }\n`,
      },
      'invalid-decimal',
    ],
    [
      'a patch',
      {
        'tradeform.yaml': `${PROJECT}spec: { environments: { eu: { patches: [{ target: sniper/alpha, patch: { spec: { config: { buy_amount: "\${env.VALUE}" } } } }] } } }\n`,
        'manifests/alpha.yaml': sniper(),
      },
      'invalid-decimal',
    ],
    [
      'a row',
      {
        'tradeform.yaml': PROJECT,
        'manifests/alpha.yaml': `${HEAD}kind: TaskSet\nmetadata: { name: set }\nspec:\n  for: sniper\n  rows: [{ name: alpha, amount: "\${env.VALUE}" }]\n  task:\n    spec:\n${sniper(
          { amount: '"${row.amount}"' },
        )
          .split('spec:\n')[1]
          ?.replace(/^/gm, '    ')}\n`,
      },
      'invalid-decimal',
    ],
    [
      'a wallet book',
      {
        'tradeform.yaml': PROJECT,
        'manifests/alpha.yaml': sniper(),
        'manifests/base.yaml': `${HEAD}kind: WalletBook\nmetadata: { name: book }\nspec: { wallets: { one: "\${env.VALUE}" } }\n`,
      },
      'invalid-address',
    ],
    [
      'a part of a text',
      {
        'tradeform.yaml': PROJECT,
        'manifests/alpha.yaml': sniper({ amount: '"${env.VALUE}1"' }),
      },
      'invalid-decimal',
    ],
    [
      'a reference where it would be shown',
      {
        'tradeform.yaml': PROJECT,
        'manifests/alpha.yaml': sniper({ name: '"a${env.VALUE}"' }),
      },
      'env-not-here',
    ],
  ])('%s: the diagnostic has neither the value nor what it could be', async (_name, files, code) => {
    for (const name of ['alpha', 'base', 'whale', 'label'])
      rmSync(join(project.path, `manifests/${name}.yaml`), { force: true });
    for (const [name, text] of Object.entries(files)) project.write(name, text);
    const first = await said('0073192');
    expect(first.problems).toContain(code);
    expectNoDigits(first.outputs + first.words, '0073192');
    expect((await said('0048316')).words).toBe(first.words);
  });
});
