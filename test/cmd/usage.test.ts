import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { executable, folder, projectFiles, tradeform } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');
const project = folder(projectFiles());

const COMMANDS = [
  'validate',
  'render',
  'plan',
  'apply',
  'drift',
  'export',
  'doctor',
  'status',
  'pause',
  'resume',
  'release',
  'init',
  'explain',
  'fmt',
  'report',
  'schema',
  'rollback',
  'sandbox',
  'completion',
] as const;

const OF_FLEET = [
  'init',
  'validate',
  'plan',
  'apply',
  'status',
  'drift',
  'pause',
  'resume',
  'matrix',
  'merge',
] as const;

interface ResultDocument {
  readonly format: string;
  readonly command: string;
  readonly ok: boolean;
  readonly exit_code: number;
  readonly diagnostics: readonly {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
  }[];
}

describe('a variable that is no setting', () => {
  it.each([
    ['TRADEFORM_DEADLIEN', 'did you mean TRADEFORM_DEADLINE?'],
    ['TRADEFORM_BASEURL', 'did you mean TRADEFORM_BASE_URL?'],
    ['TRADEFORM_TOKNE', 'did you mean TRADEFORM_TOKEN?'],
    ['TRADEFORM_SOMETHING_ELSE', 'docs/reference/environment.md'],
  ])('%s gets a warning from any command, and changes nothing else', async (name, hint) => {
    for (const args of [['validate'], ['pause', '--all', '-o', 'json']]) {
      const run = (env = {}) => tradeform(args, { cwd: project.path, env: { COLUMNS: '200', ...env } });
      const [without, warned] = [await run(), await run({ [name]: '1' })];
      expect([warned.code, warned.stdout]).toEqual([without.code, without.stdout]);
      expect(warned.stderr).toMatch(/^warning\[env-unknown\]/);
      expect(warned.stderr).toContain(`no setting ${name};`);
      expect(warned.stderr).toContain(hint);
    }
  });

  it('is none that the program reads, or that a page, an example or the chart names', async () => {
    const places = ['src', 'cmd', 'docs', 'examples', 'deploy'];
    const found = execFileSync('git', ['grep', '-hoEw', '(TRADEFORM)_[A-Z0-9_]*[A-Z0-9]', '--', ...places], {
      cwd: ROOT,
    });
    const bundled = [
      'TRADEFORM_VERSION',
      'TRADEFORM_COMMIT',
      'TRADEFORM_NODE',
      'TRADEFORM_SCREENSHOTS',
      'TRADEFORM_FORGE',
      'TRADEFORM_DEADLIEN',
      // Named as what is gone.
      'TRADEFORM_REDACT_WALLETS',
    ];
    const names = new Set(String(found).trim().split('\n').concat('TRADEFORM_PORT_80_TCP'));
    for (const name of bundled) names.delete(name);
    expect(names.size).toBeGreaterThan(15);
    const env = Object.fromEntries([...names].map((name) => [name, '']));
    expect(await tradeform(['explain', 'held'], { env })).toMatchObject({ code: 0, stderr: '' });
  });
});

it.each([
  ['pause', '--label'],
  ['pause', '--kind'],
  ['release', '--id'],
  ['plan', '--target'],
  ['apply', '--expect'],
  ['drift', '--ignore'],
  ['log', '--address'],
  ['fleet', 'plan', '--select'],
])('%s %s: an empty value is refused, and chooses neither nothing nor everything', async (...words) => {
  const { code, stderr } = await tradeform([...words, ''], { cwd: project.path, env: { COLUMNS: '200' } });
  expect([code, stderr]).toEqual([3, expect.stringContaining('The value is empty')]);
});

describe('help and version', () => {
  it('prints the version of the package', async () => {
    const { version } = (await import('../../package.json', { with: { type: 'json' } })).default;
    expect(await executable(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await tradeform(['plan', '--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
    for (const args of [
      ['--version', '-o', 'json'],
      ['plan', '--output=json', '--version'],
    ]) {
      const { code, stdout } = await tradeform(args);
      const said = JSON.parse(stdout);
      expect([code, said.version]).toEqual([0, version]);
      expect(said.commit ?? '0'.repeat(40)).toMatch(/^[0-9a-f]{40}$/);
      expect(said.formats).toEqual(expect.arrayContaining(['tradeform/v1', said.format]));
      expect('[git:core/launch-pump@12.1a2b3005]').toMatch(new RegExp(said.marker));
    }
  });

  it.each(['20.18.0', '18.20.8', '9.11.2'])(
    'says on Node %s which Node it needs, whatever is called',
    async (node) => {
      const versions = `{value:{...process.versions,node:'${node}'}}`;
      const posing = folder({ 'node.cjs': `Object.defineProperty(process,'versions',${versions})` });
      for (const args of [['--version'], ['plan', '-o', 'json']]) {
        const env = { NODE_OPTIONS: `--require ${posing.path}/node.cjs` };
        expect(await executable(args, { env })).toEqual({
          code: 1,
          stdout: '',
          stderr: `tradeform needs Node 20.18.1 or later; this is ${node}\n`,
        });
      }
    },
  );

  it('lists the commands and the exit codes', async () => {
    const { code, stdout, stderr } = await tradeform(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    for (const exit of ['0', '1', '2', '3', '4', '130'])
      expect(stdout).toMatch(new RegExp(`^  ${exit} {2,}`, 'm'));
  });

  it('prints the same without arguments', async () => {
    const { stdout: help } = await tradeform(['--help']);
    expect(await tradeform([])).toMatchObject({ code: 0, stdout: help, stderr: '' });
  });

  it('lists the commands for a fleet', async () => {
    const { code, stdout } = await tradeform(['fleet', '--help']);
    expect(code).toBe(0);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) \S*/gm)].map(([, name]) => name);
    expect(listed).toEqual(expect.arrayContaining([...OF_FLEET]));
  });

  it.each([...COMMANDS, ...OF_FLEET.map((name) => `fleet ${name}`)])(
    '%s --help has examples, then the names of the common options, and no line over 80 columns',
    async (command) => {
      const { code, stdout, stderr } = await tradeform([...command.split(' '), '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`$ tradeform ${command}`);
      expect(stdout).not.toContain('--environment <environment>');
      expect(stdout.indexOf('Common options: -C, --project, -e,')).toBeGreaterThan(
        stdout.indexOf(`$ tradeform ${command}`),
      );
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(stdout).toMatch(/^Output formats: -o \w+(?:, \w+)*(?:; .+)?$/m);
    },
  );
});

describe('usage errors', () => {
  it.each([
    [['-q'], 'no command was given'],
    [['--frobnicate'], "unknown option '--frobnicate'"],
    [['plam'], "unknown command 'plam'"],
    [['plan', '--tarmac', 'x'], "unknown option '--tarmac'"],
    [['plan', '--out'], "option '--out <file>' argument missing"],
    [['apply', 'a', 'b'], 'too many arguments'],
    [
      ['plan', '-o', 'xml'],
      '`tradeform plan` does not print xml hint: The formats are text, json, markdown, html, sarif, github, gitlab. 1',
    ],
    [
      ['-o', 'yaml', 'plan'],
      '`tradeform plan` does not print yaml hint: The formats are text, json, markdown, ',
    ],
    [['doctor', '-o', 'jsn'], 'does not print jsn hint: Did you mean json? The formats are text, json. 1'],
    [['render', '-o', 'xml'], 'does not print xml hint: The formats are text, yaml, json. 1'],
    [['render', '-C', project.path, '--diff', 'HEAD', '-o', 'yaml'], 'does not print yaml'],
    [['fleet'], 'no command was given'],
    [['fleet', 'plam'], "unknown command 'plam'"],
    [['fleet', 'plan', 'x'], 'too many arguments'],
    [['fleet', 'plan', '-o', 'xml'], '`tradeform fleet plan` does not print xml'],
    [['fleet', 'plan', '--max', '3'], "unknown option '--max'"],
    [['fleet', 'drift', '--only', 'pending'], "unknown option '--only'"],
    [['fleet', 'status', '--first-apply'], "unknown option '--first-apply'"],
    [['fleet', 'plan', '--expect', 'x'], "unknown option '--expect'"],
    [['fleet', 'pause', '--fail-fast'], "unknown option '--fail-fast'"],
    [['fleet', 'matrix', '--shard', '1/2'], "unknown option '--shard'"],
    [['completion', 'bash', '-o', 'xml'], 'does not print xml hint: The formats are text. 1'],
    [['plan', '--concurrency', '0'], 'whole number from 1 to 64'],
    [['plan', '--concurrency', '1e3'], 'whole number from 1 to 64'],
    [['plan', '--max-bytes', 'much'], 'a number of bytes, github-comment'],
    [['apply', '--on-failure', 'shrug'], 'Allowed choices'],
    [['validate', '-C', '/nowhere/at/all'], 'is not a directory'],
  ])('%j ends with 3 and says why', async (args, text) => {
    const { code, stdout, stderr } = await tradeform(args);
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr.replace(/\s+/g, ' ')).toContain(text);
    expect(stderr).toContain('error[invalid-option]');

    const json = await tradeform([...args.filter((arg) => arg !== '--out'), '-o', 'json']);
    // `-o xml -o json` is a fine command line, and so is `-o markdown -o json`.
    if (args.includes('-o') || args.includes('--out')) return;
    expect(json).toMatchObject({ code: 3, stderr: '' });
    const document = JSON.parse(json.stdout) as ResultDocument;
    expect(document).toMatchObject({ format: 'tradeform.result/1', ok: false, exit_code: 3 });
    expect(document.diagnostics[0]).toMatchObject({ code: 'invalid-option', hint: expect.any(String) });
  });

  it.each([['-o', 'json'], ['-ojson'], ['--output', 'json'], ['--output=json']])(
    'JSON asked for as %s %s is one document, before and after what is wrong',
    async (...format) => {
      for (const args of [
        ['plan', ...format, '--frobnicate'],
        [...format, 'plan', '--frobnicate'],
      ]) {
        const { code, stdout, stderr } = await tradeform(args);
        expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
        expect(JSON.parse(stdout)).toMatchObject({ command: 'plan', exit_code: 3 });
      }
    },
  );

  it('a command of a fleet is named as a whole in its document, parsed or not', async () => {
    for (const args of [
      ['fleet', 'plan'],
      ['fleet', 'plan', '--frobnicate'],
    ]) {
      const { code, stdout, stderr } = await tradeform([...args, '-o', 'json'], { cwd: '/' });
      expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ command: 'fleet plan', exit_code: 3 });
    }
  });

  it.each([
    ['plan', 'text, json, markdown, html, sarif, github, gitlab\n'],
    ['apply', 'text, json, markdown, html, sarif, github, gitlab\n'],
  ])('the help of %s names its own formats and the pattern of addresses', async (command, formats) => {
    const { stdout } = await tradeform([command, '--help']);
    expect(stdout).toContain(`Output formats: -o ${formats}`);
    expect(stdout).toContain('* stands for any text');
  });

  it('suggests the intended word', async () => {
    const { stderr } = await tradeform(['plan', '--targt', 'x']);
    expect(stderr).toContain('Did you mean --target?');
  });

  it.each([
    ['diff', 'plan'],
    ['lint', 'validate'],
    ['sync', 'apply'],
    ['version', '--version'],
  ])('knows the name from other tools: %s', async (name, meant) => {
    const { code, stderr } = await tradeform([name]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`Did you mean ${meant}?`)]);
  });

  it('accepts help as a command', async () => {
    expect(await tradeform(['help', 'plan'])).toEqual(await tradeform(['plan', '--help']));
    expect(await tradeform(['help'])).toEqual(await tradeform(['--help']));
  });
});

describe('the common options', () => {
  it.each([
    ['-C', [] as string[]],
    ['--chdir', []],
    ['--project', ['tradeform.yaml']],
  ])('%s is accepted before and after the command', async (option, rest) => {
    const value = [project.path, ...rest].join('/');
    for (const args of [
      [option, value, 'validate'],
      ['validate', option, value],
    ]) {
      expect(await tradeform(args, { cwd: '/' })).toMatchObject({ code: 0 });
    }
  });

  it('a token is not an option', async () => {
    expect(await tradeform(['plan', '--token', 'svc_live_00000000.x'])).toMatchObject({ code: 3 });
  });

  it('finds the project upward, and says so if there are no labels', async () => {
    expect(await tradeform(['validate'], { cwd: `${project.path}/manifests` })).toMatchObject({ code: 0 });
    const { code, stderr } = await tradeform(['validate'], { cwd: '/' });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('error[no-project-file]') });
  });
});
