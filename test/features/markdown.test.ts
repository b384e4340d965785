import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { strangers } from '../render/markdown/reading.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject();
});

describe('plan -o markdown', () => {
  it('is a comment that can be found again, with nothing strange in it', async () => {
    const { code, stdout } = await project.plan({ output: 'markdown' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<!-- tradeform:plan project=core environment=- digest=[0-9a-f]{64} -->\n/);
    expect(stdout).toContain('| ► create, start | `sniper/alpha`');
    expect(strangers(stdout)).toEqual([]);
  });

  it('is shortened to --max-bytes, stdout and file alike', async () => {
    const whole = await project.plan({ output: 'markdown' });
    const maxBytes = Buffer.byteLength(whole.stdout) - 200;
    const report = ['markdown=plan.md'];
    const { code, stdout } = await project.plan({ output: 'markdown', maxBytes, report });
    expect(code).toBe(0);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(maxBytes);
    expect(stdout).toContain(`**Shortened to ${maxBytes} bytes**`);
    expect(project.read('plan.md')).toBe(stdout);
  });

  it('that has no room for its starts says how much it needs, and saves nothing', async () => {
    const { code, stdout, diagnostics } = await project.plan({
      output: 'markdown',
      maxBytes: 100,
      out: 'saved.json',
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(diagnostics).toMatchObject([{ code: 'max-bytes-too-small' }]);
    expect(() => readFileSync(join(project.path, 'saved.json'))).toThrow(/ENOENT/);
    const needs = Number(/take (\d+)$/.exec(diagnostics[0]?.message ?? '')?.[1]);
    expect(await project.plan({ output: 'markdown', maxBytes: needs })).toMatchObject({ code: 0 });
    expect(await project.plan({ maxBytes: 100 }), 'text has no limit').toMatchObject({ code: 0 });
  });
});

describe('apply -o markdown', () => {
  it('prints one document, the report, and the plan to stderr', async () => {
    const options = { autoApprove: true, firstApply: true, output: 'markdown' };
    const { code, stdout, stderr } = await project.apply(undefined, options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<!-- tradeform:apply project=core environment=- digest=[0-9a-f]{64} -->\n/);
    expect(stdout).toContain('## Applied: 2 done');
    expect(stdout).toMatch(/^- `sniper\/alpha` \(create, start\)$/m);
    expect(strangers(stdout)).toEqual([]);
    expect(stderr).toContain('1 to start (new)');
    const tight = await project.apply(undefined, { ...options, maxBytes: 120 });
    expect(tight).toMatchObject({ code: 0 });
    expect(Buffer.byteLength(tight.stdout)).toBeLessThanOrEqual(120);
  });
});
