import { describe, expect, test } from 'vitest';
import type { GuardrailLimits } from '../../../src/core/desired/guardrails/settings.ts';
import { requireOverrides } from '../../../src/core/plan/guardrails/override.ts';
import { isRefused } from '../../../src/core/plan/plan.ts';
import { desiredState, desiredTask, liveState, sniperConfig } from '../../support/builders.ts';
import { brief, limit, planUnder, said, type World } from './judging.ts';

const MODE = { tip_amount: '2', priority_fee: '0.0005', slippage: '90' };

function dear(buy: string): World {
  const config = sniperConfig({ buy_amount: buy, relay_mode: MODE });
  return { desired: desiredState([desiredTask('a', { config })]), live: liveState([]) };
}

const LIMITS: GuardrailLimits = { max_slippage: limit('50'), max_tip: limit('1') };
const THIS = planUnder(LIMITS, dear('0.5'));
const OTHER = planUnder(LIMITS, dear('0.6'));

function overriding(...overrides: readonly { guardrail: string; digest: string }[]) {
  return planUnder(LIMITS, { ...dear('0.5'), options: { overrides } });
}

describe('--override', () => {
  test('two plans that differ have two digests', () => {
    expect(THIS.digest).not.toBe(OTHER.digest);
    expect(brief(THIS)).toEqual([
      'error guardrail-max-tip sniper/a',
      'error guardrail-max-slippage sniper/a',
    ]);
  });

  test('lets one guardrail through for the plan with the digest', () => {
    const { digest } = THIS;
    const plan = overriding({ guardrail: 'max_slippage', digest });
    expect(brief(plan)).toEqual([
      'error guardrail-max-tip sniper/a',
      'warning guardrail-max-slippage sniper/a',
    ]);
    expect(said(plan)[1]?.message).toContain('Allowed by --override max_slippage.');
    expect(plan.overrides).toEqual([{ guardrail: 'max_slippage', digest, findings: 1 }]);
    expect(isRefused(plan)).toBe(true);
  });

  test('allows a plan if every refusal is named', () => {
    const { digest } = THIS;
    const plan = overriding({ guardrail: 'max_slippage', digest }, { guardrail: 'max_tip', digest });
    expect(isRefused(plan)).toBe(false);
    expect(plan.overrides?.map(({ guardrail }) => guardrail)).toEqual(['max_tip', 'max_slippage']);
  });

  test('does not change the digest', () => {
    expect(overriding({ guardrail: 'max_slippage', digest: THIS.digest }).digest).toBe(THIS.digest);
    expect(planUnder({}, dear('0.5')).digest).toBe(THIS.digest);
  });

  test('of another plan allows nothing, and names this plan', () => {
    const plan = overriding({ guardrail: 'max_slippage', digest: OTHER.digest });
    expect(brief(plan)).toEqual([
      'error guardrail-max-tip sniper/a',
      'error guardrail-max-slippage sniper/a',
      'error override-other-plan',
    ]);
    expect(plan.overrides).toBeUndefined();
    const [, , told] = said(plan);
    expect(told?.message).toContain(OTHER.digest.slice(0, 16));
    expect(told?.message).toContain(THIS.digest.slice(0, 16));
    expect(told?.hint).toContain(`--override max_slippage=${THIS.digest}`);
  });

  test('of a guardrail that refuses nothing is reported', () => {
    const overrides = [
      { guardrail: 'max_tip', digest: THIS.digest },
      { guardrail: 'max_slippage', digest: OTHER.digest },
    ];
    const limits = { max_slippage: limit('99'), max_tip: limit('9') };
    const plan = planUnder(limits, { ...dear('0.5'), options: { overrides } });
    expect(brief(plan)).toEqual(['warning override-unused', 'warning override-other-plan']);
    expect(plan.overrides).toBeUndefined();
  });
});

describe('reading --override', () => {
  test('a name and a digest', () => {
    const texts = [`max_tip=${THIS.digest}`, `policy/tips=${THIS.digest.toUpperCase()}`];
    expect(requireOverrides(texts, ['tips'])).toEqual([
      { guardrail: 'max_tip', digest: THIS.digest },
      { guardrail: 'policy/tips', digest: THIS.digest },
    ]);
  });

  test.each([
    ['max_tips=0123456789ab', 'unknown guardrail "max_tips"', 'Did you mean max_tip?'],
    ['policy/tipps=0123456789ab', 'unknown guardrail "policy/tipps"', 'Did you mean policy/tips?'],
    ['policies=0123456789ab', 'unknown guardrail "policies"', 'policy/tips'],
    ['max_tip', 'write the digest of a plan after max_tip=', 'all 64 hexadecimal digits'],
    [`max_tip=${THIS.digest.slice(0, 12)}`, 'write the digest of a plan after max_tip=', 'in minutes'],
    [`max_tip=${THIS.digest.slice(0, 63)}`, 'write the digest of a plan after max_tip=', 'in minutes'],
    [`max_tip=${THIS.digest}0`, 'write the digest of a plan after max_tip=', 'all 64 hexadecimal digits'],
    [`max_tip=${'x'.repeat(64)}`, 'write the digest of a plan after max_tip=', 'all 64 hexadecimal digits'],
  ])('%s is a mistake', (text, message, hint) => {
    const diagnostic = {
      ...{ code: 'invalid-option', message: expect.stringContaining(message) },
      hint: expect.stringContaining(hint),
    };
    expect(() => requireOverrides([text], ['tips'])).toThrow(
      expect.objectContaining({ exitCode: 3, diagnostics: [expect.objectContaining(diagnostic)] }),
    );
  });
});
