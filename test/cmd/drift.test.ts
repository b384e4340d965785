import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { runnerCommands } from '../render/formats/runner.ts';
import { gitlabProblem, sarifProblem } from '../render/formats/validators.ts';
import { testRepository } from '../support/repository.ts';
import { projectFiles, type Ran, type RunningSandbox, startSandbox, tradeform } from './run.ts';

const PATIENCE = 120_000;
const repository = testRepository();
let sandbox: RunningSandbox;
let hash: string;

function run(...args: readonly string[]): Promise<Ran> {
  return tradeform(args, {
    cwd: repository.path,
    env: { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token },
  });
}

/** The service has the first of two commits. */
beforeAll(async () => {
  sandbox = await startSandbox();
  for (const [name, text] of Object.entries(projectFiles())) repository.write(name, text);
  hash = repository.commit();
  expect(await run('apply', '--auto-approve', '--first-apply', '-q')).toMatchObject({ code: 0 });
  expect(await run('drift')).toMatchObject({ code: 0, stderr: '' });
  repository.write('manifests/alpha.yaml', projectFiles({ buy: '0.75' })['manifests/alpha.yaml'] ?? '');
  repository.commit();
}, PATIENCE);

const validate = (() => {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  return ajv.compile(JSON.parse(readFileSync('schemas/drift.schema.json', 'utf8')) as object);
})();

describe('tradeform drift', () => {
  it('says in every format what is pending, and ends with 2', { timeout: PATIENCE }, async () => {
    const short = hash.slice(0, 7);
    const text = await run('drift');
    expect(text).toMatchObject({ code: 2, stderr: '' });
    expect(text.stdout).toContain('Drift: 1 pending.');
    expect(text.stdout.replace(/\s+/g, ' ')).toContain(`It is as applied from commit ${short} of `);
    expect(text.stdout).toContain('amount 0.5 → 0.75 SOL ×1.5\n');
    const details = await run('drift', '-v');
    expect(details.stdout).toMatch(/~ config\.buy_amount: 0\.5 → 0\.75 +manifests\/alpha\.yaml:\d+/);
    const report = join(repository.path, 'drift.md');
    const json = await run('drift', '-o', 'json', '--report', 'markdown=drift.md');
    expect(json).toMatchObject({ code: 2, stderr: '' });
    const document = JSON.parse(json.stdout) as { readonly items: unknown };
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(document.items).toMatchObject([{ class: 'pending', address: 'sniper/alpha', commit: { hash } }]);
    expect(readFileSync(report, 'utf8')).toMatch(
      /^<!-- tradeform:drift project=core environment=- digest=- -->\n/,
    );
    const sarif = await run('drift', '-o', 'sarif');
    expect([sarif.code, sarifProblem(JSON.parse(sarif.stdout))]).toEqual([2, '']);
    expect(sarif.stdout).toContain('drift/pending');
    const gitlab = await run('drift', '-o', 'gitlab');
    expect([gitlab.code, gitlabProblem(JSON.parse(gitlab.stdout))]).toEqual([2, '']);
    const github = await run('drift', '-o', 'github');
    expect(github.code).toBe(2);
    expect(runnerCommands(github.stdout)).toMatchObject([
      { command: 'error', properties: { file: 'manifests/alpha.yaml', title: 'drift/pending sniper/alpha' } },
    ]);
  });

  it('takes its options', { timeout: PATIENCE }, async () => {
    expect(await run('drift', '--ignore', 'pending')).toMatchObject({ code: 0 });
    for (const wrong of [
      ['--ignore', 'all'],
      ['--target', 'x/y'],
    ]) {
      const { code, stdout } = await run('drift', '-o', 'json', ...wrong);
      expect([code, (JSON.parse(stdout) as { command: string }).command]).toEqual([3, 'drift']);
    }
    expect((await run('drift', '--help')).stdout).toContain("$ tradeform drift --target 'sniper/*'");
  });
});
