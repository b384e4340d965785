import { describe, expect, test } from 'vitest';
import { STANDARD } from '../../src/core/desired/guardrails/settings.ts';
import { readGuardedProject } from '../../src/core/desired/project-rules.ts';
import { Source } from '../../src/core/manifest/source.ts';
import { PROJECT } from '../manifest/samples.ts';

function read(spec: string, environment?: string) {
  return readGuardedProject(new Source('tradeform.yaml', PROJECT + spec), environment);
}

const TWO = `spec:
  environments:
    staging: { base_url: https://staging.invalid/v1 }
    production:
      base_url: https://example.invalid/v1
      account: { login_username: whales, token_prefix: svc_live_0a1b2c3d }
`;

test('defaults', () => {
  const { settings, guardrails, diagnostics } = read('');
  expect({ settings, guardrails, diagnostics }).toEqual({
    diagnostics: [],
    guardrails: { limits: STANDARD, policies: [] },
    settings: {
      project: 'core',
      environment: null,
      manifests: [
        { pattern: 'manifests/**/*.yaml', location: { file: 'tradeform.yaml', line: 1, column: 1 } },
      ],
      pruneTasks: 'delete',
      stoppedTasks: 'hold',
      settle: { update: 0, replace: 60_000 },
    },
  });
});

test('everything', () => {
  const spec = `spec:
  manifests: ["a/*.yaml", "b.yaml"]
  prune: { tasks: never }
  stopped_tasks: resume
  settle: { update: 500ms, replace: 2m }
  base_url: https://example.invalid/v1
  account: { token_prefix: svc_live_0a1b2c3d }
  guardrails: {}
`;
  const { settings, diagnostics } = read(spec);
  expect({ settings, diagnostics }).toEqual({
    diagnostics: [],
    settings: {
      project: 'core',
      environment: null,
      manifests: [
        { pattern: 'a/*.yaml', location: { file: 'tradeform.yaml', line: 5, column: 15 } },
        { pattern: 'b.yaml', location: { file: 'tradeform.yaml', line: 5, column: 27 } },
      ],
      pruneTasks: 'never',
      stoppedTasks: 'resume',
      settle: { update: 500, replace: 120_000 },
      baseUrl: 'https://example.invalid/v1',
      baseUrlLocation: { file: 'tradeform.yaml', line: 9, column: 13 },
      account: { token_prefix: 'svc_live_0a1b2c3d' },
    },
  });
});

describe('environments', () => {
  test('the named one', () => {
    expect(read(TWO, 'production').settings).toMatchObject({
      environment: 'production',
      baseUrl: 'https://example.invalid/v1',
      account: { login_username: 'whales', token_prefix: 'svc_live_0a1b2c3d' },
    });
    expect(read(TWO, 'staging').settings).toMatchObject({
      environment: 'staging',
      baseUrl: 'https://staging.invalid/v1',
    });
    expect(read(TWO, 'staging').settings).not.toHaveProperty('account');
  });

  test('one is the default', () => {
    expect(read('spec: { environments: { only: {} } }\n').settings).toMatchObject({ environment: 'only' });
  });

  test('several and none named', () => {
    expect(read(TWO)).toEqual({
      diagnostics: [
        expect.objectContaining({
          code: 'environment-ambiguous',
          hint: '--environment production | staging, or set TRADEFORM_ENVIRONMENT',
          location: { file: 'tradeform.yaml', line: 5, column: 3 },
        }),
      ],
    });
  });

  test.each([
    [TWO, 'prodution', 'did you mean production?'],
    [TWO, 'prod', 'did you mean production?'],
    [TWO, 'zzz', 'the environments are production, staging'],
    ['', 'production', 'it names no environments'],
  ])('an unknown one (%#)', (spec, environment, hint) => {
    expect(read(spec, environment)).toEqual({
      diagnostics: [expect.objectContaining({ code: 'environment-unknown', hint })],
    });
  });

  test('two that pin one account, by either pin', () => {
    for (const pin of ['login_username: whales', 'token_prefix: svc_live_0a1b2c3d']) {
      const spec = `spec: { environments: { a: { account: { ${pin} } }, b: { account: { ${pin} } } } }\n`;
      expect(read(spec, 'a').diagnostics).toEqual([expect.objectContaining({ code: 'account-shared' })]);
    }
  });
});

test('waiting for more than an hour gets a warning', () => {
  expect(read('spec: { settle: { update: 60m } }\n').settings?.settle.update).toBe(3_600_000);
  expect(read('spec: { settle: { update: 3601s, replace: 61m } }\n').diagnostics).toEqual([
    expect.objectContaining({ code: 'out-of-range', message: 'spec.settle.update: at most 60m' }),
    expect.objectContaining({ code: 'out-of-range', message: 'spec.settle.replace: at most 60m' }),
  ]);
});
