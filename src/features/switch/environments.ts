import { isConfirmed, tokenHost } from '../../command/confirmed-hosts.ts';
import { worstCode } from '../../command/exit-codes.ts';
import type { Io } from '../../command/io.ts';
import { refuseTogether } from '../../command/options.ts';
import { diagnosticsText } from '../../command/show-diagnostics.ts';
import { CommandFailure, type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import { readEnvironments, readSettings } from '../../project/settings.ts';
import { jsonText } from '../../render/result.ts';
import { checkBaseUrl } from '../../service/http/base-url.ts';
import type { OperatorOptions } from './context.ts';

/** A command for one environment. Returns its exit code or throws a {@link CommandFailure}. */
type One = (options: OperatorOptions, io: Io) => Promise<number>;

interface Ended {
  readonly environment: string;
  readonly code: number;
  readonly stdout: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Runs a command for every environment of the project at once, each with its own token and base URL, as if called with
 * `--environment`. A failure in one environment does not stop the others. Returns the worst exit code. The token comes from
 * `TRADEFORM_TOKEN_<NAME>` or `TRADEFORM_TOKEN_FILE_<NAME>`, else from the place in the project file, if the operator confirmed
 * the host for it. Nobody is asked.
 */
export async function inAllEnvironments(options: OperatorOptions, io: Io, one: One): Promise<number> {
  refuseSingle(options);
  const { environments, diagnostics, sources } = readEnvironments({
    cwd: io.cwd,
    projectFile: options.project,
    env: io.env,
  });
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics, sources);
  if (environments.length === 0) throw new CommandFailure(3, [NONE]);
  const ended = await Promise.all(environments.map((name) => run(name, options, io, one)));
  const code = worstCode(ended.map((end) => end.code));
  if (options.output === 'json') io.stdout(jsonText(documentOf(ended, code)));
  else for (const end of ended) io.stdout(textOf(end, io));
  return code;
}

const NONE: Diagnostic = problem(
  'environment-unknown',
  '--all-environments: the project file has no environments',
  'Remove --all-environments.',
);

/** Refuses options that can only concern one environment. */
function refuseSingle({ environment, baseUrl, tokenFile, projectName }: OperatorOptions): void {
  const given = {
    '--environment': environment,
    '--base-url': baseUrl,
    '--token-file': tokenFile,
    '--project-name': projectName,
  };
  refuseTogether('--all-environments', given, 'which is for one environment', 'Remove one of them.');
}

async function run(environment: string, options: OperatorOptions, io: Io, one: One): Promise<Ended> {
  let stdout = '';
  const take = (text: string) => {
    stdout += text;
  };
  const tell = (text: string) => io.stderr(text.replace(/^(?=.)/gm, `${environment}: `));
  try {
    const own = Object.create(io, {
      stdout: { value: take },
      stderr: { value: tell },
      // Several live areas would draw over each other.
      stderrIsTTY: { value: false },
      env: { value: ownEnvironment(environment, io.env, () => namedToken(environment, options, io)) },
    }) as Io;
    const code = await one({ ...options, environment }, own);
    return { environment, code, stdout, diagnostics: [] };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { environment, code: error.exitCode, stdout, diagnostics: error.diagnostics };
  }
}

/** `eu-west` → `EU_WEST`. */
function keyOf(environment: string): string {
  return environment.toUpperCase().replaceAll('-', '_');
}

/**
 * The settings for the token that the project file names. Undefined if it names none. The value of a confirmed `token_env` is
 * bound to its confirmed host, so that a project file that changes in the meantime cannot redirect it. Everything else is read and
 * judged later, as without `--all-environments`.
 */
function namedToken(
  environment: string,
  { project }: OperatorOptions,
  { cwd, env }: Io,
): Io['env'] | undefined {
  const { settings } = readSettings({ cwd, env, projectFile: project, environment });
  if (settings?.token === undefined) return undefined;
  const url = checkBaseUrl(env[`TRADEFORM_BASE_URL_${keyOf(environment)}`] || (settings.baseUrl ?? ''));
  const token = 'env' in settings.token ? env[settings.token.env] : undefined;
  if (!url.ok || !token) return {};
  const host = tokenHost(settings.token, url.url, settings.projectDir);
  return isConfirmed(host, env) ? { TRADEFORM_TOKEN: token, TRADEFORM_BASE_URL: url.url } : {};
}

/**
 * The process environment as one environment of the project sees it: with its own token and base URL, and without those of others.
 * Fails (exit 3) without a token, and if `TRADEFORM_BASE_URL` would send every token to one host.
 */
function ownEnvironment(
  environment: string,
  env: Io['env'],
  tokenNamed: () => ReturnType<typeof namedToken>,
): Io['env'] {
  const key = keyOf(environment);
  const [token, file, url] = [
    `TRADEFORM_TOKEN_${key}`,
    `TRADEFORM_TOKEN_FILE_${key}`,
    `TRADEFORM_BASE_URL_${key}`,
  ];
  // TRADEFORM_TOKEN_FILE_EU is the token file of eu, and would also be the token of file-eu.
  const ambiguous = key === 'FILE' || key.startsWith('FILE_');
  const own = { token: ambiguous ? undefined : env[token] || undefined, file: env[file] || undefined };
  const baseUrl = env[url] || undefined;
  const isOwn = own.token !== undefined || own.file !== undefined;
  const named = isOwn ? undefined : tokenNamed();
  if (!isOwn && named === undefined) {
    const message = `no token is set for the environment ${environment}`;
    const hint = `Set ${ambiguous ? '' : `${token}, or `}${file} to a file that contains it. TRADEFORM_TOKEN is for one environment.`;
    throw CommandFailure.of(3, 'token-missing', message, hint);
  }
  if (env.TRADEFORM_BASE_URL && baseUrl === undefined) {
    const message = `TRADEFORM_BASE_URL is set, and would send the token of ${environment} to the same host as all other tokens`;
    throw CommandFailure.of(3, 'base-url-invalid', message, `Unset TRADEFORM_BASE_URL, or set ${url}.`);
  }
  return {
    ...withoutServices(env),
    ...(own.token === undefined ? { TRADEFORM_TOKEN_FILE: own.file } : { TRADEFORM_TOKEN: own.token }),
    ...(baseUrl === undefined ? {} : { TRADEFORM_BASE_URL: baseUrl }),
    ...named,
  };
}

/** The process environment without everything that names a service, an account or an environment. */
export function withoutServices(env: Io['env']): Io['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_ENVIRONMENTS.test(name)));
}

const OF_ENVIRONMENTS = /^TRADEFORM_(?:TOKEN|BASE_URL|ENVIRONMENT)(?:_|$)/;

function documentOf(ended: readonly Ended[], exitCode: number) {
  return {
    format: 'tradeform.result/1',
    command: 'pause',
    ok: exitCode === 0,
    exit_code: exitCode,
    diagnostics: [],
    environments: ended.map(({ environment, code, stdout, diagnostics }) => ({
      environment,
      exit_code: code,
      report: stdout === '' ? null : (JSON.parse(stdout) as unknown),
      diagnostics: diagnostics.map((diagnostic) => ({ ...diagnostic })),
    })),
  };
}

function textOf({ environment, code, stdout, diagnostics }: Ended, io: Io): string {
  const said =
    diagnostics.length === 0
      ? ''
      : `${diagnosticsText(diagnostics, io, new Map(), { columns: io.columns, color: io.color.stdout })}\n`;
  return `Environment ${environment}${code === 0 ? '' : ` (ended with ${code})`}\n${stdout}${said}\n`;
}
