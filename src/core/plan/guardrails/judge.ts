import { manifestOf } from '../../desired/as-manifest.ts';
import {
  GUARDRAILS,
  type Guardrail,
  type GuardrailAction,
  type GuardrailLimits,
  type GuardrailName,
  type Limits,
} from '../../desired/guardrails/settings.ts';
import { type Location, problem, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../diagnostics/suggest.ts';
import { parsePath, withAt } from '../../manifest/spans.ts';
import { matchesAddress } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import { compareDecimals } from '../../model/decimal.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import type { PlanDiagnostic, Override as PlanOverride } from '../../model/generated/plan.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import { aboutSecret } from '../../model/secret.ts';
import { BASE_RULES, type BaseGuardrails, type UnknownRules } from '../rules/rules.ts';
import { formerSpots, spotsOf } from '../stakes/amounts.ts';
import { CHECKS, codeOf } from './checks.ts';
import type { Guardrails, Policy, PolicyProblem, PolicyRoom } from './compiled.ts';
import {
  fieldFinding,
  type GuardrailFinding,
  type JudgedResource,
  type JudgedState,
  shownValue,
} from './judged.ts';
import { type Override, optionFor, policyName, shortDigest } from './override.ts';

interface GuardrailFindings {
  /** The name in `--override`. */
  readonly guardrail: string;
  readonly code: DiagnosticCode;
  readonly action: GuardrailAction;
  readonly place?: Location | undefined;
  readonly findings: readonly GuardrailFinding[];
}

/**
 * Judges a plan by the guardrails (DESIGN 8). A finding is refused if it becomes worse than it is live; a value that is
 * over a limit already, and is left or lowered, gets a warning. If this change loosens a guardrail, the guardrail of
 * `base` is applied, too: the looser one may only be used by a later change. An override is for the plan with its
 * digest and no other; `inJob`: nobody can pass one to a job of GitHub or GitLab.
 */
export function judge(
  judged: JudgedState,
  guardrails: Guardrails,
  digest: string,
  overrides: readonly Override[],
  base?: BaseGuardrails,
  inJob = false,
): {
  readonly diagnostics: readonly PlanDiagnostic[];
  readonly overrides: readonly PlanOverride[];
} {
  const found = [
    ...findAll(judged, guardrails),
    ...(base === undefined ? [] : findAll({ ...judged, book: base.wallets }, base).map(ofBase(base))),
    ...(base?.unknown === undefined ? [] : [unknownRules(base.unknown)]),
  ];
  const { what } = judged;
  const allowed = new Set(overrides.flatMap((one) => (one.digest === digest ? one.guardrail : [])));
  return {
    diagnostics: [
      ...found.flatMap((one) => {
        const option = optionFor(one.guardrail, digest);
        const command = what === 'plan' ? `\`tradeform apply ${option}\`` : option;
        const way = inJob ? '' : ` For this ${what} alone: ${command}`;
        return diagnosticsOf(one, allowed.has(one.guardrail), way, what);
      }),
      ...overrides.flatMap((override) => useless(override, found, what, digest)),
      ...unusedPatterns(judged, guardrails),
    ],
    overrides: found.flatMap(({ guardrail, action, findings }) => {
      const refusals = findings.filter(({ worse }) => worse && action === 'refuse').length;
      return allowed.has(guardrail) && refusals > 0 ? [{ guardrail, digest, findings: refusals }] : [];
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
        place: policy.location,
        findings,
      };
    }),
  ].map(withoutSecrets);
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
      return { ...finding, message, hint: 'Correct the variable' };
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
  const { action, location: place } = guardrail;
  const findings = CHECKS[name](judged, guardrail);
  return [{ guardrail: name, code: codeOf(name), action, place, findings }];
}

/** `raise max_tip (tradeform.yaml:13) in a change of its own`. A default is nowhere. */
function loosening(guardrail: string, place: Location | undefined): string {
  if (place === undefined) return `set ${guardrail} in the project file, in a change of its own`;
  const verb = guardrail.startsWith('max_') ? 'raise' : 'edit';
  return `${verb} ${guardrail} (${place.file}:${place.line}) in a change of its own`;
}

function diagnosticsOf(
  { guardrail, code, action, place, findings }: GuardrailFindings,
  overridden: boolean,
  override: string,
  what: JudgedState['what'],
): readonly PlanDiagnostic[] {
  return findings.map((finding) => {
    const { message, address, location, worse, limit = place } = finding;
    const hint =
      guardrail === BASE_RULES ? finding.hint : `${finding.hint}, or ${loosening(guardrail, limit)}.`;
    const refuses = worse && action === 'refuse' && !overridden;
    const about = { address, location };
    if (refuses) {
      return problem(code, message, hint + override, about);
    }
    const why = !worse
      ? ` This was already so, and this ${what} does not make it worse.`
      : overridden && action === 'refuse'
        ? ` Allowed by --override ${guardrail}.`
        : '';
    return warning(code, `${message}${why}`, why === '' || !worse ? hint : undefined, about);
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
  if (digest === override.digest) {
    const text = `--override ${guardrail}: this guardrail refuses nothing in this ${what}.`;
    return refuses ? [] : [warning('override-unused', text, 'Remove the option.')];
  }
  const text = `--override ${guardrail} names the ${what} ${shortDigest(override.digest)}, but this is ${shortDigest(digest)}`;
  const idle = `${text}; ${guardrail} refuses nothing in it.`;
  if (!refuses) return [warning('override-other-plan', idle, 'Remove the option.')];
  const hint = `Review this ${what}. To allow it: ${optionFor(guardrail, digest)}`;
  return [problem('override-other-plan', `${text}: it does not allow this ${what}.`, hint)];
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
  const message = `${who} ${pattern}, which matches nothing: no manifest, and no task of this project.`;
  const hint = near === undefined ? 'Correct the entry, or remove it.' : `D${near.slice(1)}`;
  return [warning('guardrail-unused', message, hint, { location })];
}

/**
 * Checks tasks and templates as they will be: compiled as `tradeform render` prints them, with the live values that
 * `ignore_changes` keeps. If one fails, its current form is checked as well. If there are more findings than can be
 * shown, those that do not refuse the plan are left out first.
 */
function askPolicy(
  { resources }: JudgedState,
  { name, message, target, check }: Policy,
  room: PolicyRoom,
): readonly GuardrailFinding[] {
  const findings: GuardrailFinding[] = [];
  const ended = /[.!?]$/.test(message) ? message : `${message}.`;
  let refuses = false;
  for (const resource of resources) {
    const { after, written, starts } = resource;
    if (!matchesAddress(target, after.address)) continue;
    if (findings.length > MOST.diagnostics && (refuses || !written)) continue;
    const problems = check(manifestOf(after), room);
    const before = problems.length > 0 && written && !starts ? resource.before : undefined;
    const former = before === undefined ? [] : check(manifestOf(before), room);
    const wasSo = (problem: PolicyProblem) => former.some((was) => isNoWorse(problem, was));
    // A problem with a whole object (`anyOf`) does not name its field.
    const whole = problems.some((problem) => isObject(problem.value ?? null) && !wasSo(problem));
    const left =
      whole && before !== undefined
        ? check(manifestOf(withoutLess(resource, before)), room).filter(wasSo)
        : [];
    const stays = ({ path, text, value }: PolicyProblem) =>
      isObject(value ?? null) && left.some((one) => one.path === path && one.text === text);
    for (const problem of problems) {
      const { path, value, text, hint } = problem;
      const field = path.replace(/^spec\.?/, '');
      const is = hint === undefined ? `${path} is ${shownValue(resource, field, value)}, and ` : '';
      const says = hint === undefined ? `says it ${text}` : text;
      const said = {
        message: `${ended} ${after.address}: ${is}policy ${name} ${says}.`,
        hint: hint ?? 'Change the field',
      };
      const finding = fieldFinding(resource, field, said, !wasSo(problem) && !stays(problem));
      findings.push(finding);
      refuses ||= finding.worse;
    }
  }
  return findings;
}

/** The resource as it will be, but with the live amounts where they are lowered, and running if it stops. */
function withoutLess(
  { after, definition }: JudgedResource,
  before: JudgedResource['after'],
): JudgedResource['after'] {
  const spots = spotsOf(definition, after.config);
  const former = formerSpots(spotsOf(definition, before.config), spots);
  const pairs = spots.map((spot) => ({ spot, was: former(spot) }));
  const running = 'state' in after && 'state' in before && after.state === 'paused';
  const config = pairs.some(({ spot, was }) => spot.awake && was?.awake !== true)
    ? after.config
    : pairs.reduce<Json>(
        (kept, { spot: { path, value }, was }) =>
          was === undefined || compareDecimals(value, was.value) > 0
            ? kept
            : withAt(kept, parsePath(path).slice(1), was.value),
        after.config,
      );
  return { ...after, ...(running ? { state: before.state } : {}), config: config as JsonObject };
}

/** True if the same field failed before for the same reason, and its value is unchanged or nearer to the policy. */
function isNoWorse({ path, text, value, bound }: PolicyProblem, was: PolicyProblem): boolean {
  if (was.path !== path || was.text !== text) return false;
  if (typeof value === 'string' && typeof was.value === 'string' && bound !== undefined) {
    const order = compareDecimals(value, was.value);
    return bound === 'most' ? order <= 0 : order >= 0;
  }
  return jsonEqual(withoutNote(value), withoutNote(was.value));
}

/** The document of a problem without its note, which says nothing about trading. */
function withoutNote(value: Json = null): Json {
  if (!isObject(value)) return value;
  const { remark: _, spec, ...rest } = value;
  return spec === undefined ? rest : { ...rest, spec: withoutNote(spec) };
}
