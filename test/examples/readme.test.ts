import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { GUARDRAILS } from '../../src/core/desired/guardrails/settings.ts';
import { LINTS } from '../../src/core/desired/lints/index.ts';
import { CODES } from '../../src/core/model/generated/codes.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { blocksOf, PAGES, pageOf } from './pages.ts';
import { ROOT, type Served, serve, tradeform } from './program.ts';

/** All pages are one text here: what a page shows may build upon what another shows. */
const ALL = PAGES.filter(({ path }) => !path.startsWith('docs/reference/codes/'));
const COMPOSED = pageOf('docs/how-to/many-tasks.md');
const BLOCKS = ALL.filter(({ path }) => path !== COMPOSED.path).flatMap(({ text }) => blocksOf(text));
const TEXT = ALL.map(({ text }) => text).join('\n');

const YAML = BLOCKS.filter(({ language }) => language === 'yaml').map(({ text }) => text);
const PROJECTS = YAML.filter((text) => text.includes('kind: Project'));
const MANIFESTS = YAML.filter(
  (text) =>
    text.startsWith('apiVersion:') && !PROJECTS.includes(text) && !/kind: (?:Fleet|Notifications)/.test(text),
);

const folder = temporaryFolder('readme');

it('has YAML that parses', () => {
  for (const { language, text } of PAGES.flatMap((page) => blocksOf(page.text))) {
    if (language !== 'yaml') continue;
    for (const document of parseAllDocuments(text)) expect(document.errors, text).toEqual([]);
  }
});

it('names tests and invariants that exist', () => {
  const tests = [...TEXT.matchAll(/`(test\/[\w/.-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  expect(tests.length).toBeGreaterThan(10);
  for (const path of tests) expect(existsSync(join(ROOT, path)), path).toBe(true);
  const invariants = readFileSync(join(ROOT, 'test/simulation/invariants.ts'), 'utf8');
  const named = [...TEXT.matchAll(/`([\w-]+)` in `test\/simulation`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(4);
  for (const name of named) expect(invariants).toContain(`name: '${name}'`);
});

it('names every guardrail in its table', () => {
  const cells = [...pageOf('docs/how-to/guardrails.md').text.matchAll(/^\| ([^|]*) \|/gm)].map(
    ([, cell = '']) => cell,
  );
  const named = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual([...GUARDRAILS, 'policies'].sort());
});

it('lists every lint with its own description', () => {
  const { text: page } = pageOf('docs/reference/lints.md');
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(([, code, text]) => [code, text]);
  expect(rows).toEqual(LINTS.map(({ code }) => [code, CODES[code]]));
});

it('shows two project files and manifests of five kinds', () => {
  expect(PROJECTS).toHaveLength(2);
  expect(MANIFESTS.length).toBeGreaterThanOrEqual(3);
});

it.each(PROJECTS.map((text, index) => [index, text] as const))(
  'validates with project file %i',
  async (index, text) => {
    const project = join(folder, `project-${index}`);
    mkdirSync(join(project, 'manifests'), { recursive: true });
    writeFileSync(join(project, 'tradeform.yaml'), text);
    for (const [number, manifest] of MANIFESTS.entries()) {
      writeFileSync(join(project, 'manifests', `${number}.yaml`), manifest);
    }
    const { code, stderr } = await tradeform(['validate'], project);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  },
);

it('shows Removals, which people copy, as fmt writes them', async () => {
  const project = join(folder, 'removals');
  mkdirSync(join(project, 'manifests'), { recursive: true });
  writeFileSync(join(project, 'tradeform.yaml'), PROJECTS[0] ?? '');
  const removals = MANIFESTS.filter((text) => text.includes('kind: Removal'));
  expect(removals).toHaveLength(1);
  writeFileSync(join(project, 'manifests', 'removals.yaml'), removals.join('---\n'));
  const { code, stdout } = await tradeform(['fmt', '--check', 'manifests/removals.yaml'], project);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
});

it.each(['production', 'staging'])(
  'composes the tasks of its section on that, in %s',
  async (environment) => {
    const project = join(folder, `composed-${environment}`);
    mkdirSync(join(project, 'manifests'), { recursive: true });
    // The template that the section extends and does not show.
    cpSync(
      join(ROOT, 'examples/quickstart/manifests/templates/follow.yaml'),
      join(project, 'manifests/follow.yaml'),
    );
    for (const [number, { text }] of blocksOf(COMPOSED.text).entries()) {
      const file = text.includes('kind: Project') ? 'tradeform.yaml' : `manifests/${number}.yaml`;
      writeFileSync(join(project, file), text);
    }
    const { code, stdout, stderr } = await tradeform(['validate', '-e', environment], project);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^CopyTradeTask +3$/m);
  },
);

/** Command lines of the shell and CI blocks, without what a shell would do with them. */
const LINES = [
  ...new Set(
    BLOCKS.filter(({ language }) => language === 'sh' || language === 'yaml')
      .flatMap(({ text }) => [...text.matchAll(/npx --no -- tradeform ([^\n#>]*)/g)])
      .map(([, args = '']) => args.trim()),
  ),
];

describe('its command lines, after a first apply', () => {
  let service: Served;
  const quickstart = join(folder, 'quickstart');

  beforeAll(async () => {
    cpSync(join(ROOT, 'examples', 'quickstart'), quickstart, { recursive: true });
    service = await serve(quickstart);
    const first = await tradeform(['apply', '--auto-approve', '--first-apply'], quickstart, service.env);
    expect(first.code, first.stderr).toBe(0);
  });

  it('are several', () => expect(LINES.length).toBeGreaterThanOrEqual(5));

  it.each(LINES.filter((line) => line !== 'init'))('tradeform %s', async (line) => {
    const { code, stderr } = await tradeform(line.split(' '), quickstart, service.env);
    expect(code, stderr).toBe(0);
  });

  it('tradeform init, without a project', async () => {
    expect(LINES).toContain('init');
    const fresh = mkdtempSync(join(folder, 'fresh-'));
    expect(await tradeform(['init'], fresh)).toMatchObject({ code: 0 });
    expect(await tradeform(['validate'], fresh)).toMatchObject({ code: 0 });
  });
});
