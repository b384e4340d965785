import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMATS, type Format } from '../../src/core/render/format.ts';
import { runnerCommands } from '../render/formats/runner.ts';
import { gitlabProblem, sarifProblem } from '../render/formats/validators.ts';
import { FULL } from '../support/sample.ts';
import { folder, projectFiles, type Ran, type RunningSandbox, startSandbox, tradeform } from './run.ts';

/** Each run is a process: a few at a time, however many there are. */
const AT_ONCE = 4;
const PATIENCE = 180_000;
const REPORTING = ['validate', 'plan', 'apply', 'drift'];
/** Enough where a command has no document of its own: the failure of each is laid out in one place. */
const SOME: readonly Format[] = ['json', 'sarif'];
const MACHINE = FORMATS.filter((format) => format !== 'text');

let sandbox: RunningSandbox;
let unreachable: Record<string, string>;
let reachable: Record<string, string>;
const fresh = folder(projectFiles());
const settled = folder({
  ...projectFiles(),
  'tradeform.yaml': 'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: settled\n',
});
const wrong = folder({ ...projectFiles(), 'manifests/wrong.yaml': 'kind: SniperTask\nspec: [' });
// The project of `settled` once more, with a change that a guardrail refuses.
const refused = folder({
  ...projectFiles({ buy: '0.6' }),
  'manifests/label.yaml': (projectFiles()['manifests/label.yaml'] ?? '').replace('High risk', 'Settled'),
  'tradeform.yaml':
    'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: settled\nspec:\n  guardrails: { max_buy_amount: "0.1" }\n',
});

beforeAll(async () => {
  sandbox = await startSandbox();
  reachable = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token };
  // Nothing listens on the port of this one any more.
  const gone = await startSandbox();
  await gone.stop();
  unreachable = { TRADEFORM_BASE_URL: gone.baseUrl, TRADEFORM_TOKEN: gone.token };
  writeFileSync(
    join(settled.path, 'manifests/label.yaml'),
    (projectFiles()['manifests/label.yaml'] ?? '').replace('High risk', 'Settled'),
  );
  const applied = await tradeform(['apply', '--auto-approve', '--first-apply'], {
    cwd: settled.path,
    env: reachable,
  });
  expect(applied).toMatchObject({ code: 0 });
}, PATIENCE);

/** Each job in order, a few side by side. */
async function each<Job, Result>(
  jobs: readonly Job[],
  run: (job: Job) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < jobs.length; index = next++) {
      const job = jobs[index];
      if (job !== undefined) results[index] = await run(job);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** What is wrong with stdout as one document of the format. */
function problemOf(format: Format, command: string, { stdout }: Ran): string {
  if (format === 'text') return '';
  if (format === 'markdown') {
    const first = stdout.split('\n')[0] ?? '';
    return new RegExp(`^<!-- tradeform:${command} [^<>]* -->$`).test(first) ? '' : `begins with ${first}`;
  }
  if (format === 'html') return stdout.startsWith('<!doctype html>\n') ? '' : 'no page';
  if (format === 'github') {
    const lines = stdout.split('\n').slice(0, -1);
    return runnerCommands(stdout).length === lines.length ? '' : 'a line that is no command';
  }
  try {
    const document: unknown = JSON.parse(stdout);
    if (format === 'sarif') return sarifProblem(document);
    if (format === 'gitlab') return gitlabProblem(document);
    return typeof document === 'object' && document !== null && 'format' in document ? '' : 'no format';
  } catch (error) {
    return String(error);
  }
}

async function check(
  formats: readonly Format[],
  args: readonly string[],
  expected: { readonly code: number; readonly cwd: string; readonly env?: Record<string, string> },
): Promise<readonly { readonly format: Format; readonly ran: Ran }[]> {
  const { code, cwd, env = {} } = expected;
  const [command = ''] = args;
  const runs = await each(formats, async (format) => ({
    format,
    ran: await tradeform([...args, '-o', format], { cwd, env }),
  }));
  const wrongOnes = runs.flatMap(({ format, ran }) => {
    const problem = problemOf(format, command, ran);
    return problem === '' && ran.code === code
      ? []
      : [`${command} -o ${format}: exit ${ran.code}, ${problem}\n${ran.stdout.slice(0, 400)}\n${ran.stderr}`];
  });
  expect(wrongOnes).toEqual([]);
  return runs;
}

describe('stdout is one document of the requested format', () => {
  it('exit 3, a command line that cannot be parsed: every command', {
    timeout: PATIENCE,
  }, async () => {
    const { stdout } = await tradeform(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+)\b.* {2}/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    expect(commands).toEqual(expect.arrayContaining(['validate', 'plan', 'apply', 'drift', 'doctor']));
    const jobs = commands.flatMap((command) =>
      (REPORTING.includes(command) ? MACHINE : SOME).map((format) => ({ command, format })),
    );
    const runs = await each(jobs, async ({ command, format }) => ({
      command,
      format,
      ran: await tradeform([command, '-o', format, '--frobnicate']),
    }));
    const wrongOnes = runs.flatMap(({ command, format, ran }) => {
      const problem = problemOf(format, command, ran);
      return problem === '' && ran.code === 3 && ran.stderr === ''
        ? []
        : [`${command} -o ${format}: exit ${ran.code}, ${problem} ${ran.stderr}`];
    });
    expect(wrongOnes).toEqual([]);
  });

  it.each([
    ['validate', []],
    ['plan', []],
    ['drift', []],
    ['apply', ['--auto-approve']],
  ])('exit 0: %s', { timeout: PATIENCE }, async (command, rest) => {
    await check(FORMATS, [command, ...rest], { code: 0, cwd: settled.path, env: reachable });
  });

  it.each([
    ['plan', []],
    ['drift', []],
    ['apply', ['--auto-approve', '--first-apply']],
    ['doctor', []],
  ])('exit 1, the service does not answer: %s', { timeout: PATIENCE }, async (command, rest) => {
    // A failure that no command lays out by itself: `npm test` looks at all formats of one.
    const others = FULL ? MACHINE : SOME;
    const formats: readonly Format[] =
      command === 'doctor' ? ['json'] : command === 'plan' ? MACHINE : others;
    await check(formats, [command, ...rest], { code: 1, cwd: settled.path, env: unreachable });
  });

  it.each([
    ['plan', ['--detailed-exitcode']],
    ['drift', []],
  ])('exit 2, differences: %s', { timeout: PATIENCE }, async (command, rest) => {
    await check(FORMATS, [command, ...rest], { code: 2, cwd: fresh.path, env: reachable });
  });

  it.each([['validate'], ['render'], ['plan'], ['drift'], ['apply']])(
    'exit 3, manifests that are wrong: %s',
    { timeout: PATIENCE },
    async (command) => {
      const runs = await check(MACHINE, [command], { code: 3, cwd: wrong.path, env: reachable });
      for (const { format, ran } of runs) {
        // `render` prints none of these: that is said in the format.
        const said = command === 'render' && format !== 'json' ? 'invalid-option' : 'yaml-syntax';
        expect(ran.stdout, format).toContain(said);
        expect(ran.stderr, format).toBe('');
      }
    },
  );

  it.each([
    ['plan', []],
    ['apply', ['--auto-approve', '--first-apply']],
  ])('exit 4, refused by a guardrail: %s', { timeout: PATIENCE }, async (command, rest) => {
    const runs = await check(FORMATS, [command, ...rest], { code: 4, cwd: refused.path, env: reachable });
    for (const { format, ran } of runs) {
      if (format !== 'text') expect(ran.stdout, format).toContain('guardrail-max-buy-amount');
    }
  });
});

describe('--report', () => {
  it('writes each of its files, on success and on failure', { timeout: PATIENCE }, async () => {
    const out = folder({});
    mkdirSync(join(out.path, 'reports'));
    const names = new Map(FORMATS.map((format) => [format, join(out.path, 'reports', `${format}.out`)]));
    const reports = [...names].flatMap(([format, file]) => ['--report', `${format}=${file}`]);
    const { readFileSync } = await import('node:fs');
    const read = async (command: string) => {
      for (const [format, file] of names) {
        const ran = { code: 0, stdout: readFileSync(file, 'utf8'), stderr: '' };
        expect(problemOf(format, command, ran), format).toBe('');
      }
    };
    for (const [args, cwd, env, code] of [
      [['plan'], fresh.path, reachable, 0],
      [['plan'], refused.path, reachable, 4],
      [['apply', '--auto-approve'], settled.path, reachable, 0],
      [['plan'], settled.path, unreachable, 1],
      [['validate'], wrong.path, {}, 3],
      [['plan', '--frobnicate'], fresh.path, reachable, 3],
    ] as const) {
      const ran = await tradeform([...args, ...reports], { cwd, env });
      expect(ran, ran.stderr).toMatchObject({ code });
      await read(args[0]);
      const whole = readFileSync(names.get('json') ?? '', 'utf8');
      if (code === 1) expect(whole).toContain('service-unreachable');
      if (args.length > 1 && code === 3) expect(whole).toContain("unknown option '--frobnicate'");
    }
    expect(readFileSync(names.get('text') ?? '', 'utf8')).toMatch(/^tradeform report, tradeform \d/);
  });
});
