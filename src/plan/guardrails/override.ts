import { GUARDRAILS } from '../../desired/guardrails/settings.ts';
import { type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';

/** `--override GUARDRAIL=PLAN_DIGEST`: allows the refusals of one guardrail, only for the plan with that digest. */
export interface Override {
  /** A guardrail's name, or `policy/NAME`. */
  readonly guardrail: string;
  /** The first hex digits of the plan's digest, at least 12. */
  readonly digest: string;
}

const DIGEST = /^[0-9a-f]{12,64}$/;
/** Number of digits in a hint: more than enough to identify a plan. */
const SHOWN = 16;

/**
 * Parses the options. `policies`: names of the project's policies. `others`: what can be overridden besides guardrails.
 * A text that cannot be parsed is an `invalid-option`.
 */
export function parseOverrides(
  texts: readonly string[],
  policies: readonly string[],
  others: readonly string[] = [],
): { readonly overrides: readonly Override[]; readonly diagnostics: readonly Diagnostic[] } {
  const known = [...GUARDRAILS, ...policies.map(policyName), ...others];
  const results = texts.map((text) => parseOverride(text, known));
  return {
    overrides: results.filter((result): result is Override => 'guardrail' in result),
    diagnostics: results.filter((result): result is Diagnostic => 'code' in result),
  };
}

function parseOverride(text: string, known: readonly string[]): Override | Diagnostic {
  const at = text.indexOf('=');
  const guardrail = at < 0 ? text : text.slice(0, at);
  const digest = at < 0 ? '' : text.slice(at + 1).toLowerCase();
  if (!known.includes(guardrail)) {
    const near = didYouMean(guardrail, known);
    const list = `The guardrails are ${known.join(', ')}.`;
    return invalid(
      `--override ${text}: unknown guardrail ${JSON.stringify(guardrail)}`,
      near === undefined ? list : `D${near.slice(1)} ${list}`,
    );
  }
  if (!isDigest(digest)) {
    return invalid(
      `--override ${text}: write the digest of a plan after ${guardrail}=`,
      'The digest is hexadecimal: all of it, or at least its first 12 digits. The message of a refused plan shows it.',
    );
  }
  return { guardrail, digest };
}

/** True for a plan's digest in lower case, or for a beginning that is long enough to identify it. */
export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

function invalid(message: string, hint: string): Diagnostic {
  return problem('invalid-option', message, hint);
}

export function policyName(name: string): string {
  return `policy/${name}`;
}

/** The option that would allow this plan. */
export function optionFor(guardrail: string, digest: string): string {
  return `--override ${guardrail}=${shortDigest(digest)}`;
}

export function shortDigest(digest: string): string {
  return digest.slice(0, SHOWN);
}
