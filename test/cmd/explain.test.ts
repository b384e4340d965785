import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folder, projectFiles, type RunningSandbox, startSandbox, tradeform } from './run.ts';

describe('explain', () => {
  it.each([
    [['SniperTask.spec.config.buy_amount'], 'SniperTask.spec.config.buy_amount\n'],
    [['--code', 'slippage-inert'], 'slippage-inert\n'],
    [['--codes'], 'file-unreadable '],
    [['held'], 'held\n  A task'],
  ])('%j is answered anywhere, without a project or a token', async (args, start) => {
    const { code, stdout, stderr } = await tradeform(['explain', ...args], { cwd: '/' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.startsWith(start)).toBe(true);
    if (args[0]?.includes('.')) return;
    const json = await tradeform(['explain', ...args, '-o', 'json'], { cwd: '/' });
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ command: 'explain', ok: true });
  });

  it.each([
    [[], 'name something to explain'],
    [['--code'], "option '--code <code>' argument missing"],
    [['--code', 'unkown-label'], 'Did you mean unknown-label?'],
    [['sniper.spec.confg'], 'Did you mean config?'],
    [['sniper', '--codes'], 'explain takes one name at a time'],
    [['sniper', '-o', 'yaml'], 'does not print yaml'],
  ])('%j ends with 3 and says why', async (args, text) => {
    const { code, stdout, stderr } = await tradeform(['explain', ...args]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr.replace(/\s+/g, ' ')).toContain(text);
    if (args.includes('--code') || args.includes('-o')) return;
    const json = await tradeform(['explain', ...args, '-o', 'json']);
    expect(json).toMatchObject({ code: 3, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ command: 'explain', ok: false, exit_code: 3 });
  });
});

describe('a lint fails nothing', () => {
  const files = projectFiles();
  const alpha = files['manifests/alpha.yaml']?.replace('dex_source: config', 'dex_source: global') ?? '';
  const project = folder({ ...files, 'manifests/alpha.yaml': alpha });
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox?.stop());

  it('validate shows it and ends with 0', async () => {
    const { code, stdout, stderr } = await tradeform(['validate'], { cwd: project.path });
    expect(code).toBe(0);
    expect(stdout).toContain('OK  2 manifests');
    expect(stderr).toContain('warning[dex-source-global]');
    expect(stderr).toContain('--> manifests/alpha.yaml:15:17  sniper/alpha');
    expect(stderr.trimEnd().endsWith('\n1 warning')).toBe(true);
  });

  it('plan shows it and ends with 0, and so does apply', async () => {
    const options = {
      cwd: project.path,
      env: { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token },
    };
    const { code, stdout } = await tradeform(['plan', '-o', 'json'], options);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).diagnostics).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        code: 'dex-source-global',
        address: 'sniper/alpha',
        location: { file: 'manifests/alpha.yaml', line: 15, column: 17 },
      }),
    );
    const applied = await tradeform(['apply', '--auto-approve', '--first-apply'], options);
    expect(applied.code, applied.stderr).toBe(0);
    const again = await tradeform(['plan', '--detailed-exitcode'], options);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('warning[dex-source-global]');
  });
});
