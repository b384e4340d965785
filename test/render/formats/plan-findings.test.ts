import { describe, expect, it } from 'vitest';
import type { DocumentFindings } from '../../../src/core/documents/document.ts';
import { planFindings } from '../../../src/core/documents/plan.ts';
import { applyFindings } from '../../../src/core/documents/report.ts';
import type { Change, Plan, PlanDiagnostic } from '../../../src/core/model/generated/plan.ts';
import type { ApplyReport, ChangeResult } from '../../../src/core/model/generated/report.ts';
import { githubText } from '../../../src/kit/formats/github.ts';
import { gitlabText } from '../../../src/kit/formats/gitlab.ts';
import { sarifText } from '../../../src/kit/formats/sarif.ts';
import { planWith, reportWith } from '../hostile-plan.ts';
import { change, emptyPlan, field, richPlan } from '../rich-plan.ts';
import { runnerCommands } from './runner.ts';
import { gitlabProblem, sarifProblem } from './validators.ts';

function valid(found: DocumentFindings): void {
  const document = { command: 'plan', exitCode: 1, ...found };
  expect(sarifProblem(JSON.parse(sarifText(document)))).toBe('');
  expect(gitlabProblem(JSON.parse(gitlabText(document)))).toBe('');
  expect(runnerCommands(githubText(document))).toHaveLength(githubText(document).split('\n').length - 1);
}

const ORIGIN = { file: 'manifests/a.yaml', line: 4, column: 3 };
const REFUSAL: PlanDiagnostic = {
  severity: 'error',
  code: 'guardrail-max-tip',
  message: 'sniper/a: tip over 1',
  address: 'sniper/a',
};

function plan(changes: readonly Change[], diagnostics: readonly PlanDiagnostic[] = []): Plan {
  return { ...emptyPlan(), changes: [...changes], diagnostics: [...diagnostics] };
}

const UPDATE = change('sniper/a', {
  actions: ['update', 'start'],
  reason: 'differs',
  starts_trading: true,
  operations: ['sniper/a#1'],
  fields: [field('config.buy_amount', '1', '2', { origin: ORIGIN })],
});
const BLOCKED = change('sniper/b', { blocked: { text: 'two of them', ids: [] }, reason: 'conflict' });
const HELD = change('sniper/c', { held: true, reason: 'stopped-outside', operations: [] });
const SAME = change('sniper/d', { operations: [] });

describe('a plan', () => {
  it('has a finding for what is blocked, and none for what it does or leaves held', () => {
    const document = planFindings(plan([UPDATE, BLOCKED, HELD, SAME]));
    expect(document.findings).toEqual([
      {
        rule: 'plan/blocked',
        level: 'warning',
        message: 'sniper/b is blocked: two of them',
        address: 'sniper/b',
      },
    ]);
  });

  it('has an error for each refusal', () => {
    const other: PlanDiagnostic = { severity: 'error', code: 'guardrail-max-changes', message: 'too many' };
    const { findings } = planFindings(plan([UPDATE], [REFUSAL, other]));
    expect(findings.map(({ level, rule, address }) => [level, rule, address])).toEqual([
      ['error', 'guardrail-max-changes', undefined],
      ['error', 'guardrail-max-tip', 'sniper/a'],
    ]);
  });

  it('a refusal that the base has too is a warning and fails no check', () => {
    const document = planFindings(plan([UPDATE], [{ ...REFUSAL, provenance: 'before' }]));
    expect(document.findings.map(({ level }) => level)).toEqual(['warning']);
  });

  it('is valid in every format, whatever its texts are', () => {
    valid(planFindings(richPlan()));
    valid(planFindings(planWith('x\n::error::]]>&\u0000\u202e')));
  });
});

function result(
  address: string,
  status: ChangeResult['status'],
  parts: Partial<ChangeResult> = {},
): ChangeResult {
  return {
    address,
    kind: 'sniper',
    id: null,
    actions: ['update'],
    status,
    text: status === 'done' ? '' : `It is ${status}.`,
    fields: [],
    operations: [],
    request_ids: [],
    paused_ms: null,
    former: null,
    ...parts,
  };
}

function report(changes: readonly ChangeResult[], parts: Partial<ApplyReport> = {}): ApplyReport {
  return { ...reportWith('x'), changes: [...changes], left_paused: [], diagnostics: [], ...parts };
}

describe('an apply', () => {
  const failed = (request: string) =>
    result('sniper/a', 'failed', {
      text: `Refused (${request}).`,
      error: { code: 'quota_exceeded', status: 403, message: 'no room', fields: [] },
      request_ids: [request],
    });

  it('has an error for what failed, is unknown or blocked, a warning for what was skipped, and nothing for the rest', () => {
    const changes = [
      failed('req_1'),
      result('sniper/b', 'unknown'),
      result('sniper/c', 'blocked'),
      result('sniper/d', 'skipped'),
      result('sniper/e', 'held'),
      result('sniper/f', 'done', { request_ids: ['req_9'] }),
    ];
    const document = applyFindings(report(changes, { outcome: 'incomplete' }), plan([UPDATE]));
    expect(document.findings.map(({ rule, level }) => `${level} ${rule}`)).toEqual([
      'error apply/failed',
      'error apply/unknown',
      'error apply/blocked',
      'warning apply/skipped',
    ]);
    expect(document.findings[0]).toMatchObject({
      message: 'sniper/a: Refused (req_1). quota_exceeded (403): no room',
      hint: 'The account has no room: delete something, or ask the provider for more.',
      location: ORIGIN,
    });
    expect([...document.rules.keys()]).toEqual(
      expect.arrayContaining(document.findings.map(({ rule }) => rule)),
    );
  });

  it('says first what was left paused, and stays green if everything is done', () => {
    const paused = [{ address: 'sniper/a', id: null, text: 'The service did not answer.' }];
    const document = applyFindings(report([failed('req_1')], { left_paused: paused }), plan([UPDATE]));
    expect(document.findings[0]).toMatchObject({
      rule: 'apply/left-paused',
      level: 'error',
      location: ORIGIN,
    });
    const done = applyFindings(report([result('sniper/a', 'done')], { outcome: 'done' }), plan([UPDATE]));
    expect(done.findings).toEqual([]);
  });

  it('knows a failure again although it names another request', () => {
    const mark = (request: string) => {
      const text = gitlabText({
        command: 'apply',
        exitCode: 1,
        ...applyFindings(report([failed(request)]), plan([UPDATE])),
      });
      return (JSON.parse(text) as { fingerprint: string }[])[0]?.fingerprint;
    };
    expect(mark('req_2')).toBe(mark('req_1'));
  });

  it('that was interrupted did not do its work', () => {
    const { completed } = applyFindings(report([], { outcome: 'interrupted' }), plan([]));
    expect(completed).toBe(false);
  });

  it('is valid in every format, whatever its texts are', () => {
    const text = 'x\n::error::]]>&\u0000\u202e';
    valid(applyFindings(reportWith(text), planWith(text)));
  });
});
