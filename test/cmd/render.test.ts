import { beforeAll, describe, expect, it } from 'vitest';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { CANARY, folder, projectFiles, tradeform } from './run.ts';

let repository: TestRepository;

beforeAll(() => {
  repository = testRepository();
  for (const [name, text] of Object.entries(projectFiles())) repository.write(`desk/${name}`, text);
  repository.commit();
  repository.write('desk/manifests/alpha.yaml', projectFiles({ buy: '0.75' })['manifests/alpha.yaml'] ?? '');
});

const render = (...args: readonly string[]) =>
  tradeform(['render', '-C', `${repository.path}/desk`, ...args], { env: { TRADEFORM_TOKEN: CANARY } });

describe('tradeform render', () => {
  it('prints manifests that tradeform accepts, and nothing on stderr', async () => {
    const { code, stdout, stderr } = await render();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^apiVersion: tradeform\/v1\nkind: Label\n/);
    expect(stdout.endsWith('\n')).toBe(true);
    const copy = folder({
      'tradeform.yaml': projectFiles()['tradeform.yaml'] ?? '',
      'manifests/all.yaml': stdout,
    });
    expect(await tradeform(['render'], { cwd: copy.path })).toEqual({ code: 0, stdout, stderr: '' });
    expect(await render('-o', 'yaml', '-q', '--no-color')).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('compares with a revision from a folder of the repository, and exits with 2 under --detailed-exitcode', async () => {
    const { code, stdout, stderr } = await render('--diff', 'HEAD');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('~ config.buy_amount: 0.5 → 0.75');
    expect(stdout).toContain('manifests/alpha.yaml:11');
    expect(await render('--diff', 'HEAD', '--detailed-exitcode')).toMatchObject({ code: 2, stderr: '' });
    expect(await render('label/*', '--diff', 'HEAD', '--detailed-exitcode')).toMatchObject({ code: 0 });
  });

  it.each([
    [['--diff', 'HEAD', '-o', 'yaml'], 'invalid-option', 'does not print yaml'],
    [['--diff', '--origin'], 'invalid-option', '"--origin" is not a git revision'],
    [['--diff'], 'invalid-option', 'argument missing'],
    [['--diff', 'nope'], 'revision-unknown', 'no commit nope in this repository'],
    [['sniper/alpah'], 'target-unknown', 'did you mean sniper/alpha?'],
  ])('%j ends with 3, says why on stderr and prints nothing', async (args, code, text) => {
    const ran = await render(...args);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain(`error[${code}]`);
    expect(ran.stderr).toContain(text);
  });

  it('-o json is one document, also for a failure', async () => {
    expect(JSON.parse((await render('-o', 'json', '--origin')).stdout)).toMatchObject({
      command: 'render',
      ok: true,
    });
    for (const args of [['--diff', 'nope'], ['sniper/none']]) {
      const { code, stdout, stderr } = await render('-o', 'json', ...args);
      expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ command: 'render', ok: false, exit_code: 3 });
    }
  });

  it('needs a repository only for --diff', async () => {
    const plain = folder(projectFiles());
    expect(await tradeform(['render'], { cwd: plain.path })).toMatchObject({ code: 0, stderr: '' });
    const { code, stderr } = await tradeform(['render', '--diff', 'main'], { cwd: plain.path });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('error[no-repository]') });
  });
});
