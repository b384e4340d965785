import type { Problem } from '../../manifest/manifest.ts';
import { encodingsOf } from '../../model/encodings.ts';

/**
 * Variables in which CI systems, clouds and registries keep credentials, including tradeform's own. A pull request must not be
 * able to send one to the service as the value of a field.
 */
const NAMES = new RegExp(
  `^(?:${[
    'TRADEFORM_TOKEN(?:_\\w+)?',
    // GitHub, Gitea, Forgejo
    '(?:GITHUB|GH|GITEA|FORGEJO)_(?:\\w+_)?(?:TOKEN|PAT)',
    'ACTIONS_(?:RUNTIME|ID_TOKEN_REQUEST|CACHE|RESULTS)_\\w+',
    // GitLab
    'GITLAB_(?:\\w+_)?(?:TOKEN|PAT)|CI_(?:JOB|BUILD)_(?:TOKEN|JWT\\w*)|CI_REPOSITORY_URL',
    'CI_(?:REGISTRY|DEPLOY|DEPENDENCY_PROXY)_PASSWORD',
    // Other CI systems
    'BITBUCKET_\\w*TOKEN|CIRCLE_\\w*TOKEN\\w*|BUILDKITE_\\w*TOKEN|DRONE_\\w*(?:TOKEN|PASSWORD)|TRAVIS_\\w*TOKEN',
    'SYSTEM_ACCESSTOKEN|AZURE_DEVOPS_EXT_PAT|JENKINS_\\w*TOKEN|CODECOV_TOKEN|SONAR_TOKEN|VAULT_TOKEN',
    // Registries
    'NPM_\\w*TOKEN|NODE_AUTH_TOKEN|YARN_NPM_AUTH_TOKEN|CARGO_REGISTRY\\w*_TOKEN|TWINE_PASSWORD',
    'DOCKER_(?:\\w+_)?(?:PASSWORD|TOKEN)|DOCKER_AUTH_CONFIG',
    // Clouds
    'AWS_\\w*(?:SECRET|TOKEN|ACCESS_KEY)\\w*|(?:ARM|AZURE)_\\w*(?:SECRET|KEY|TOKEN|PASSWORD)',
    'GOOGLE_\\w*(?:CREDENTIALS|TOKEN|SECRET)|(?:GCLOUD|CLOUDSDK)_\\w*(?:TOKEN|CREDENTIALS?)\\w*',
    'SSH_AUTH_SOCK|SSH_PRIVATE_KEY',
  ].join('|')})$`,
  'i',
);

/** The forms of credentials, whatever their variable is called. */
const FORMS = [
  /svc_live_[0-9a-f]{8}\.[\x21-\x7e]/i,
  /\b(?:gh[a-z]_|github_pat_|gl(?:pat|ptt|cbt|dt|rt|ft|agent|soat|oas)-|npm_)\w{20}/,
  // A JSON Web Token, a private key, a URL with a password.
  /\beyJ[\w-]+\.eyJ[\w-]+\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /:\/\/[^\s/@]*:[^\s/@]+@/,
];
/** How an encoded token begins. */
const ENCODED = encodingsOf('svc_live_').filter((text) => text !== 'svc_live_');
/** Shorter values of such variables are switches and not credentials. */
const SHORTEST = 6;

/** The values in an environment that are credentials, in every encoding. For the service's token, also its secret part alone. */
export function credentialsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (!NAMES.test(name)) return [];
    return [value, ...secretPart(value)].filter((text) => text.length >= SHORTEST).flatMap(encodingsOf);
  });
}

/**
 * Reports that `${env.NAME}` holds a credential, by its name, its form or a value among `credentials`. The value is not
 * repeated.
 */
export function credentialProblem(
  name: string,
  value: string,
  credentials: readonly string[],
): Problem | undefined {
  const says = NAMES.test(name)
    ? 'has the name of a credential'
    : FORMS.some((form) => form.test(value)) || ENCODED.some((text) => value.includes(text))
      ? 'has the form of a credential'
      : credentials.some((text) => value.includes(text))
        ? 'contains the same credential as another variable'
        : undefined;
  if (says === undefined) return undefined;
  return {
    code: 'env-credential',
    message: `the environment variable ${name} ${says}; its value would be stored in a task`,
    hint: 'a token or password must never become part of a manifest; use a variable that holds only the value of this field',
  };
}

function secretPart(token: string): readonly string[] {
  const [, secret] = /^svc_live_[0-9a-f]{8}\.(.+)$/.exec(token) ?? [];
  return secret === undefined ? [] : [secret];
}
