import { GUARDRAILS } from '../../desired/guardrails/settings.ts';
import { CommandFailure, type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import { didYouMean, guessFirst } from '../../diagnostics/suggest.ts';

/** `--override GUARDRAIL=PLAN_DIGEST`: allows the refusals of one guardrail, only for the plan with that digest. */
export interface Override {
  /** A guardrail's name, or `policy/NAME`. */
  readonly guardrail: string;
  /** The plan's digest: 64 hex digits in lower case. */
  readonly digest: string;
}

const DIGEST = /^[0-9a-f]{64}$/;
/** Number of digits in a message. They are for reading alone: nothing is approved by them. */
const SHOWN = 16;

/**
 * The overrides. `policies`: names of the project's policies. `others`: what can be overridden besides guardrails. Fails (exit 3)
 * for texts that cannot be parsed: they are typing errors, reported before anything is written.
 */
export function requireOverrides(
  texts: readonly string[],
  policies: readonly string[],
  others: readonly string[] = [],
): readonly Override[] {
  const known = [...GUARDRAILS, ...policies.map(policyName), ...others];
  const results = texts.map((text) => parseOverride(text, known));
  const wrong = results.filter((result): result is Diagnostic => 'code' in result);
  if (wrong.length > 0) throw new CommandFailure(3, wrong);
  return results.filter((result): result is Override => 'guardrail' in result);
}

function parseOverride(text: string, known: readonly string[]): Override | Diagnostic {
  const at = text.indexOf('=');
  const guardrail = at < 0 ? text : text.slice(0, at);
  const digest = at < 0 ? '' : text.slice(at + 1).toLowerCase();
  if (!known.includes(guardrail)) {
    return invalid(
      `--override ${text}: unknown guardrail ${JSON.stringify(guardrail)}`,
      guessFirst(didYouMean(guardrail, known), `The guardrails are ${known.join(', ')}.`),
    );
  }
  if (!isDigest(digest)) {
    return invalid(
      `--override ${text}: write the digest of a plan after ${guardrail}=`,
      `${DIGEST_HINT} The message of a refused plan shows it.`,
    );
  }
  return { guardrail, digest };
}

/**
 * True for a complete digest in lower case. The beginning of a digest approves nothing: whoever writes a change could search for
 * two plans with the same beginning, and have the harmless one reviewed.
 */
export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** The hint for a text that is no complete digest. */
export const DIGEST_HINT =
  'Write all 64 hexadecimal digits: two plans with the same first digits can be found in minutes.';

function invalid(message: string, hint: string): Diagnostic {
  return problem('invalid-option', message, hint);
}

export function policyName(name: string): string {
  return `policy/${name}`;
}

export function optionFor(guardrail: string, digest: string): string {
  return `--override ${guardrail}=${digest}`;
}

/** The first digits of a digest, for reading. What is copied from a message is the whole digest. */
export function shortDigest(digest: string): string {
  return digest.slice(0, SHOWN);
}
