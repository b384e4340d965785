import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Io } from '../../src/core/command/io.ts';
import type { CommonOptions } from '../../src/core/command/options.ts';
import known from '../../src/core/desired/lints/well-known.json' with { type: 'json' };
import { runValidate } from '../../src/core/features/validate.ts';
import { copyTrade, label, PROJECT, sniper, sniperTemplate } from '../manifest/samples.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** What public documents, packages and SDKs call a token or a program of Solana. */
const PUBLISHED = {
  token: [
    'So11111111111111111111111111111111111111112',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  ],
  program: [
    '11111111111111111111111111111111',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
    'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA',
    'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj',
    'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
    'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
    '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
    'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C',
    'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  ],
} as const;

let project: ProjectRun;

beforeEach(async () => {
  project = await openProject({ files: { 'tradeform.yaml': PROJECT } });
});

const write = (path: string, content: string) => project.write(path, content);

async function run(options: CommonOptions = {}, env: Io['env'] = {}) {
  const { diagnostics: _, ...ran } = await project.run((io) => runValidate(options, io), {
    env,
    columns: 80,
  });
  return ran;
}

describe('a valid project', () => {
  beforeEach(() => {
    write(
      'manifests/a.yaml',
      [sniper({ spec: '  remark: Hello\n' }), sniper({ name: 'beta', amount: '0.6' }), copyTrade()].join(
        '---\n',
      ),
    );
    write('manifests/b.yaml', [sniperTemplate('base'), label('hot')].join('---\n'));
  });

  test('is summarized on stdout', async () => {
    expect(await run()).toEqual({
      code: 0,
      stderr: '',
      stdout: `SniperTask              2
CopyTradeTask           1
SniperTemplate          1
Label                   1

OK  5 manifests
`,
    });
  });

  test('-v says how much room is left for notes, -q prints nothing', async () => {
    expect((await run({ verbose: true })).stdout).toContain(
      '  sniper/alpha                                   5 used, 25 left\n',
    );
    expect(await run({ quiet: true })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('-o json is one document', async () => {
    const { code, stdout, stderr } = await run({ output: 'json' });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      format: 'tradeform.result/1',
      command: 'validate',
      ok: true,
      exit_code: 0,
      diagnostics: [],
      project: 'core',
      environment: null,
      manifests: { SniperTask: 2, CopyTradeTask: 1, SniperTemplate: 1, Label: 1 },
      manifests_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('the network is never touched', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    write('tradeform.yaml', `${PROJECT}spec: { base_url: "https://example.invalid/v1" }\n`);
    expect((await run({}, { TRADEFORM_TOKEN: 'svc_live_0a1b2c3d.canary' })).code).toBe(0);
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });
});

describe('an invalid project', () => {
  test('every problem on stderr with its line, nothing on stdout, exit 3', async () => {
    write('manifests/a.yaml', sniper({ amount: '.5', spec: '  remrak: x\n' }));
    expect(await run()).toEqual({
      code: 3,
      stdout: '',
      stderr: `error[unknown-field]: spec has no field remrak
 --> manifests/a.yaml:7:3  sniper/alpha
7 |   remrak: x
  |   ^^^^^^
   hint: did you mean remark?

error[invalid-decimal]: spec.config.buy_amount: .5 has no digit before the point
  --> manifests/a.yaml:10:17  sniper/alpha
10 |     buy_amount: .5
   |                 ^^
    hint: write "0.5"

2 errors
`,
    });
  });

  test.each([
    ['unknown-label', { spec: '  label: nope\n' }],
    ['unknown-base', { spec: '  extends: [nope]\n' }],
    ['unknown-wallet', { wallet: 'nope' }],
    ['unknown-variable', { spec: '  remark: ${var.nope}\n' }],
  ])('%s in many tasks: a few places for people, all for machines', async (code, wrong) => {
    const tasks = Array.from({ length: 12 }, (_, index) => sniper({ name: `t-${index}`, ...wrong }));
    write('manifests/a.yaml', [...tasks, label('hot')].join('---\n'));
    write('manifests/b.yaml', copyTrade({ name: 'other', spec: '  colour: red\n' }));
    const text = await run();
    expect(text.code).toBe(3);
    expect(text.stderr.match(new RegExp(`^error\\[${code}\\]`, 'gm'))).toHaveLength(5);
    expect(text.stderr).toMatch(
      / {2}sniper\/t-4\n(?:.+\n)+and 7 more of these: sniper\/t-5, .*\nand 2 more; -o json names all\n\n/,
    );
    expect(text.stderr).toMatch(/error\[unknown-field\].*\n\n13 errors\n$/s);
    const markdown = (await run({ output: 'markdown' })).stdout;
    expect(markdown).toContain('### Errors (13)');
    expect(markdown.match(new RegExp(`\`${code}\``, 'g'))).toHaveLength(1);
    expect(markdown).toMatch(/`sniper\/t-4` and 7 more: /);
    const { diagnostics } = JSON.parse((await run({ output: 'json' })).stdout);
    expect(diagnostics).toHaveLength(13);
  });

  test('-o json: one document on stdout, nothing on stderr', async () => {
    write('manifests/a.yaml', sniper({ amount: '.5' }));
    const { code, stdout, stderr } = await run({ output: 'json' });
    expect([code, stderr]).toEqual([3, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      exit_code: 3,
      manifests_digest: null,
      diagnostics: [
        {
          severity: 'error',
          code: 'invalid-decimal',
          hint: 'write "0.5"',
          address: 'sniper/alpha',
          location: { file: 'manifests/a.yaml', line: 9, column: 17 },
          length: 2,
        },
      ],
    });
  });

  test('an unusable base URL, at its place', async () => {
    write('manifests/a.yaml', label('hot'));
    write('tradeform.yaml', `${PROJECT}spec:\n  base_url: http://example.invalid/v1\n`);
    const { code, stderr } = await run();
    expect(code).toBe(3);
    expect(stderr).toContain('error[base-url-invalid]');
    expect(stderr).toContain('tradeform.yaml:5:13');
  });
});

test('the environment comes from the option, then from TRADEFORM_ENVIRONMENT', async () => {
  write('tradeform.yaml', `${PROJECT}spec: { environments: { a: {}, b: {} } }\n`);
  write('manifests/a.yaml', label('hot'));
  expect((await run()).stderr).toContain('error[environment-ambiguous]');
  expect((await run({}, { TRADEFORM_ENVIRONMENT: '' })).code).toBe(3);
  expect((await run({}, { TRADEFORM_ENVIRONMENT: 'b' })).stdout).toContain('OK  1 manifest for b');
  expect((await run({ environment: 'a' }, { TRADEFORM_ENVIRONMENT: 'b' })).stdout).toContain(
    'OK  1 manifest for a',
  );
});

test('an inherited property of objects is no variable of the environment', async () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    write('tradeform.yaml', PROJECT);
    write('manifests/a.yaml', sniper({ spec: `  remark: "\${env.${name}}"\n` }));
    const { code, stderr } = await run();
    expect(code).toBe(3);
    expect(stderr).toContain(`the environment variable ${name} is not set`);
  }
});

test('each address that is called a token or a program is published as one, and no other is known', async () => {
  const all = [...PUBLISHED.token, ...PUBLISHED.program];
  for (const [index, wallet] of all.entries())
    write(`manifests/m${index}.yaml`, sniper({ name: `m${index}`, wallet: `"${wallet}"` }));
  const { code, stdout } = await run({ output: 'json' });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { code: string; message: string }[] };
  const found = diagnostics.filter((one) => one.code === 'target-not-wallet');
  expect([code, found.length, Object.keys(known).length]).toEqual([0, all.length, all.length]);
  const kinds = found.map(({ message }) => /the (?:system |token )?(program|token)\b/.exec(message)?.[1]);
  expect(kinds.filter((kind) => kind === 'token')).toHaveLength(PUBLISHED.token.length);
});
