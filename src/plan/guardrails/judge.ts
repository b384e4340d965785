import {
  GUARDRAILS,
  type Guardrail,
  type GuardrailAction,
  type GuardrailLimits,
  type GuardrailName,
  type Limits,
} from '../../desired/guardrails/settings.ts';
import { type Location, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { matchesAddress } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import type { PlanDiagnostic, Override as PlanOverride } from '../../model/generated/plan.ts';
import { aboutSecret } from '../../model/secret.ts';
import { BASE_RULES, type BaseGuardrails, type UnknownRules } from '../rules/base-guardrails.ts';
import { maxAmount, maxFactor } from './amounts.ts';
import type { Guardrails } from './compiled.ts';
import { maxChanges, maxDeletes, maxStarts } from './counts.ts';
import { allowedDexes } from './dexes.ts';
import { maxExposure, maxExposureRise, maxTaskExposure } from './exposure.ts';
import { fieldFinding, type GuardrailFinding, type JudgedState } from './judged.ts';
import { type Override, optionFor, policyName, shortDigest } from './override.ts';
import { askPolicy } from './policy.ts';
import { protect } from './protect.ts';
import { allowedWallets, forbiddenWallets } from './wallets.ts';

interface Check<Limit> {
  readonly code: DiagnosticCode;
  readonly find: (judged: JudgedState, guardrail: Guardrail<Limit>) => readonly GuardrailFinding[];
}

const CHECKS: { readonly [Name in GuardrailName]: Check<Limits[Name]> } = {
  protect: { code: 'guardrail-protect', find: protect },
  max_deletes: { code: 'guardrail-max-deletes', find: maxDeletes },
  max_changes: { code: 'guardrail-max-changes', find: maxChanges },
  max_starts: { code: 'guardrail-max-starts', find: maxStarts },
  max_exposure: { code: 'guardrail-max-exposure', find: maxExposure },
  max_exposure_rise: { code: 'guardrail-max-exposure-rise', find: maxExposureRise },
  max_task_exposure: { code: 'guardrail-max-task-exposure', find: maxTaskExposure },
  max_buy_amount: { code: 'guardrail-max-buy-amount', find: maxAmount('buy_amount') },
  max_tip: { code: 'guardrail-max-tip', find: maxAmount('tip') },
  max_priority_fee: { code: 'guardrail-max-priority-fee', find: maxAmount('priority_fee') },
  max_slippage: { code: 'guardrail-max-slippage', find: maxAmount('slippage') },
  max_factor: { code: 'guardrail-max-factor', find: maxFactor },
  allowed_dexes: { code: 'guardrail-allowed-dexes', find: allowedDexes },
  allowed_wallets: { code: 'guardrail-allowed-wallets', find: allowedWallets },
  forbidden_wallets: { code: 'guardrail-forbidden-wallets', find: forbiddenWallets },
  require_label: { code: 'guardrail-require-label', find: requireLabel },
};

/** The findings of one guardrail. */
interface GuardrailFindings {
  /** The name in `--override`. */
  readonly guardrail: string;
  readonly code: DiagnosticCode;
  readonly action: GuardrailAction;
  readonly findings: readonly GuardrailFinding[];
}

/**
 * Judges a plan by the guardrails (DESIGN 8). A finding is refused if it becomes worse than it is live; a value that is
 * over a limit already, and is left or lowered, gets a warning. If this change loosens a guardrail, the guardrail of
 * `base` is applied, too: the looser one may only be used by a later change. An override is for the plan with its
 * digest and no other.
 */
export function judge(
  judged: JudgedState,
  guardrails: Guardrails,
  digest: string,
  overrides: readonly Override[],
  base?: BaseGuardrails,
): {
  /** Diagnostics; an error among them refuses the plan. */
  readonly diagnostics: readonly PlanDiagnostic[];
  /** The overrides that allowed something. */
  readonly overrides: readonly PlanOverride[];
} {
  const found = [
    ...findAll(judged, guardrails).map(withoutSecrets),
    ...(base === undefined
      ? []
      : findAll({ ...judged, book: base.wallets }, base)
          .map(withoutSecrets)
          .map(ofBase(base))),
    ...(base?.unknown === undefined ? [] : [unknownRules(base.unknown)]),
  ];
  const matching = (guardrail: string) =>
    overrides.find((override) => override.guardrail === guardrail && digest === override.digest);
  return {
    diagnostics: [
      ...found.flatMap((one) =>
        diagnosticsOf(one, judged.what, digest, matching(one.guardrail) !== undefined),
      ),
      ...overrides.flatMap((override) => useless(override, found, judged.what, digest)),
      ...unusedPatterns(judged, guardrails),
    ],
    overrides: found.flatMap(({ guardrail, action, findings }) => {
      const override = matching(guardrail);
      const refusals = findings.filter(({ worse }) => worse && action === 'refuse').length;
      return override === undefined || refusals === 0 ? [] : [{ ...override, findings: refusals }];
    }),
  };
}

function findAll(judged: JudgedState, { limits, policies }: Guardrails): readonly GuardrailFindings[] {
  const room = { left: MOST.policySteps };
  return [
    ...GUARDRAILS.flatMap((name) => findOne(name, judged, limits)),
    ...policies.map((policy): GuardrailFindings => {
      const findings = askPolicy(judged, policy, room);
      return {
        guardrail: policyName(policy.name),
        code: 'guardrail-policy',
        action: policy.action,
        findings,
      };
    }),
  ];
}

/** The words of a finding about a secret value are not shown: a sum, a factor or the name of a wallet would say it. */
function withoutSecrets({ findings, ...found }: GuardrailFindings): GuardrailFindings {
  const { code, guardrail } = found;
  return {
    ...found,
    findings: findings.map((finding) => {
      const { secret, address } = finding;
      if (secret === undefined) return finding;
      const said = aboutSecret(`${address}: ${secret}`, code);
      const message = `${said}${said.includes(guardrail) ? '' : ` (${guardrail})`}.`;
      return { ...finding, message, hint: 'Correct the variable.' };
    }),
  };
}

/** Only findings that the plan causes: existing ones are reported by the current guardrails. */
function ofBase({ name }: BaseGuardrails): (found: GuardrailFindings) => GuardrailFindings {
  return ({ findings, ...found }) => ({
    ...found,
    findings: findings
      .filter(({ worse }) => worse)
      .map((finding) => ({
        ...finding,
        message: `${finding.message} This guardrail is taken from the base, ${name}, because this change loosens it.`,
        hint: 'Change the manifests, or loosen the guardrail first, in a separate change.',
      })),
  });
}

/** The base's guardrails cannot be applied, so the plan is refused as a whole. */
function unknownRules(unknown: UnknownRules): GuardrailFindings {
  return {
    guardrail: BASE_RULES,
    code: 'base-rules-unknown',
    action: 'refuse',
    findings: [{ ...unknown, worse: true }],
  };
}

function findOne<Name extends GuardrailName>(
  name: Name,
  judged: JudgedState,
  limits: GuardrailLimits,
): readonly GuardrailFindings[] {
  const guardrail: Guardrail<Limits[Name]> | undefined = limits[name];
  if (guardrail === undefined) return [];
  const { code, find } = CHECKS[name];
  return [{ guardrail: name, code, action: guardrail.action, findings: find(judged, guardrail) }];
}

function diagnosticsOf(
  { guardrail, code, action, findings }: GuardrailFindings,
  what: JudgedState['what'],
  digest: string,
  overridden: boolean,
): readonly PlanDiagnostic[] {
  return findings.map(({ message, hint, address, location, worse }) => {
    const refuses = worse && action === 'refuse' && !overridden;
    const place = location === undefined ? {} : { location: { ...location } };
    const about = { code, ...(address === undefined ? {} : { address }), ...place };
    if (refuses) {
      const way = `${hint} Or allow exactly this ${what}: ${optionFor(guardrail, digest)}`;
      return { ...about, severity: 'error', message, hint: way };
    }
    const why = !worse
      ? ` This was already so, and this ${what} does not make it worse.`
      : overridden && action === 'refuse'
        ? ` Allowed by --override ${guardrail}.`
        : '';
    return {
      ...about,
      severity: 'warning',
      message: `${message}${why}`,
      ...(why === '' || !worse ? { hint } : {}),
    };
  });
}

/**
 * Reports an override for another plan, or for a guardrail that refuses nothing here: whoever gave it expected
 * something else.
 */
function useless(
  override: Override,
  found: readonly GuardrailFindings[],
  what: JudgedState['what'],
  digest: string,
): readonly PlanDiagnostic[] {
  const { guardrail } = override;
  const refuses = found.some(
    (one) =>
      one.guardrail === guardrail && one.action === 'refuse' && one.findings.some(({ worse }) => worse),
  );
  if (digest !== override.digest) {
    const text = `--override ${guardrail} names the ${what} ${shortDigest(override.digest)}, but this is ${shortDigest(digest)}`;
    return [
      {
        severity: refuses ? 'error' : 'warning',
        code: 'override-other-plan',
        message: refuses
          ? `${text}: it does not allow this ${what}.`
          : `${text}; ${guardrail} refuses nothing in it.`,
        hint: refuses
          ? `Review this ${what}. To allow it: ${optionFor(guardrail, digest)}`
          : 'Remove the option.',
      },
    ];
  }
  if (refuses) return [];
  return [
    warning(
      'override-unused',
      `--override ${guardrail}: this guardrail refuses nothing in this ${what}.`,
      'Remove the option.',
    ),
  ];
}

/** `require_label`: every task has a label, or one of a list. */
function requireLabel(
  { resources }: JudgedState,
  { limit }: Guardrail<Limits['require_label']>,
): readonly GuardrailFinding[] {
  const allowed = limit === true ? undefined : limit.map(({ text }) => text);
  const wants = allowed === undefined ? 'requires one' : `requires one of ${allowed.join(', ')}`;
  return resources.flatMap((resource) => {
    const { after } = resource;
    if (!('label' in after)) return [];
    const { address, label } = after;
    if (label !== null && (allowed === undefined || allowed.includes(label))) return [];
    const message = `${address} has ${label === null ? 'no label' : `the label ${label}`}, but require_label ${wants}.`;
    const { before } = resource;
    const worse = before === undefined || !('label' in before) || before.label !== label;
    return [fieldFinding(resource, 'label', { message, hint: 'Write spec.label.' }, worse)];
  });
}

/**
 * Warnings for entries of `protect` and targets of policies that match nothing: a typing error there would protect
 * nothing, unnoticed.
 */
function unusedPatterns(
  { resources, labels, removals, ownedAddresses }: JudgedState,
  { limits, policies }: Guardrails,
): readonly PlanDiagnostic[] {
  // Policies see tasks and templates.
  const known = [...resources.map((resource): string => resource.after.address), ...ownedAddresses];
  const protectable = [...known, ...[...labels, ...removals].map(({ address }) => address)];
  return [
    ...(limits.protect?.limit ?? []).flatMap(({ text, location }) =>
      unused(text, 'protect contains', protectable, location),
    ),
    ...policies.flatMap(({ name, target, location }) =>
      unused(target, `policy ${name} is for`, known, location),
    ),
  ];
}

function unused(
  pattern: string,
  who: string,
  known: readonly string[],
  location: Location | undefined,
): readonly PlanDiagnostic[] {
  if (pattern === '*' || known.some((address) => matchesAddress(pattern, address))) return [];
  const near = didYouMean(pattern, known);
  return [
    {
      severity: 'warning',
      code: 'guardrail-unused',
      message: `${who} ${pattern}, which matches nothing: no manifest, and no task of this project.`,
      hint: near === undefined ? 'Correct the entry, or remove it.' : `D${near.slice(1)}`,
      ...(location === undefined ? {} : { location: { ...location } }),
    },
  ];
}
