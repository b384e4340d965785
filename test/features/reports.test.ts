import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FailureOptions, presentFailure } from '../../src/core/command/failure.ts';
import type { Io } from '../../src/core/command/io.ts';
import { type PresentOptions, present, requireOutputs } from '../../src/core/command/output/present.ts';
import type { Diagnostic } from '../../src/core/diagnostics/diagnostic.ts';
import { RESULT_FORMAT } from '../../src/core/model/generated/result.ts';
import type { Medium } from '../../src/core/render/format.ts';
import { Masking } from '../../src/core/render/masking/masking.ts';
import { resultDocument } from '../../src/core/render/result.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type Result, runInMemory } from './in-memory.ts';

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder('reports');
});

const at = (name: string) => join(cwd, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const FOUND = { severity: 'error', code: 'internal', message: 'a' } as const;

function show(
  options: PresentOptions,
  { code = 0, env = {}, found = FOUND as Diagnostic, wrap = (io: Io) => io } = {},
): Promise<Result> {
  const document = resultDocument('plan', code, [found]);
  const text = ({ file }: Medium) => (file ? 'for a file\n' : 'for people\n');
  return runInMemory({ cwd, env }, (io) =>
    present({ document, text, command: 'plan', exitCode: code }, options, wrap(io)),
  );
}

function refusal(values: readonly string[], taken: readonly string[] = []): Promise<Result> {
  return runInMemory({ cwd, env: {} }, async (io) => {
    await requireOutputs({ report: values }, io, taken);
    return 0;
  });
}

describe('--report', () => {
  it('writes the formats to files, besides what goes to stdout', async () => {
    const report = ['text=out.txt', 'json=sub/out.json', 'markdown=out.md'];
    mkdirSync(at('sub'));
    expect(await show({ report })).toMatchObject({ code: 0, stdout: 'for people\n', stderr: '' });
    expect(read('out.txt')).toMatch(/^tradeform report, tradeform \S+\n\nfor a file\n$/);
    expect(JSON.parse(read('sub/out.json'))).toMatchObject({ format: RESULT_FORMAT });
    expect(read('out.md')).toMatch(/^<!-- tradeform:plan /);
    const { stdout } = await show({ report, output: 'json', maxBytes: 40 });
    expect(stdout).toBe(read('sub/out.json'));
    expect(read('out.md')).toBe('**Failed: 1 error.**\n');
    expect(readdirSync(cwd).sort()).toEqual(['out.md', 'out.txt', 'sub']);
  });

  it.each([
    [0, 1],
    [2, 1],
    [1, 1],
    [3, 3],
    [4, 4],
    [130, 130],
  ])('with exit code %s a file that cannot be written makes it %s', async (code, expected) => {
    const result = await show({ report: ['json=gone/out.json', 'text=out.txt'] }, { code });
    expect(result).toMatchObject({ code: expected, stdout: 'for people\n' });
    expect(result.stderr).toContain('error[file-unwritable]: --report json=gone/out.json is not writable');
    expect(read('out.txt')).toContain('for a file');
  });

  it('contains no value from the environment', async () => {
    const secret = 'a "quoted" secret_note';
    const masking = new Masking();
    masking.learnValues([secret]);
    const found = { ...FOUND, message: `was ${secret}`, hint: secret };
    const formats = ['json', 'markdown', 'html', 'sarif', 'github', 'gitlab'];
    const report = formats.map((format) => `${format}=${format}.out`);
    await show({ report }, { found, wrap: (io) => ({ ...io, masking }) });
    for (const format of formats) {
      expect(read(`${format}.out`), format).not.toContain('quoted');
      expect(read(`${format}.out`).length, format).toBeGreaterThan(20);
    }
  });

  it.each([
    ['xml=a', 'unknown format "xml"'],
    ['json', 'names no file'],
    ['json=', 'names no file'],
    ['json=sub/', 'names no file'],
    ['=a', 'unknown format ""'],
    ['json=tradeform.yaml', 'would be read as a manifest'],
    ['text=new.YML', 'would be read as a manifest'],
    ['json=notes.txt', 'is not a json report of tradeform'],
    ['text=notes.txt', 'is not a text report of tradeform'],
    ['markdown=notes.txt', 'is not a markdown report'],
    ['json=sub', 'not a regular file'],
    ['text=/dev/null', 'not a regular file'],
    ['json=plan.json', 'the same file as plan.json'],
    ['json=./x/../plan.json', 'the same file as plan.json'],
    ['json=linked.json', 'the same file as plan.json'],
    ['json=hard.json', 'the same file as plan.json'],
  ])('%s is refused before anything is sent', async (value, why) => {
    mkdirSync(at('sub'));
    writeFileSync(at('tradeform.yaml'), 'kind: Project\n');
    writeFileSync(at('notes.txt'), 'what I thought\n');
    writeFileSync(at('plan.json'), '{\n  "format": "tradeform.plan/1"\n}\n');
    symlinkSync(at('plan.json'), at('linked.json'));
    linkSync(at('plan.json'), at('hard.json'));
    const { code, diagnostics } = await refusal([value], ['plan.json']);
    expect(code).toBe(3);
    expect(diagnostics).toMatchObject([{ code: 'invalid-option', message: expect.stringContaining(why) }]);
    expect(read('notes.txt')).toBe('what I thought\n');
  });

  it('is refused if two of them name one file, even one that does not exist yet', async () => {
    const { code, diagnostics } = await refusal(['json=a.out', 'sarif=./a.out']);
    expect(code).toBe(3);
    expect(diagnostics).toMatchObject([
      { message: expect.stringContaining('the same file as --report json=a.out') },
    ]);
    expect(await refusal(['json=a.out', 'sarif=b.out'])).toMatchObject({ code: 0 });
  });

  it('overwrites a report of its own format, also through a link, and no other file', async () => {
    const names = ['text', 'json', 'markdown', 'html', 'sarif', 'github', 'gitlab'];
    const report = names.map((name) => `${name}=${name}.out`);
    const write = () => show({ report });
    expect(await write()).toMatchObject({ code: 0 });
    symlinkSync(at('json.out'), at('link.out'));
    expect(
      await refusal([...report.filter((value) => !value.startsWith('json')), 'json=link.out']),
    ).toMatchObject({
      code: 0,
    });
    expect(await write()).toMatchObject({ code: 0, stderr: '' });
    for (const [index, name] of names.entries()) {
      const other = names[(index + 1) % names.length];
      expect(await refusal([`${other}=${name}.out`]), `${other} over ${name}`).toMatchObject({ code: 3 });
    }
  });

  it('that holds only an empty list is overwritten as well', async () => {
    writeFileSync(at('empty.out'), '');
    writeFileSync(at('list.out'), '[]\n');
    expect(await refusal(['sarif=empty.out', 'gitlab=list.out'])).toMatchObject({ code: 0 });
  });
});

describe('in GitHub Actions', () => {
  const actions = (more = {}) => ({
    env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: at('summary.md'), ...more },
  });

  it('does none of this with --no-github, elsewhere, or without a summary to write to', async () => {
    expect(await show({ github: false }, actions())).toMatchObject({ stderr: '' });
    expect(await show({}, actions({ GITHUB_ACTIONS: 'false' }))).toMatchObject({ stderr: '' });
    expect(existsSync(at('summary.md'))).toBe(false);
    expect(await show({}, actions({ GITHUB_STEP_SUMMARY: '' }))).toMatchObject({
      stderr: '::error title=internal::a\n',
    });
  });

  it("appends to a summary within GitHub's limit, and leaves a full one unchanged", async () => {
    writeFileSync(at('summary.md'), 'x'.repeat(1024 * 1024 - 52));
    await show({}, actions());
    expect(read('summary.md')).toMatch(/x\n\n\*\*Failed: 1 error\.\*\*\n$/);
    writeFileSync(at('summary.md'), 'x'.repeat(1024 * 1024 - 10));
    const full = await show({}, actions());
    expect(full.stderr).toContain('warning[file-unwritable]');
    expect(full.code).toBe(0);
    expect(read('summary.md')).toHaveLength(1024 * 1024 - 10);
  });

  it('warns if the summary cannot be written, and keeps its exit code', async () => {
    const result = await show({}, { ...actions({ GITHUB_STEP_SUMMARY: at('no/where.md') }), code: 2 });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('nothing was added to the step summary: there is no such file or folder');
  });
});

describe('a command that failed', () => {
  const ending = {
    exitCode: 3,
    diagnostics: [{ severity: 'error', code: 'invalid-option', message: 'no such thing' }],
    sources: new Map(),
    details: {},
  } as const;
  const fail = (more: Partial<FailureOptions>) =>
    runInMemory({ cwd, env: {} }, async (io) => {
      await presentFailure(ending, { command: 'plan', printed: false, taken: [], ...more }, io);
      return ending.exitCode;
    });

  it('says so in its format, or on stderr if something was printed or the format is unknown', async () => {
    expect(await fail({ output: 'gitlab' })).toMatchObject({
      stderr: '',
      stdout: expect.stringMatching(/^\[/),
    });
    for (const more of [{ output: 'gitlab', printed: true }, { output: 'xml' }, { output: 'yaml' }, {}])
      expect(await fail(more)).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining('no such thing'),
      });
  });

  it('says so in its reports too, but writes to no file that it must not', async () => {
    writeFileSync(at('tradeform.yaml'), 'kind: Project\n');
    writeFileSync(at('plan.json'), '{\n  "format": "tradeform.plan/1"\n}\n');
    const report = ['sarif=a.sarif', 'text=a.txt', 'text=tradeform.yaml', 'json=plan.json', 'xml=b'];
    await fail({ report, taken: ['plan.json'] });
    expect(read('a.sarif')).toContain('no such thing');
    expect(read('a.txt')).toContain('error[invalid-option]: no such thing');
    expect(read('tradeform.yaml')).toBe('kind: Project\n');
    expect(read('plan.json')).toContain('tradeform.plan/1');
    expect(existsSync(at('b'))).toBe(false);
  });
});
