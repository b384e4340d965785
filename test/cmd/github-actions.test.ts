import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { PUSH } from '../ci/workflow-event.ts';
import { runnerCommands } from '../render/formats/runner.ts';
import { CANARY, folder, projectFiles, type RunningSandbox, startSandbox, tradeform } from './run.ts';

const NOTE = 'a ##[add-mask]b';
const alpha = (projectFiles()['manifests/alpha.yaml'] ?? '').replace('Early launches', JSON.stringify(NOTE));

let sandbox: RunningSandbox;
const repository = folder({ ...projectFiles(), 'manifests/alpha.yaml': alpha });
const summary = join(repository.path, 'summary.md');
let desk = '';

beforeAll(async () => {
  sandbox = await startSandbox();
  // The project lies in a folder of its repository, as GitHub sees it from the root.
  desk = join(repository.path, 'desks/one');
  mkdirSync(desk, { recursive: true });
  for (const name of ['tradeform.yaml', 'manifests'])
    renameSync(join(repository.path, name), join(desk, name));
  execFileSync('git', ['init', '-q', repository.path]);
});

function run(...args: readonly string[]) {
  const env = {
    TRADEFORM_BASE_URL: sandbox.baseUrl,
    TRADEFORM_TOKEN: sandbox.token,
    ...PUSH,
    GITHUB_STEP_SUMMARY: summary,
  };
  return tradeform([...args, '-C', 'desks/one'], { cwd: repository.path, env });
}

// One story: each test begins where the one before ended.
describe('in GitHub Actions', () => {
  it('no text of a manifest or of the service is a workflow command, in any format', async () => {
    for (const args of [
      ['plan'],
      ['plan', '-o', 'json'],
      ['plan', '-o', 'markdown'],
      ['plan', '-o', 'html'],
      ['render'],
      ['apply', '--auto-approve', '--first-apply', '-o', 'json'],
      ['plan', '-o', 'sarif'],
    ]) {
      const { code, stdout, stderr } = await run(...args);
      expect(code, args.join(' ')).toBe(0);
      expect(runnerCommands(stdout), args.join(' ')).toEqual([]);
      const said = runnerCommands(stderr).map(({ command }) => command);
      expect(said.filter((name) => !['error', 'warning', 'notice'].includes(name))).toEqual([]);
    }
    const { stdout } = await run('plan', '-o', 'json', '--detailed-exitcode');
    expect(JSON.parse(stdout)).toMatchObject({ format: 'tradeform.plan/1' });
  });

  it('annotates on stderr from the root of the repository, and writes the step summary', async () => {
    const { code, stdout, stderr } = await run('plan', '--target', 'sniper/none');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(runnerCommands(stderr)).toMatchObject([
      { command: 'error', properties: { title: 'target-unknown' } },
    ]);
    const wrong = await run('validate', '-e', 'nowhere');
    expect(wrong.code).toBe(3);
    const places = runnerCommands(wrong.stderr).map(({ properties }) => properties.file);
    expect(places.filter((file) => file !== undefined && !file.startsWith('desks/one/'))).toEqual([]);
    const told = readFileSync(summary, 'utf8');
    expect(told).toContain('<!-- tradeform:plan project=core ');
    expect(told).toContain('target-unknown');
    expect(told).not.toContain(CANARY.slice(18));
  });
});
