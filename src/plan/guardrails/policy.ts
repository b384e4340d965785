import { manifestOf } from '../../desired/as-manifest.ts';
import { matchesAddress } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import { compareDecimals } from '../../model/decimal.ts';
import { isObject, type Json, jsonEqual } from '../../model/json.ts';
import type { Policy, PolicyProblem, PolicyRoom } from './guardrails.ts';
import { type Finding, fieldFinding, type Scene, shown } from './scene.ts';

/**
 * Tasks and templates as they will be: compiled, as `tradeform render` prints them, with the live values that `ignore_changes`
 * keeps. What is there already is asked as well where something does not pass. Of more findings than are told those are left
 * out that refuse nothing, and, once one refuses, the others.
 */
export function askPolicy(
  { resources }: Scene,
  { name, message, target, check }: Policy,
  room: PolicyRoom,
): readonly Finding[] {
  const findings: Finding[] = [];
  let refuses = false;
  for (const resource of resources) {
    const { after, before, written, starts } = resource;
    if (!matchesAddress(target, after.address)) continue;
    if (findings.length > MOST.diagnostics && (refuses || !written)) continue;
    const problems = check(manifestOf(after), room);
    const compared = problems.length > 0 && written && !starts && before !== undefined;
    const former = compared ? check(manifestOf(before), room) : [];
    for (const problem of problems) {
      const { path, value, text, hint } = problem;
      const field = path.replace(/^spec\.?/, '');
      const is = hint === undefined ? `${path} is ${shown(resource, field, value)}, and ` : '';
      const says = hint === undefined ? `says it ${text}` : text;
      const said = {
        message: `${sentence(message)} ${after.address}: ${is}policy ${name} ${says}.`,
        hint: hint ?? 'Change the field.',
      };
      const finding = fieldFinding(resource, field, said, !former.some((was) => isNoWorse(problem, was)));
      findings.push(finding);
      refuses ||= finding.worse;
    }
  }
  return findings;
}

/** The same field did not pass for the same reason, and is as it was or nearer to what the policy wants. */
function isNoWorse({ path, text, value, bound }: PolicyProblem, was: PolicyProblem): boolean {
  if (was.path !== path || was.text !== text) return false;
  if (typeof value === 'string' && typeof was.value === 'string' && bound !== undefined) {
    const order = compareDecimals(value, was.value);
    return bound === 'most' ? order <= 0 : order >= 0;
  }
  return jsonEqual(withoutNote(value) ?? null, withoutNote(was.value) ?? null);
}

/** Of a problem with the whole document: its note says nothing of what it trades. */
function withoutNote(value: Json | undefined): Json | undefined {
  if (value === undefined || !isObject(value)) return value;
  const { remark: _, spec, ...rest } = value;
  return { ...rest, ...(spec === undefined ? {} : { spec: withoutNote(spec) ?? null }) };
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
