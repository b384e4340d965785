import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { PUSH } from '../ci/workflow-event.ts';
import { type Served, serve, tradeform } from '../examples/program.ts';
import { PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import { temporaryFolder } from '../support/cleanup.ts';

/** A runner executes what looks like its commands. What a command writes as data has to stay the same value for the next reader. */

const NOTE = '##[error]small ::error::x';
let folder: string;
let service: Served;

beforeEach(async () => {
  folder = temporaryFolder('runner');
  service = await serve(folder);
  writeFileSync(join(folder, 'tradeform.yaml'), `${PROJECT}spec: { manifests: [dawn.yaml] }\n`);
  const manifest = sniper({ name: 'dawn', wallet: WALLETS[0] }).replace(
    'spec:\n',
    `spec:\n  remark: "${NOTE}"\n`,
  );
  writeFileSync(join(folder, 'dawn.yaml'), manifest);
  const applied = await tradeform(['apply', '--auto-approve', '--first-apply'], folder, service.env);
  expect(applied.code, applied.stderr).toBe(0);
});

test('export leaves a note that looks like a command as the value that it is, and writes no command', async () => {
  const { code, stdout } = await tradeform(['export'], folder, { ...service.env, ...PUSH });
  expect(code).toBe(0);
  const notes = parseAllDocuments(stdout).map((document) => document.toJS()?.spec?.remark);
  expect(notes).toContain(NOTE);
  expect(stdout).not.toContain('##[');
});

test('a saved plan has the note as it is', async () => {
  writeFileSync(
    join(folder, 'dawn.yaml'),
    readFileSync(join(folder, 'dawn.yaml'), 'utf8').replace('small', 'large'),
  );
  const env = { ...service.env, ...PUSH };
  expect((await tradeform(['plan', '--out', 'saved.json'], folder, env)).code).toBe(0);
  const saved = readFileSync(join(folder, 'saved.json'), 'utf8');
  expect(JSON.stringify(JSON.parse(saved).operations)).toContain(NOTE.replace('small', 'large'));
});
