import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Io } from '../../src/core/command/io.ts';
import { CommandFailure } from '../../src/core/diagnostics/diagnostic.ts';
import { runApply } from '../../src/core/features/apply.ts';
import { Masking } from '../../src/core/render/masking/masking.ts';
import { OUTLETS } from '../../src/kit/outlets.ts';
import { tradeform } from '../cmd/run.ts';
import { FULL } from '../support/sample.ts';
import { json, killLeftovers, run, start } from './program.ts';
import { ACCOUNT, problemsOf, referenceRepository } from './reference.ts';
import { type Service, startService } from './service.ts';

const repository = referenceRepository();
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => killLeftovers());

function here() {
  return { cwd: repository.path, env: service.env };
}

describe('a stdout that nobody reads any more', () => {
  it.each([
    ['at once', 0],
    ['in the middle of the requests', 12],
  ])('does not stop an apply: closed %s', async (_when, at) => {
    service.reset(ACCOUNT);
    const { child, ended } = start(['apply', '--auto-approve'], here());
    service.hooks = { before: (index) => void (index === at && child.stdout?.destroy()) };
    const { code, stderr } = await ended;
    expect({ code, trace: /\n\s+at /.test(stderr) }).toEqual({ code: 0, trace: false });
    expect(problemsOf(service.sandbox)).toEqual([]);
  });

  it.each(FULL ? ['text', 'json', 'markdown'] : ['json'])('ends a plan quietly, as %s', async (format) => {
    service.reset(ACCOUNT);
    const { child, ended } = start(['plan', '-o', format, '--quiet'], here());
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('the same for stderr', async () => {
    service.reset(ACCOUNT);
    const { child, ended } = start(['apply', '--auto-approve', '-o', 'json'], here());
    child.stderr?.destroy();
    const all = await ended;
    expect(all.code).toBe(0);
    expect(json(all)).toMatchObject({ outcome: 'done' });
  });
});

/** Runs below a limit of the shell, as on a disk with no more room. */
function below(limit: string, args: readonly string[]) {
  const words = [process.execPath, inject('tradeform'), ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('sh', ['-c', `${limit}; exec ${words}`], {
    cwd: repository.path,
    env: { PATH: process.env.PATH ?? '', ...service.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += String(text);
  });
  child.stderr.on('data', (text) => {
    stderr += String(text);
  });
  return new Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>(
    (resolve) => child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
}

describe('a plan that cannot be saved', () => {
  const args = ['plan', '--out', 'saved/plan.json', '-o', 'json', '--quiet'];
  const folder = join(repository.path, 'saved');

  it.skipIf(process.platform === 'win32')('for want of room leaves what was there before', async () => {
    service.reset(ACCOUNT);
    mkdirSync(folder, { recursive: true });
    expect((await tradeform(args, here())).code).toBe(0);
    const before = readFileSync(join(folder, 'plan.json'), 'utf8');
    expect(before.length).toBeGreaterThan(8 * 1024);
    // 512 bytes each: much less than the plan.
    const ended = await below('ulimit -f 8', args);
    expect(ended.signal, 'the system ended it').toBeNull();
    expect(ended.code, ended.stderr).toBe(1);
    expect(`${ended.stdout}${ended.stderr}`).toContain('could not be saved');
    expect(readdirSync(folder), 'nothing is left behind').toEqual(['plan.json']);
    expect(readFileSync(join(folder, 'plan.json'), 'utf8')).toBe(before);
  });

  it.each([
    ['a folder that is not there', 'nowhere/plan.json'],
    ['a folder', 'manifests'],
    ['below a file', 'tradeform.yaml/plan.json'],
    ['a device', '/dev/full'],
  ])('to %s says so, exit 1', async (_what, out) => {
    service.reset(ACCOUNT);
    const ended = await tradeform(['plan', '--out', out, '--quiet'], here());
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`the plan could not be saved to ${out}`);
    expect(existsSync(join(repository.path, 'nowhere'))).toBe(false);
  });

  it('with -o json and a full stdout ends with 1', async () => {
    service.reset(ACCOUNT);
    expect(await below('exec 1>/dev/full', ['plan', '-o', 'json', '--quiet'])).toMatchObject({ code: 1 });
  });
});

describe('the question', () => {
  it('is not asked without a terminal, whatever is on stdin', async () => {
    service.reset(ACCOUNT);
    for (const stdin of ['open', 'closed'] as const) {
      const { child, ended } = start(['apply', '-o', 'json'], { ...here(), stdin });
      child.stdin?.end('yes\n');
      const all = await ended;
      expect(all.code).toBe(4);
      expect(json(all)).toMatchObject({ exit_code: 4, diagnostics: [{ code: 'not-approved' }] });
    }
    expect(service.writes).toBe(0);
  });

  /** A terminal in this process; `answer` is what the person types, the empty text where stdin is closed. */
  function terminal(answer: string): { io: Io; text: () => string } {
    const never = new AbortController().signal;
    let said = '';
    const say = (text: string) => {
      said += text;
    };
    const io: Io = {
      stdout: say,
      stderr: say,
      stderrIsTTY: true,
      stdinIsTTY: true,
      columns: 80,
      color: { stdout: false, stderr: false },
      env: service.env,
      cwd: repository.path,
      masking: new Masking(),
      outlets: OUTLETS,
      stop: { soft: never, hard: never },
      ask: () => Promise.resolve(answer),
    };
    return { io, text: () => said };
  }

  it.each(['', 'y', 'YES', 'yes please', 'no'])(
    'answered with "%s" changes nothing, exit 4',
    async (answer) => {
      service.reset(ACCOUNT);
      const { io } = terminal(answer);
      const failure = await runApply(undefined, {}, io).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(CommandFailure);
      expect(failure).toMatchObject({ exitCode: 4, diagnostics: [{ code: 'not-approved' }] });
      expect(service.writes).toBe(0);
    },
  );

  it('the answer "yes" carries the plan out', async () => {
    service.reset(ACCOUNT);
    const { io, text } = terminal('yes');
    expect(await runApply(undefined, {}, io), text()).toBe(0);
    expect(problemsOf(service.sandbox)).toEqual([]);
  });
});

it('a token file that changes during a run is read once', async () => {
  service.reset(ACCOUNT);
  const file = join(repository.path, 'token');
  writeFileSync(file, `${service.env.TRADEFORM_TOKEN}\n`, { mode: 0o600 });
  service.hooks = { before: (index) => void (index === 3 && writeFileSync(file, 'nothing\n')) };
  const env = { TRADEFORM_BASE_URL: service.baseUrl, TRADEFORM_TOKEN_FILE: file };
  const { code } = await run(['apply', '--auto-approve', '--quiet'], { cwd: repository.path, env });
  expect(code).toBe(0);
});
