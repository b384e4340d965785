import { manifestOf } from '../../desired/as-manifest.ts';
import { matchesAddress } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import { compareDecimals } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import type { Policy, PolicyProblem, PolicyRoom } from './compiled.ts';
import { formerSpots, spotsOf } from './config-amounts.ts';
import {
  fieldFinding,
  type GuardrailFinding,
  type JudgedResource,
  type JudgedState,
  shownValue,
} from './judged.ts';

/**
 * Checks tasks and templates as they will be: compiled as `tradeform render` prints them, with the live values that
 * `ignore_changes` keeps. If one fails, its current form is checked as well. If there are more findings than can be
 * shown, those that do not refuse the plan are left out first.
 */
export function askPolicy(
  { resources }: JudgedState,
  { name, message, target, check }: Policy,
  room: PolicyRoom,
): readonly GuardrailFinding[] {
  const findings: GuardrailFinding[] = [];
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
        message: `${sentence(message)} ${after.address}: ${is}policy ${name} ${says}.`,
        hint: hint ?? 'Change the field.',
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
            : withAt(
                kept,
                path
                  .split(/[.[\]]+/)
                  .slice(1)
                  .filter((key) => key !== ''),
                was.value,
              ),
        after.config,
      );
  return {
    ...after,
    ...(running ? { state: before.state } : {}),
    config: config as JsonObject,
  };
}

function withAt(value: Json, [key, ...rest]: readonly string[], leaf: Json): Json {
  if (key === undefined) return leaf;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? withAt(item, rest, leaf) : item));
  return isObject(value) ? { ...value, [key]: withAt(value[key] ?? null, rest, leaf) } : value;
}

/** True if the same field failed before for the same reason, and its value is unchanged or nearer to the policy. */
function isNoWorse({ path, text, value, bound }: PolicyProblem, was: PolicyProblem): boolean {
  if (was.path !== path || was.text !== text) return false;
  if (typeof value === 'string' && typeof was.value === 'string' && bound !== undefined) {
    const order = compareDecimals(value, was.value);
    return bound === 'most' ? order <= 0 : order >= 0;
  }
  return jsonEqual(withoutNote(value) ?? null, withoutNote(was.value) ?? null);
}

/** The document of a problem without its note, which says nothing about trading. */
function withoutNote(value: Json | undefined): Json | undefined {
  if (value === undefined || !isObject(value)) return value;
  const { remark: _, spec, ...rest } = value;
  return { ...rest, ...(spec === undefined ? {} : { spec: withoutNote(spec) ?? null }) };
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
