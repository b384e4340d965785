import { beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type RenderOptions, runRender } from '../../src/core/features/render/render.ts';
import { label, PROJECT, sniper, sniperTemplate, WALLETS } from '../manifest/samples.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { type Result, runInMemory } from './in-memory.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = testRepository();
  repository.write('tradeform.yaml', PROJECT);
});

function render(
  addresses: readonly string[] = [],
  options: RenderOptions = {},
  env: Record<string, string> = {},
): Promise<Result> {
  const place = { cwd: repository.path, env: { PATH: process.env.PATH, ...env }, columns: 80 };
  return runInMemory(place, (io) => runRender(addresses, options, io));
}

/** A preset, a label, a template and three tasks; the tip of two of them is the preset's. */
function writeProject(): void {
  const extended = (name: string) =>
    sniper({ name, wallet: WALLETS[name === 'beta' ? 1 : 2], spec: '  extends: [fees]\n' }).replace(
      'tip_amount: 0.001, ',
      '',
    );
  repository.write('manifests/tasks.yaml', [extended('beta'), sniper(), extended('gamma')].join('---\n'));
  repository.write('manifests/others.yaml', [sniperTemplate('base'), label('hot')].join('---\n'));
  repository.write(
    'presets/fees.yaml',
    `apiVersion: tradeform/v1
kind: Preset
metadata: { name: fees }
spec:
  for: sniper
  config:
    relay_mode:
      tip_amount: 0.0010
`,
  );
  repository.write('tradeform.yaml', `${PROJECT}spec: { manifests: ["{manifests,presets}/*.yaml"] }\n`);
}

function addressesIn(yaml: string): readonly string[] {
  return parseAllDocuments(yaml).map(
    (document) => `${document.get('kind')} ${document.getIn(['metadata', 'name'])}`,
  );
}

describe('the compiled desired state', () => {
  beforeEach(writeProject);

  test('is YAML in order of address, and nothing else', async () => {
    const { code, stdout, stderr } = await render();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(addressesIn(stdout)).toEqual([
      ...['Label hot', 'SniperTemplate base', 'SniperTask alpha', 'SniperTask beta', 'SniperTask gamma'],
    ]);
    expect(stdout).toMatch(/\n {6}tip_amount: "0\.0010"\n/);
    expect((await render([], { output: 'yaml' })).stdout).toBe(stdout);
  });

  test('is itself a project that renders the same', async () => {
    const { stdout } = await render();
    repository.write('tradeform.yaml', `${PROJECT}spec: { manifests: ["all.yaml"] }\n`);
    repository.write('all.yaml', stdout);
    expect((await render()).stdout).toBe(stdout);
  });

  test('of addresses, with patterns', async () => {
    expect(addressesIn((await render(['sniper/*a', 'label/hot'])).stdout)).toEqual([
      ...['Label hot', 'SniperTask alpha', 'SniperTask beta', 'SniperTask gamma'],
    ]);
    expect(addressesIn((await render(['sniper/beta'])).stdout)).toEqual(['SniperTask beta']);
  });

  test('an address that matches nothing ends with 3, all of them at once, and nothing is printed', async () => {
    const { code, stdout, diagnostics } = await render([
      'sniper/bta',
      'sniper/alpha',
      'copy-trade/*',
      'preset/fees',
      // The id of a task on the service, also where a manifest has it.
      '00010000-0000-4000-8000-000000000001',
    ]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(diagnostics).toMatchObject([
      {
        code: 'target-unknown',
        message: 'sniper/bta matches nothing in the manifests',
        hint: 'did you mean sniper/beta?',
      },
      { code: 'target-unknown', hint: expect.stringContaining('a name alone and * also work') },
      { code: 'target-unknown' },
      { code: 'target-unknown' },
    ]);
  });

  test('shows the place of each value: in a preset, or nowhere', async () => {
    const { stdout } = await render(['beta'], { origin: true });
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ +#/, ' #'));
    expect(lines).toEqual(
      expect.arrayContaining([
        'apiVersion: tradeform/v1',
        'name: beta # manifests/tasks.yaml:4',
        'state: active # manifests/tasks.yaml:6',
        'remark: "" # default',
        'tip_amount: "0.0010" # presets/fees.yaml:8',
        '- pump-fun # manifests/tasks.yaml:13',
        'buy_once: false # default',
        'orders: [] # manifests/tasks.yaml:17',
      ]),
    );
    const values = lines.filter((line) => line !== '' && !/^(?:- )?\w+:$|^apiVersion|^kind/.test(line));
    expect(values.filter((line) => !/ # (?:default|[\w./]+:\d+)$/.test(line))).toEqual([]);
  });

  test('-o json: one document with the manifests and, on request, their places', async () => {
    const { code, stdout, stderr } = await render(['sniper/beta'], { output: 'json', origin: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      format: 'tradeform.result/1',
      command: 'render',
      ok: true,
      exit_code: 0,
      diagnostics: [],
      project: 'core',
      environment: null,
      manifests_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(document.resources).toHaveLength(1);
    const [{ address, manifest, secrets, origins }] = document.resources;
    expect({ address, secrets }).toEqual({ address: 'sniper/beta', secrets: [] });
    expect(Object.keys(manifest)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(manifest.spec.config.relay_mode.tip_amount).toBe('0.0010');
    expect(origins).toMatchObject({
      'metadata.name': { file: 'manifests/tasks.yaml', line: 4, column: 9 },
      'spec.config.relay_mode.tip_amount': { file: 'presets/fees.yaml', line: 8, column: 19 },
      'spec.config.selected_dexes[1]': { file: 'manifests/tasks.yaml', line: 13 },
      'spec.lifecycle.adopt': 'default',
    });
    const plain = JSON.parse((await render([], { output: 'json' })).stdout);
    expect(plain.resources[0]).not.toHaveProperty('origins');
    expect(plain.manifests_digest).toBe(document.manifests_digest);
  });

  test('uses the named environment', async () => {
    repository.write(
      'tradeform.yaml',
      `${PROJECT}spec:
  environments:
    a: { patches: [{ target: "sniper/*", patch: { spec: { state: paused } } }] }
    b: {}
`,
    );
    repository.write('manifests/tasks.yaml', sniper());
    expect((await render(['sniper/alpha'], { environment: 'a' })).stdout).toContain('  state: paused\n');
    expect((await render(['sniper/alpha'], {}, { TRADEFORM_ENVIRONMENT: 'b' })).stdout).toContain(
      '  state: active\n',
    );
    expect((await render()).diagnostics).toMatchObject([{ code: 'environment-ambiguous' }]);
  });

  test('is missing if there is an error', async () => {
    repository.write('manifests/wrong.yaml', sniper({ amount: '.5' }));
    const { code, stdout, diagnostics } = await render(['label/hot']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain('invalid-decimal');
  });
});

describe('values of the environment', () => {
  const ENV = { TIP: '0.0424242', NOTE: 'canary note', WALLET: WALLETS[2] };

  beforeEach(() => {
    const text = sniper({
      spec: '  remark: my ${env.NOTE}\n',
      config: '    dev_min_amount: ${env.TIP}\n',
      wallet: 'whale',
    });
    repository.write('manifests/a.yaml', text);
    repository.write(
      'manifests/book.yaml',
      'apiVersion: tradeform/v1\nkind: WalletBook\nmetadata: { name: book }\nspec:\n  wallets: { whale: "${env.WALLET}" }\n',
    );
    repository.write('manifests/b.yaml', label('hot'));
  });

  const canary = new RegExp(`0424242|canary|${WALLETS[2]}`);

  test('are in no format, and the output says that they are missing', async () => {
    const { code, stdout, stderr } = await render([], { origin: true }, ENV);
    expect(code).toBe(0);
    expect(stdout.match(/\(secret\) +#/g)).toHaveLength(3);
    expect(stdout).toContain(
      '---\n# (secret) replaces a value from the environment: this is not a complete manifest\n',
    );
    expect(stdout.match(/not a complete manifest/g)).toHaveLength(1);
    expect(stderr).toContain('note[secret-hidden]: 3 values from the environment are not shown');
    expect(stdout + stderr).not.toMatch(canary);

    const json = await render([], { output: 'json', origin: true }, ENV);
    expect(json.stderr).toBe('');
    const { diagnostics, resources } = JSON.parse(json.stdout);
    expect(diagnostics).toMatchObject([{ severity: 'info', code: 'secret-hidden' }]);
    expect(resources[1].secrets).toEqual(['spec.config.dev_min_amount', 'spec.remark', 'spec.target_wallet']);
    expect(resources[1].manifest.spec.remark).toBe('(secret)');
    expect(json.stdout).not.toMatch(canary);
    // Where none is shown, none is missing.
    expect((await render(['label/hot'], {}, ENV)).stderr).toBe('');
  });

  test('are in no difference', async () => {
    repository.commit();
    repository.write(
      'manifests/a.yaml',
      sniper({ spec: '  remark: plain\n', config: '    dev_min_amount: 1\n' }),
    );
    repository.write(
      'manifests/c.yaml',
      sniper({ name: 'other', config: '    dev_min_amount: ${env.TIP}\n' }),
    );
    for (const output of ['text', 'json']) {
      const { code, stdout, stderr } = await render([], { diff: 'HEAD', output }, ENV);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('(secret)');
      expect(stdout).toContain('sniper/other');
      expect(stdout).not.toMatch(canary);
    }
  });

  test('that are not set at the revision hide what they were in', async () => {
    repository.commit();
    repository.write('manifests/a.yaml', sniper());
    repository.git('rm', '-q', '--cached', 'manifests/book.yaml');
    repository.write('manifests/book.yaml', label('cold'));
    const { code, stdout } = await render([], { diff: 'main' });
    expect(code).toBe(0);
    expect(stdout).toContain('~ remark: (secret) → (secret)');
    expect(stdout).not.toContain('${env.');
  });
});

describe('the differences from another revision', () => {
  beforeEach(() => {
    writeProject();
    repository.commit();
  });

  test('none', async () => {
    for (const detailedExitcode of [true, false]) {
      const { code, stdout, stderr } = await render([], { diff: 'main', detailedExitcode });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Compared with main \([0-9a-f]{7}\): no differences, 5 unchanged\n$/);
    }
  });

  test('one edit of a preset: every task that extends it, at the preset’s line', async () => {
    const text =
      'apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: fees }\nspec:\n  for: sniper\n  config:\n';
    repository.write('presets/fees.yaml', `${text}    relay_mode:\n      tip_amount: 0.005\n`);
    repository.write('manifests/new.yaml', label('cold', '  sort_order: 3\n'));
    repository.write('manifests/others.yaml', sniperTemplate('base'));
    const { code, stdout } = await render([], { diff: 'HEAD' });
    expect(code).toBe(0);
    expect(
      stdout.replace(/\([0-9a-f]{7}\)/, '(COMMIT)'),
    ).toBe(`Compared with HEAD (COMMIT): 1 created, 2 changed, 1 removed, 2 unchanged

Created (1)
  + label/cold
    + name: cold                                            manifests/new.yaml:4
    + sort_order: 3                                         manifests/new.yaml:5

Changed (2)
  ~ sniper/beta
    ~ config.relay_mode.tip_amount: 0.0010 → 0.005           presets/fees.yaml:8
  ~ sniper/gamma
    ~ config.relay_mode.tip_amount: 0.0010 → 0.005           presets/fees.yaml:8

Removed (1)
  - label/hot
    - name: hot
    - sort_order: 0
`);
    expect((await render([], { diff: 'HEAD', detailedExitcode: true })).code).toBe(2);
  });

  test('of addresses on either side; a rename is found by both of its names', async () => {
    const texts = [
      sniper().replace('name: alpha', 'name: omega\n  previous_name: alpha'),
      sniper({ name: 'beta' }),
    ];
    repository.write('manifests/tasks.yaml', texts.join('---\n'));
    repository.write(
      'tradeform.yaml',
      `${PROJECT}spec: { manifests: ["{manifests,presets}/*.yaml"], stopped_tasks: resume }\n`,
    );
    for (const name of ['sniper/omega', 'sniper/alpha']) {
      const { stdout } = await render([name], { diff: 'HEAD' });
      expect(stdout).toContain('~ sniper/omega: renamed from sniper/alpha\n');
      expect(stdout).not.toContain('sniper/beta');
      expect(stdout).not.toContain('stopped_tasks');
    }
    expect((await render(['sniper/gamma'], { diff: 'HEAD' })).stdout).toMatch(
      /^Compared with .*\n\nRemoved \(1\)\n {2}- sniper\/gamma\n/,
    );
    expect((await render([], { diff: 'HEAD' })).stdout).toMatch(
      /^Compared with .*\n\nSettings \(1\)\n {2}~ project\n {4}~ stopped_tasks: hold → resume\n\n/,
    );
    const { code, diagnostics } = await render(['sniper/delta'], { diff: 'HEAD' });
    expect({ code, diagnostics }).toMatchObject({
      code: 3,
      diagnostics: [
        { code: 'target-unknown', message: 'sniper/delta matches nothing in the manifests or at HEAD' },
      ],
    });
  });

  test('uses the named environment at both revisions', async () => {
    const project = (state: string) => `${PROJECT}spec:
  environments:
    a: { patches: [{ target: "sniper/*", patch: { spec: { state: ${state} } } }] }
    b: {}
`;
    repository.git('rm', '-q', '-r', 'presets');
    repository.write('manifests/tasks.yaml', sniper());
    repository.write('tradeform.yaml', project('paused'));
    repository.commit();
    repository.write('tradeform.yaml', project('manual'));
    expect((await render([], { diff: 'HEAD', environment: 'a' })).stdout).toContain(
      '~ state: paused → manual',
    );
    expect((await render([], { diff: 'HEAD' }, { TRADEFORM_ENVIRONMENT: 'b' })).stdout).toContain(
      'no differences',
    );
  });

  test('-o json', async () => {
    repository.write(
      'presets/fees.yaml',
      'apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: fees }\nspec: { for: sniper, config: { relay_mode: { tip_amount: 1 } } }\n',
    );
    const { code, stdout, stderr } = await render(['sniper/*'], {
      diff: 'main',
      output: 'json',
      detailedExitcode: true,
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      format: 'tradeform.result/1',
      command: 'render',
      ok: false,
      exit_code: 2,
      diagnostics: [],
      project: 'core',
      environment: null,
      base: { revision: 'main', commit: repository.git('rev-parse', 'main') },
      settings: [],
      resources: ['sniper/beta', 'sniper/gamma'].map((address) => ({
        address,
        action: 'changed',
        fields: [
          {
            path: 'config.relay_mode.tip_amount',
            before: '0.0010',
            after: '1',
            sensitive: false,
            origin: { file: 'presets/fees.yaml', line: 4, column: 58 },
          },
        ],
      })),
      unchanged: 1,
    });
  });

  test('that cannot be read', async () => {
    expect(await render([], { diff: 'nope' })).toMatchObject({
      code: 3,
      stdout: '',
      diagnostics: [{ code: 'revision-unknown' }],
    });
  });
});

test.each([
  [{ detailedExitcode: true }, '--detailed-exitcode needs --diff'],
  [{ diff: 'main', origin: true }, '--origin does not work with --diff'],
  [{ diff: '--origin' }, '"--origin" is not a git revision'],
] as const)('options without a meaning together: %j', async (options, text) => {
  writeProject();
  repository.commit();
  expect(await render([], options)).toMatchObject({
    code: 3,
    diagnostics: [{ code: 'invalid-option', message: expect.stringContaining(text) }],
  });
});
