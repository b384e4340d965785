import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folder, projectFiles, type RunningSandbox, startSandbox, tradeform } from './run.ts';

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
    expect(again.stdout).toContain('1 warning about what does not change: `tradeform validate`');
  });
});
