import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as validators from '../../src/core/model/generated/validators.js';
import {
  executable,
  folder,
  projectFiles,
  type Ran,
  type RunningSandbox,
  readText,
  startSandbox,
  tradeform,
} from './run.ts';

let sandbox: RunningSandbox;
const project = folder(projectFiles());

const here = () => ({
  cwd: project.path,
  env: { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token },
});

function online(args: readonly string[]): Promise<Ran> {
  return tradeform(args, here());
}

function writeBuyAmount(buy: string): void {
  writeFileSync(
    join(project.path, 'manifests/alpha.yaml'),
    projectFiles({ buy })['manifests/alpha.yaml'] ?? '',
  );
}

beforeAll(async () => {
  sandbox = await startSandbox();
});

// One story: each test begins where the one before ended.
describe('the first apply', () => {
  it('plans: only text on stdout, nothing on stderr', async () => {
    const { code, stdout, stderr } = await executable(['plan'], here());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^core · whales on 127\.0\.0\.1:\d+ .*SOL at stake\n {2}1 to change \(new\) · 1 to start \(new\) · 0 to stop · 0 to delete · 0 blocked\n/,
    );
    expect(stdout.indexOf('► sniper/alpha')).toBeLessThan(stdout.indexOf('+ label/high-risk'));
    expect(stdout).not.toContain('\x1b');
  });

  it('plans: JSON on stdout is the plan document', async () => {
    const { code, stdout, stderr } = await tradeform(['plan', '-o', 'json', '--detailed-exitcode'], here());
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    const plan = JSON.parse(stdout);
    expect(validators.planSchema(plan), JSON.stringify(validators.planSchema.errors)).toBe(true);
    expect(plan.source.manifests_digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('plans: Markdown', async () => {
    const { code, stdout } = await online(['plan', '-o', 'markdown']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^<!-- tradeform:plan project=core environment=- digest=[0-9a-f]{64} -->\n<!-- tradeform:changes label\/\S+ sniper\/alpha:create\+start:\S+ order:[0-9a-f]{32} -->\n## \+\S+ SOL at stake: 1 change, 1 start — `core`\n/,
    );
  });

  it('needs --first-apply without a pin, even with --auto-approve', async () => {
    const text = await online(['apply', '--auto-approve']);
    expect(text.code).toBe(4);
    expect(text.stderr).toContain('error[first-apply]');
    const json = await online(['apply', '--auto-approve', '-o', 'json']);
    expect(json.code).toBe(4);
    expect(JSON.parse(json.stdout)).toMatchObject({
      format: 'tradeform.result/1',
      command: 'apply',
      exit_code: 4,
      diagnostics: [{ code: 'first-apply' }],
    });
  });

  it('applies with --first-apply; JSON is only the report, the plan goes to stderr', async () => {
    const { code, stdout, stderr } = await tradeform(
      ['apply', '--auto-approve', '--first-apply', '-o', 'json'],
      here(),
    );
    expect(code, stderr).toBe(0);
    const report: unknown = JSON.parse(stdout);
    expect(validators.reportSchema(report), JSON.stringify(validators.reportSchema.errors)).toBe(true);
    expect(report).toMatchObject({ outcome: 'done', summary: { done: 2 } });
    expect(stderr).toContain('1 to change (new) · 1 to start (new) ·');
    expect(stderr).toContain('sniper/alpha done');
    expect(stderr).not.toContain('\x1b');
  });

  it('has nothing left to do', async () => {
    const plan = await online(['plan', '--detailed-exitcode']);
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain('No changes.');
    const apply = await online(['apply']);
    expect(apply).toMatchObject({ code: 0, stderr: '' });
    expect(apply.stdout).toContain('No changes.');
  });
});

describe('saved plans', () => {
  const file = () => join(project.path, 'saved.json');

  it('are written completely, and print nothing with -q', async () => {
    writeBuyAmount('0.75');
    const { code, stdout, stderr } = await online(['plan', '--out', 'saved.json', '-q', '-o', 'json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { created_at: _a, ...saved } = JSON.parse(readText(file())) as Record<string, unknown>;
    const { created_at: _c, ...shown } = JSON.parse(stdout) as Record<string, unknown>;
    expect(saved).toEqual(shown);
    expect(readdirSync(project.path).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  it('are applied without a question, and do nothing a second time', async () => {
    const { code, stdout, stderr } = await online(['apply', 'saved.json', '--report', 'html=applied.html']);
    expect(code, stderr).toBe(0);
    // Who approved the plan has seen it.
    expect(stdout).toContain('SOL at stake');
    expect(stdout).not.toContain('amount 0.5');
    // The bundler has left this out, where it took the plan of a report for undefined.
    expect(readText(join(project.path, 'applied.html'))).toContain('<p>Planned: ');
    expect(await online(['apply', 'saved.json'])).toMatchObject({ code: 0 });
    expect((await online(['plan', '--detailed-exitcode'])).code).toBe(0);
  });

  it('that cannot be written are an error, and leave no file', async () => {
    const missing = await online(['plan', '--out', 'no/such/folder/plan.json']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('error[file-unwritable]');
    const json = await online(['plan', '--out', 'no/such/folder/plan.json', '-o', 'json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ format: 'tradeform.plan/1' });
    // A FIFO stands for /dev/stdout and the like, which a rename would put a file in the place of.
    execFileSync('mkfifo', [join(project.path, 'pipe')]);
    expect((await online(['plan', '--out', 'pipe'])).code).toBe(1);
    expect(statSync(join(project.path, 'pipe')).isFIFO()).toBe(true);
    mkdirSync(join(project.path, 'a-folder'), { recursive: true });
    expect((await online(['plan', '--out', 'a-folder'])).code).toBe(1);
  });
});
