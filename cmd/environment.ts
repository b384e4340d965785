import { insteadOf } from '../src/core/command/instead.ts';
import { type Diagnostic, warning } from '../src/core/diagnostics/diagnostic.ts';
import { didYouMean } from '../src/core/diagnostics/suggest.ts';

const PREFIX = 'TRADEFORM_';
/** The register of variables, without their prefix: what tradeform reads, and what the jobs in examples/ci have. */
const SETTINGS = [
  ...['BASE_URL', 'CONFIRMED_HOSTS', 'DEADLINE', 'DEBUG', 'ENVIRONMENT', 'GITLAB_TOKEN', 'JOURNAL'],
  ...['NOTIFICATIONS', 'TOKEN', 'TOKEN_FILE'],
  ...['FLEET', 'IMAGE', 'ONLY', 'PROJECT_NAME', 'REPOSITORY'],
];
/** Tokens, whose places a project names; base URLs of environments; what Kubernetes sets for a service of this name. */
const NAMED_BY_OTHERS = /^(?:(?:\w+_)?TOKEN(?:_\w+)?|BASE_URL_\w+|(?:SERVICE|PORT)(?:_\w+)?)$/;

/** A warning for each variable that looks like a setting and is none: a misspelt one would be ignored. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): readonly Diagnostic[] {
  return Object.keys(env)
    .flatMap((name) => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : []))
    .filter((name) => !SETTINGS.includes(name) && !NAMED_BY_OTHERS.test(name))
    .map((name) => {
      const near = didYouMean(name, SETTINGS)?.replace('mean ', `mean ${PREFIX}`);
      const hint = insteadOf(PREFIX + name) ?? near ?? 'the variables are in docs/reference/environment.md';
      return warning(
        'env-unknown',
        `tradeform has no setting ${PREFIX}${name}; the variable is ignored`,
        hint,
      );
    });
}
