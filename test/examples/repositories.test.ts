import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ACCOUNT, EXAMPLES, environmentsOf, exampleFolders, variablesOf } from './example.ts';
import { ROOT, tradeform } from './program.ts';

const SCHEMAS = join(ROOT, 'schemas', 'manifest');

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort();
}

const repositories = exampleFolders();

/** Schemas as an editor reads them: draft-07, keywords it does not know ignored. */
const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
const compiled = new Map<string, ValidateFunction>();

function schemaOf(file: string): ValidateFunction {
  const known = compiled.get(file);
  if (known !== undefined) return known;
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
  compiled.set(file, validate);
  return validate;
}

it('finds the example repositories', () => {
  expect(repositories).toEqual(expect.arrayContaining(['fleet', 'quickstart']));
});

describe.each(repositories)('%s', (repository) => {
  const folder = join(EXAMPLES, repository);

  it.each(environmentsOf(repository))('validates without output on stderr: %s', async (environment) => {
    const args = environment === undefined ? [] : ['--environment', environment];
    const { code, stdout, stderr } = await tradeform(['validate', ...args], folder, variablesOf(repository));
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^OK {2}\d+ manifests?/m);
    expect(code).toBe(0);
  });

  const manifests = yamlFiles(folder).filter((file) => basename(file) !== ACCOUNT);

  it.each(manifests)('%s names a schema that accepts it', (file) => {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1];
    const schema = resolve(dirname(path), named ?? 'none');
    expect(dirname(schema)).toBe(SCHEMAS);
    const validate = schemaOf(schema);
    for (const document of parseAllDocuments(text)) {
      validate(document.toJS());
      expect(validate.errors ?? []).toEqual([]);
    }
  });

  it('contains no token', () => {
    for (const file of yamlFiles(folder)) {
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/svc_live_[0-9a-f]{8}\./);
    }
  });
});

it('has exactly one line for each on the page of the examples', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/examples.md'), 'utf8');
  const listed = [...page.matchAll(/^\| \[`([\w/-]+)`\]\(\.\.\/\.\.\/examples\/([\w/-]+)\)/gm)];
  expect(listed.map(([, name]) => name).sort()).toEqual([...repositories].sort());
  for (const [, name, target] of listed) expect(target).toBe(name);
});

it('describes its content in the README of the fleet', () => {
  const folder = join(EXAMPLES, 'fleet');
  const tree = /```text\n(.*?)```/s.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1] ?? '';
  const told = [...tree.matchAll(/^( *)(\S+)/gm)].map(([, indent, path = '']) =>
    indent === '' ? path : `manifests/${path}`,
  );
  for (const path of told) expect(existsSync(join(folder, path)), path).toBe(true);
  const covers = (path: string, file: string) =>
    path === file || (path.endsWith('/') && path !== 'manifests/' && file.startsWith(path));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  for (const file of files)
    expect(
      told.some((path) => covers(path, file)),
      file,
    ).toBe(true);
});
