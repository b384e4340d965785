import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ROOT, tradeform } from './program.ts';

const EXAMPLES = join(ROOT, 'examples');
const SCHEMAS = join(ROOT, 'schemas', 'manifest');

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort();
}

const repositories = yamlFiles(EXAMPLES)
  .filter((file) => basename(file) === 'tradeform.yaml')
  .map(dirname);

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
  expect(repositories).toContain('quickstart');
});

describe.each(repositories)('%s', (repository) => {
  const folder = join(EXAMPLES, repository);

  it('validates without a word on stderr', async () => {
    const { code, stdout, stderr } = await tradeform(['validate'], folder);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^OK {2}\d+ manifests/m);
    expect(code).toBe(0);
  });

  it.each(yamlFiles(folder))('%s names a schema that accepts it', (file) => {
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

  it('holds no token', () => {
    for (const file of yamlFiles(folder)) {
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/svc_live_[0-9a-f]{8}\./);
    }
  });
});
