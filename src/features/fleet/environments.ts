import { basename, dirname } from 'node:path';
import { isConfirmed, tokenHost } from '../../command/confirmed-hosts.ts';
import { resolveConnection } from '../../command/connection.ts';
import type { Io } from '../../command/io.ts';
import { refuseTogether } from '../../command/options.ts';
import { CommandFailure, type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import { readEnvironments, readSettings } from '../../project/settings.ts';
import { checkBaseUrl } from '../../service/http/base-url.ts';
import type { PauseOptions } from '../switch/pause.ts';
import type { ReadyFleet } from './fleet.ts';
import { type BoundUnit, unitEnvironment, withoutServices } from './run-unit.ts';
import { type Unit, variableName } from './units.ts';

/**
 * The environments of a project as a fleet that is not written down: one unit for each, with its own token and base URL. The token
 * comes from `TRADEFORM_TOKEN_<NAME>` or `TRADEFORM_TOKEN_FILE_<NAME>`, else from the place in the project file, if the operator
 * confirmed the host for it. Nobody is asked.
 */
export async function environmentFleet(options: PauseOptions, io: Io): Promise<ReadyFleet> {
  const given = {
    '--environment': options.environment,
    '--base-url': options.baseUrl,
    '--token-file': options.tokenFile,
    '--project-name': options.projectName,
  };
  refuseTogether('--all-environments', given, 'which is for one environment', 'Remove one of them.');
  const place = { cwd: io.cwd, projectFile: options.project, env: io.env };
  const { environments, path, diagnostics, sources } = readEnvironments(place);
  if (path === undefined) throw new CommandFailure(3, diagnostics, sources);
  if (environments.length === 0) throw new CommandFailure(3, [NONE]);
  const bound = await Promise.all(environments.map((environment) => bind(environment, path, io)));
  const units = bound.map(({ unit }) => unit);
  const name = bound.find(({ project }) => project !== undefined)?.project ?? '';
  return {
    fleet: { name, units, file: basename(path), path, sources, diagnostics: [] },
    bound,
    chosen: environments,
    shard: undefined,
    env: unitEnvironment(io.env, units, bound),
  };
}

const NONE: Diagnostic = problem(
  'environment-unknown',
  '--all-environments: the project file has no environments',
  'Remove --all-environments.',
);

/** What an environment needs to run, or why it cannot: without a token, or if `TRADEFORM_BASE_URL` would send all tokens to one host. */
async function bind(environment: string, path: string, { cwd, env, masking }: Io): Promise<BoundUnit> {
  const { settings, diagnostics, sources } = readSettings({ cwd, env, projectFile: path, environment });
  const key = variableName(environment);
  const [tokenName, fileName, urlName] = [
    `TRADEFORM_TOKEN_${key}`,
    `TRADEFORM_TOKEN_FILE_${key}`,
    `TRADEFORM_BASE_URL_${key}`,
  ];
  // TRADEFORM_TOKEN_FILE_EU is the token file of eu, and would also be the token of file-eu.
  const ambiguous = key === 'FILE' || key.startsWith('FILE_');
  const file = env[fileName] || undefined;
  const token = ambiguous ? undefined : env[tokenName] || undefined;
  const baseUrl = env[urlName] || undefined;
  const unit: Unit = {
    name: environment,
    folder: dirname(path),
    environment,
    projectName: undefined,
    baseUrl: baseUrl ?? settings?.baseUrl ?? '',
    token: { env: tokenName },
    account: undefined,
    tags: [],
    wave: 1,
    declared: ({ code, message, hint }) => ({
      severity: 'error',
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
    }),
  };
  const bound = { unit, project: settings?.project, sources };
  if (settings === undefined) return { ...bound, diagnostics };
  const said: Diagnostic[] = [];
  if (token === undefined && file === undefined && settings.token === undefined) {
    const message = `no token is set for the environment ${environment}`;
    const hint = `Set ${ambiguous ? '' : `${tokenName}, or `}${fileName} to a file that contains it. TRADEFORM_TOKEN is for one environment.`;
    said.push(problem('token-missing', message, hint));
  }
  if (env.TRADEFORM_BASE_URL && baseUrl === undefined) {
    const message = `TRADEFORM_BASE_URL is set, and would send the token of ${environment} to the same host as all other tokens`;
    said.push(problem('base-url-invalid', message, `Unset TRADEFORM_BASE_URL, or set ${urlName}.`));
  }
  if (said.length > 0) return { ...bound, diagnostics: said };
  const own = {
    ...withoutServices(env),
    TRADEFORM_TOKEN: token ?? (file === undefined ? namedToken(settings, unit.baseUrl, env) : undefined),
    TRADEFORM_TOKEN_FILE: file,
  };
  const { connection, diagnostics: more } = await resolveConnection(
    { baseUrl },
    { env: own, cwd, masking },
    settings,
  );
  return { ...bound, ...(connection === undefined ? {} : { token: connection.token }), diagnostics: more };
}

/** The value of the variable that the project file names for the token, whatever its name, if its host is confirmed. */
function namedToken(
  { token, projectDir }: NonNullable<ReturnType<typeof readSettings>['settings']>,
  baseUrl: string,
  env: Io['env'],
): string | undefined {
  const url = checkBaseUrl(baseUrl);
  if (!url.ok || token === undefined || !('env' in token)) return undefined;
  return isConfirmed(tokenHost(token, url.url, projectDir), env) ? env[token.env] : undefined;
}
