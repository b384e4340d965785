import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { tradeform } from '../cmd/run.ts';
import { ACCOUNT, MANIFESTS } from './reference.ts';
import { makeRepository } from './repository.ts';
import { type Service, startService } from './service.ts';

type Library = typeof import('../../src/index.ts');

const PACKAGE = join(dirname(inject('tradeform')), '..');
const EXAMPLE = join(import.meta.dirname, '../../examples/library/apply.mjs');
const PAGE = join(import.meta.dirname, '../../docs/how-to/library.md');
const repository = makeRepository(MANIFESTS);
let library: Library;
let service: Service;

beforeAll(async () => {
  library = (await import(pathToFileURL(join(PACKAGE, 'dist/index.js')).href)) as Library;
  service = await startService();
});
beforeEach(() => {
  service.reset(ACCOUNT);
  service.hooks = {};
});

const where = () => ({ folder: repository.path, env: { ...service.env, PATH: process.env.PATH } });

it('has a dozen functions and their error class', () => {
  expect(Object.keys(library).sort()).toEqual(
    [
      'CommandFailure',
      ...['apply', 'drift', 'pause', 'plan', 'resume', 'status', 'validate'],
      ...['driftText', 'planMarkdown', 'planText', 'reportText'],
    ].sort(),
  );
});

it('plans what the command plans, and applies the plan of a digest', async () => {
  const { stdout } = await tradeform(['plan', '-o', 'json'], { cwd: repository.path, env: service.env });
  const { digest, changes, operations } = JSON.parse(stdout);
  const { document: plan } = await library.plan(where());
  expect(plan).toMatchObject({ digest, changes, operations });
  expect(service.writes).toBe(0);
  const { document: report, exitCode } = await library.apply({ ...where(), expect: [plan.digest] });
  expect({ outcome: report.outcome, exitCode }).toEqual({ outcome: 'done', exitCode: 0 });
  expect((await library.plan(where())).document.changes).toEqual([]);
});

it('changes nothing that was not approved', async () => {
  await expect(library.apply(where())).rejects.toMatchObject({ exitCode: 4 });
  await expect(library.apply({ ...where(), expect: ['0'.repeat(64)] })).rejects.toMatchObject({
    exitCode: 4,
    diagnostics: [expect.objectContaining({ code: 'digest-differs' })],
  });
  expect(service.writes).toBe(0);
});

it('shows no token, neither in messages nor in errors', async () => {
  const secret = 'canary-secret-4f8b1d';
  service.hooks = { before: () => ({ status: 401, headers: {}, body: JSON.stringify({ error: secret }) }) };
  const messages: string[] = [];
  const error = await library.plan({ ...where(), onMessage: (text) => void messages.push(text) }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ exitCode: 1 });
  expect(JSON.stringify([error, (error as Error).message, (error as Error).stack, messages])).not.toContain(
    secret,
  );
});

it('pauses and resumes, and reports the status', async () => {
  const off = await library.pause(['sniper/config'], where());
  expect(off).toMatchObject({ exitCode: 0, document: { changes: [{ address: 'sniper/config' }] } });
  const { document } = await library.status(where());
  expect(document.tasks.find(({ address }) => address === 'sniper/config')).toMatchObject({ live: 'paused' });
});

it('plans and applies with the example of ten lines', async () => {
  const text = readFileSync(EXAMPLE, 'utf8');
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(10);
  expect(readFileSync(PAGE, 'utf8')).toContain(`\`\`\`js\n${text}\`\`\``);
  // A module finds the package above its own folder.
  const script = join(PACKAGE, '../../apply.mjs');
  copyFileSync(EXAMPLE, script);
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    cwd: repository.path,
    env: { PATH: process.env.PATH, ...service.env },
  });
  expect(stdout).toContain('sniper/config');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('apply: done');
  expect((await library.plan(where())).document.changes).toEqual([]);
});
