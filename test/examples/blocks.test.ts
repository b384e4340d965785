import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { temporaryFolder } from '../support/cleanup.ts';
import { blocksOf, PAGES, pageOf } from './pages.ts';
import { commandLine, ROOT, type Served, serve, tradeform } from './program.ts';

/** What a block may be: `text` is what cannot be run. */
const LANGUAGES = ['js', 'json', 'sh', 'text', 'yaml'];
/** Pages whose command lines another test runs, one after the other and with what they print. */
const WALKED = [
  'docs/tutorial/quickstart.md',
  'docs/how-to/scripting.md',
  'docs/how-to/incidents.md',
  'docs/how-to/many-accounts.md',
  'docs/reference/fleet.md',
];
/** First words of lines that need what no test has: a registry, a container, a machine's settings; `npm run test:kubernetes` a cluster. */
const ELSEWHERE = ['chmod ', 'cp ', 'curl ', 'docker ', 'export ', 'git ', 'helm ', 'kubectl ', 'npm '];
/** Lines that cannot end with 0 in the project of this test, and why. */
const OTHERWISE = new Map([
  ['tradeform init', 'wants a folder without a project: readme.test.ts has one'],
  ['tradeform export --out desk --project-name desk --presets', 'wants an account that no project has'],
  ['tradeform init desk --from-live --project-name desk --presets', 'wants an account that no project has'],
  ['tradeform resume --from 1f2e3d4c', 'names a run of somebody'],
  ['tradeform -C desk plan', 'wants what the line before wrote'],
  ['tradeform -C desk apply', 'wants what the line before wrote'],
  [
    'tradeform plan --base origin/main... --base-url https://example.invalid/v1',
    'names a host that does not exist',
  ],
  ['tradeform plan --base origin/main... --override base_rules=DIGEST', 'has a placeholder'],
  [
    'tradeform apply --take-over core --resume-stopped sniper/dawn',
    'wants a project that takes tasks over from another one',
  ],
  ['tradeform release --id 5e0c1d2a-0000-4000-8000-0000000000aa --dry-run', 'has a placeholder'],
  ['tradeform resume sniper/dawn --dry-run', 'wants an account that is not frozen: pause --all comes before'],
]);

const COMMANDS = [
  ...new Set(
    PAGES.filter(({ path }) => !WALKED.includes(path)).flatMap(({ text }) =>
      blocksOf(text)
        .filter(({ language }) => language === 'sh')
        .flatMap((block) => block.text.split('\n'))
        .map((line) =>
          line
            .replace(/(^|\s+)#.*/, '')
            .replace(/^(?:npx --no -- |node_modules\/\.bin\/)tradeform/, 'tradeform')
            // What a shell does with the script of completion is none of ours.
            .replace(/^source <\((.*)\)$|^(.*) \| source$/, '$1$2'),
        )
        .filter((line) => line !== ''),
    ),
  ),
];
const RUN = COMMANDS.filter((line) => /^(?:[A-Z_]+=\S+ )?tradeform /.test(line) && !OTHERWISE.has(line));

test.each([...PAGES, ...['CONTRIBUTING.md', 'SECURITY.md'].map(pageOf)])(
  '$path has blocks of known languages only',
  ({ text }) => {
    const fences = [...text.matchAll(/^ *(`{3,})(\S*)[^\n]*\n[\s\S]*?^ *\1$/gm)].map(
      ([, , language]) => language,
    );
    expect(fences.filter((language = '') => !LANGUAGES.includes(language))).toEqual([]);
  },
);

test('a line of a shell block is run, or begins with a command that cannot be run here', () => {
  expect(RUN.length).toBeGreaterThan(25);
  const others = COMMANDS.filter(
    (line) => !RUN.includes(line) && !ELSEWHERE.some((word) => line.startsWith(word)),
  );
  expect(others.sort()).toEqual([...OTHERWISE.keys()].sort());
});

describe('shell lines, in a project that has been applied', () => {
  const folder = temporaryFolder('blocks');
  const desk = join(folder, 'desk');
  let service: Served;

  async function line(text: string): Promise<{ code: number | null; output: string }> {
    // No monitor answers there, which is a warning.
    const MONITOR_URL = `${service.env.TRADEFORM_BASE_URL}/ping`;
    const env = { PATH: process.env.PATH ?? '', HOME: folder, MONITOR_URL, ...service.env };
    const { code, stdout, stderr } = await commandLine(text, desk, env);
    return { code, output: stdout + stderr };
  }

  beforeAll(async () => {
    cpSync(join(ROOT, 'examples/quickstart'), desk, { recursive: true });
    cpSync(join(ROOT, 'examples/quickstart'), join(desk, 'strategies'), { recursive: true });
    // Names that pages use, beside those of the quickstart.
    const project = readFileSync(join(desk, 'tradeform.yaml'), 'utf8');
    const environments = '  environments: { staging: { base_url: https://example.invalid/v1 } }\n';
    writeFileSync(join(desk, 'tradeform.yaml'), project.replace(/^ {2}base_url: .*\n/m, environments));
    const dawn = readFileSync(join(desk, 'manifests/snipers/dawn.yaml'), 'utf8');
    writeFileSync(join(desk, 'manifests/snipers/night.yaml'), dawn.replace('name: dawn', 'name: night'));
    service = await serve(folder);
    const git = 'git -c user.name=Mira -c user.email=mira@example.invalid';
    const setUp = `git init -q -b main; git add .; ${git} commit -qm one; ${git} commit --allow-empty -qm two; git update-ref refs/remotes/origin/main main`;
    for (const text of [setUp, 'tradeform apply --auto-approve --first-apply']) {
      const { code, output } = await line(text);
      expect(code, output).toBe(0);
    }
  });
  afterAll(() => service?.stop());

  // In their order: a line may read what one before it wrote.
  test.each(RUN)('%s', async (text) => {
    const { code, output } = await line(text);
    expect(code, output).toBe(0);
  });
});

/** Pieces of a project file on the pages of codes: they are read as a whole one, beside the manifests of the quickstart. */
const GUARDRAILS = PAGES.flatMap(({ path, text }) =>
  blocksOf(text)
    .filter((block) => block.language === 'yaml' && /^guardrails: \{/.test(block.text))
    .map((block) => [path, block.text] as const),
);

/** The wallets that they name. */
const WALLETS = `apiVersion: tradeform/v1
kind: WalletBook
metadata: { name: wallets }
spec:
  wallets:
    whale-7: 5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1
    whale-12: 9n4nbM75f5Ui33ZbPYXn59EwSgE8CGsHtAeTH5YFeJ9E
    our-own-cold-wallet: BRSpBrs5en3aQxiXznUyNwj8XejFfwV5ACUz77nycEqT
`;

test.each(GUARDRAILS)('%s has guardrails that a project file accepts', async (_, text) => {
  const folder = temporaryFolder('blocks');
  cpSync(join(ROOT, 'examples/quickstart'), folder, { recursive: true });
  const file = join(folder, 'tradeform.yaml');
  const project = parseDocument(readFileSync(file, 'utf8'));
  project.setIn(['spec', 'guardrails'], parseDocument(text).get('guardrails'));
  writeFileSync(file, String(project));
  writeFileSync(join(folder, 'manifests/wallets.yaml'), WALLETS);
  const { code, stderr } = await tradeform(['validate'], folder);
  expect(code, stderr).toBe(0);
});

test('pages have many guardrails', () => expect(GUARDRAILS.length).toBeGreaterThan(10));

/** `tradeform.plan/1` → its schema. */
const SCHEMAS = new Map(
  readdirSync(join(ROOT, 'schemas'))
    .filter((name) => name.endsWith('.schema.json'))
    .map((name) => JSON.parse(readFileSync(join(ROOT, 'schemas', name), 'utf8')))
    .map((schema) => [schema.properties?.format?.const, schema]),
);

test('blocks of JSON match their format, and no other block hides one', () => {
  const blocks = PAGES.flatMap(({ path, text }) => blocksOf(text).map((block) => ({ path, ...block })));
  const documents = blocks.filter(({ language }) => language === 'json');
  expect(documents.length).toBeGreaterThan(0);
  const ajv = new Ajv({ strict: false, allErrors: true });
  for (const { path, text } of documents) {
    const document = JSON.parse(text);
    const schema = SCHEMAS.get(document.format) ?? expect.fail(`${path}: no schema for ${document.format}`);
    expect([ajv.validate(schema, document), ajv.errors], path).toEqual([true, null]);
  }
  expect(blocks.filter(({ language, text }) => language === 'text' && /^\s*[{[]\s*"/.test(text))).toEqual([]);
});
