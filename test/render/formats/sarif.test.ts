import { describe, expect, it } from 'vitest';
import type { FindingsDocument } from '../../../src/core/render/finding.ts';
import { sarifText } from '../../../src/kit/formats/sarif.ts';
import fc from '../../properties.ts';
import { documentOf, errorAt, hostileDocument } from './hostile.ts';
import { sarifProblem } from './validators.ts';

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number; readonly startColumn: number };
    };
    readonly logicalLocations?: readonly { readonly fullyQualifiedName: string }[];
  }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
}

interface Run {
  readonly tool: {
    readonly driver: {
      readonly rules: readonly { readonly id: string; readonly help: { readonly text: string } }[];
    };
  };
  readonly automationDetails: { readonly id: string };
  readonly invocations: readonly { readonly exitCode: number; readonly executionSuccessful: boolean }[];
  readonly results: readonly Result[];
}

function runOf(document: FindingsDocument): Run {
  const log = JSON.parse(sarifText(document)) as { runs: readonly Run[] };
  expect(sarifProblem(log)).toBe('');
  const [run] = log.runs;
  if (run === undefined) throw new Error('no run');
  return run;
}

describe('the schema', () => {
  it('refuses what is no SARIF', () => {
    expect(sarifProblem({ version: '2.1.0', runs: [{ results: [] }] })).not.toBe('');
    const tool = { driver: { name: 'x' } };
    expect(sarifProblem({ version: '2.1.0', runs: [{ tool, odd: 1 }] })).not.toBe('');
    expect(sarifProblem({ version: '2.1.0', runs: [{ tool }] })).toBe('');
  });
});

describe('a SARIF log', () => {
  it('has the place, the rule with its help, the level and the hint', () => {
    const warning = errorAt('manifests/b.yaml', 9, {
      rule: 'slippage-inert',
      level: 'warning',
      address: 'sniper/b',
    });
    const run = runOf(
      documentOf([errorAt('manifests/a b.yaml', 3, { hint: 'Write active.' }), warning], {
        version: '1.2.3',
        root: { folder: 'desk/one', projectFile: 'tradeform.yaml' },
      }),
    );
    expect(run.results[0]).toEqual({
      ruleId: 'invalid-value',
      ruleIndex: 0,
      level: 'error',
      message: { text: 'spec.state: "on" is not allowed\nWrite active.' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'desk/one/manifests/a%20b.yaml' },
            region: { startLine: 3, startColumn: 5 },
          },
        },
      ],
      partialFingerprints: { 'tradeform/v1': expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    expect(run.results[1]).toMatchObject({ level: 'warning', ruleIndex: 1 });
    expect(run.results[1]?.locations[0]?.logicalLocations).toEqual([{ fullyQualifiedName: 'sniper/b' }]);
    expect(run.tool.driver.rules.map(({ id }) => id)).toEqual(['invalid-value', 'slippage-inert']);
    expect(run.tool.driver.rules[0]?.help.text).toBe(
      'A value is not one of the allowed values. See docs/reference/codes/invalid-value.md or `tradeform explain invalid-value`.',
    );
    expect(run.tool.driver).toMatchObject({ name: 'tradeform', version: '1.2.3' });
    expect(run.automationDetails.id).toBe('tradeform/validate/desk/one/');
  });

  it('puts findings without a place at the beginning of the project file', () => {
    const root = { folder: 'desk', projectFile: 'other.yaml' };
    const bare = { rule: 'token-missing', level: 'error', message: 'no token' } as const;
    const [result] = runOf(documentOf([bare], { root })).results;
    expect(result?.locations[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: 'desk/other.yaml' },
      region: { startLine: 1, startColumn: 1 },
    });
    expect(runOf(documentOf([bare])).results[0]?.locations[0]).toMatchObject({
      physicalLocation: { artifactLocation: { uri: 'tradeform.yaml' } },
    });
  });

  it.each([
    [{ exitCode: 3, completed: true }, true],
    [{ exitCode: 3 }, false],
    [{ exitCode: 2 }, true],
    [{ exitCode: 0 }, true],
    [{ exitCode: 1 }, false],
  ])('says for %j whether the command did its work: %s', (more, executionSuccessful) => {
    expect(runOf(documentOf([], more)).invocations).toEqual([
      { exitCode: more.exitCode, executionSuccessful },
    ]);
  });

  it('explains rules that are no diagnostic codes in the given words', () => {
    const rules = new Map([['drift/changed', 'Somebody changed it.']]);
    const run = runOf(documentOf([errorAt('a.yaml', 1, { rule: 'drift/changed' })], { rules }));
    expect(run.tool.driver.rules).toEqual([
      {
        id: 'drift/changed',
        shortDescription: { text: 'Somebody changed it.' },
        help: { text: 'Somebody changed it.' },
      },
    ]);
  });

  it('is valid whatever the texts are, with relative URIs, existing rules and no link of others', () => {
    fc.assert(
      fc.property(hostileDocument, (document) => {
        const { results, tool } = runOf(document);
        expect(results).toHaveLength(document.findings.length);
        for (const { locations, message, ruleId, ruleIndex } of results) {
          const uri = locations[0]?.physicalLocation.artifactLocation.uri ?? '';
          const resolved = new URL(uri, 'https://example.invalid/repo/');
          expect(resolved.href.startsWith('https://example.invalid/repo/')).toBe(true);
          expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
          expect(message.text).not.toMatch(/\]\(/);
          expect(message.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u2066\u200d]/);
        }
      }),
    );
  });
});
