import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { KIND_NAMES } from '../../src/core/manifest/schema.ts';
import { SCHEMA_NAMES } from '../../src/kit/schema.ts';
import { folder, projectFiles, tradeform } from './run.ts';

const SCHEMAS = join(import.meta.dirname, '../../schemas');

function file(name: string): unknown {
  return JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8'));
}

describe('schema', () => {
  it('has one for every kind of manifest, and prints each schema of the folder', async () => {
    expect(SCHEMA_NAMES).toEqual(expect.arrayContaining([...KIND_NAMES]));
    const files = readdirSync(join(SCHEMAS, 'manifest')).map((name) => `manifest/${name}`);
    const own = readdirSync(SCHEMAS).filter(
      (name) => name.endsWith('.schema.json') && name !== 'service.schema.json',
    );
    const printed = await Promise.all(SCHEMA_NAMES.map((name) => tradeform(['schema', name])));
    expect(printed.map(({ code, stderr }) => [code, stderr])).toEqual(printed.map(() => [0, '']));
    const ids = printed.map(({ stdout }) => JSON.parse(stdout));
    for (const name of [...files, ...own]) expect(ids).toContainEqual(file(name));
    expect(ids).toHaveLength(files.length + own.length);
  });

  it.each([
    ['any manifest', [], 'manifest/manifest.schema.json'],
    ['a kind by its collection', ['copy-trade'], 'manifest/copy-trade-task.schema.json'],
    ['a kind in other letters', ['wallet-book'], 'manifest/wallet-book.schema.json'],
  ])('prints %s', async (_case, args, name) => {
    const { code, stdout } = await tradeform(['schema', ...args], { cwd: '/' });
    expect([code, JSON.parse(stdout)]).toEqual([0, file(name)]);
  });

  it.each([
    ['what is right', ['validate']],
    ['what is wrong, with its place', ['validate', '-C', 'wrong']],
    ['a command line that does not parse', ['plan', '--frobnicate']],
    ['a failure without a place', ['doctor', '-C', 'wrong']],
    ['a list of files', ['fmt', '--check']],
  ])('describes the result document: %s', async (_case, args) => {
    const { path } = folder({ ...projectFiles(), 'wrong/tradeform.yaml': 'kind: Projct' });
    const { stdout } = await tradeform([...args, '-o', 'json'], { cwd: path });
    const validate = new Ajv({ strict: false, allErrors: true }).compile(
      file('result.schema.json') as object,
    );
    expect([validate(JSON.parse(stdout)), validate.errors]).toEqual([true, null]);
  });

  it('lists the names if nothing matches', async () => {
    const { code, stdout, stderr } = await tradeform(['schema', 'SnipperTask']);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('Did you mean SniperTask?');
  });
});
