import type { ProjectSettings } from '../desired/project.ts';
import { CommandFailure, type Diagnostic, problem } from '../diagnostics/diagnostic.ts';
import { checkBaseUrl } from '../model/base-url.ts';
import { given } from '../model/given.ts';
import { checkToken } from '../model/token.ts';
import type { Api } from '../ports/api.ts';
import type { Clock } from '../ports/clock.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Progress } from '../ports/output.ts';
import type { HttpProxy } from '../ports/transport.ts';
import type { Masking } from '../render/masking/masking.ts';
import { type ApiLimits, createApi } from '../service/http/client.ts';
import { createHttpTransport } from '../service/http/transport.ts';
import { AdaptiveLimiter } from '../service/limits/limiter.ts';
import { SYSTEM_CLOCK, SYSTEM_RANDOM } from './clock.ts';
import { type TokenHost, tokenHost, unconfirmed, unconfirmedHosts } from './confirmed-hosts.ts';
import type { Io, StopSignals } from './io.ts';
import type { CommonOptions } from './options.ts';
import { proxyIn } from './proxy.ts';
import { type Tally, tallied } from './tally.ts';
import { readTokenFile } from './token-file.ts';
import { VERSION } from './version.ts';

export type ConnectionOptions = Pick<CommonOptions, 'baseUrl' | 'tokenFile'>;

/** What a project file says about the service and its token. The folder is absolute. */
export type ServicePlace = { readonly baseUrl?: string | undefined } & Partial<
  Pick<ProjectSettings, 'token' | 'tokenLocation'> & { readonly projectDir: string }
>;

/** Without a terminal nobody is asked. Relative token files start at `cwd`. `masking` is told the token, so that output hides it. */
type ConnectionContext = Pick<Io, 'env' | 'cwd' | 'masking'> &
  Partial<Pick<Io, 'ask' | 'stdinIsTTY' | 'stderrIsTTY' | 'stop'>>;

export interface Connection {
  readonly baseUrl: string;
  readonly token: string;
  /** The token's public part. */
  readonly tokenPrefix: string;
  readonly proxy?: HttpProxy | undefined;
}

export interface ConnectionResult {
  /** Undefined if something is missing or malformed. */
  readonly connection?: Connection;
  /** With a connection, warnings only. Else everything, reported at once (exit code 3). */
  readonly diagnostics: readonly Diagnostic[];
}

export const DEFAULT_CONCURRENCY = 8;
/** The maximum of pages that are read at the same time without `--concurrency`. */
const MOST_PAGES = 32;

/**
 * Base URL and token of the chosen environment (DESIGN 1): from an option, else an environment variable, else the project file.
 * A token comes from a file or a variable, never from an argument. The token that a project file names is read only after the
 * operator confirmed its host (DESIGN 12). Sends nothing.
 */
export async function resolveConnection(
  options: ConnectionOptions,
  context: ConnectionContext,
  project: ServicePlace = {},
): Promise<ConnectionResult> {
  const url = resolveBaseUrl(options, context.env, project.baseUrl);
  const token = await resolveToken(options, context, project, url.baseUrl);
  const diagnostics = [...url.diagnostics, ...token.diagnostics];
  if (url.baseUrl === undefined || token.token === undefined) return { diagnostics };
  const { baseUrl } = url;
  const { text, prefix: tokenPrefix } = token.token;
  context.masking.learnToken(text);
  const connection = { baseUrl, token: text, tokenPrefix, proxy: proxyIn(context.env) };
  return unlessHeld({ connection, diagnostics }, context);
}

/** The same, unless a variable that a manifest uses holds the token, as far as the manifests are read. */
function unlessHeld(
  { connection, diagnostics }: ConnectionResult,
  { masking }: ConnectionContext,
): ConnectionResult {
  const name = connection && masking.variableWith(connection.token);
  return name === undefined
    ? { ...given({ connection }), diagnostics }
    : { diagnostics: [...diagnostics, holdsToken(name)] };
}

function holdsToken(name: string): Diagnostic {
  return problem(
    'env-credential',
    `the environment variable ${name}, which a manifest uses, contains the token in use; the token would be stored in a task`,
    'A token must never become part of a manifest; use a variable that holds only the value of this field.',
  );
}

/**
 * The connection, with its warnings. Otherwise throws a {@link CommandFailure} that reports everything at once: exit code 4 if
 * nobody confirmed the token's host, else 3. To be called after the manifests are read. `resolved`: what is known already.
 */
export async function requireConnection(
  options: ConnectionOptions,
  context: ConnectionContext,
  project: ServicePlace | undefined,
  resolved?: ConnectionResult,
): Promise<Required<ConnectionResult>> {
  const result = resolved ?? (await resolveConnection(options, context, project));
  const { connection, diagnostics } = unlessHeld(result, context);
  if (connection !== undefined) return { connection, diagnostics };
  const refused = diagnostics.some(({ code }) => code === 'token-unconfirmed');
  throw new CommandFailure(refused ? 4 : 3, diagnostics);
}

export interface Session {
  readonly api: Api;
  /** Slots for requests that write. */
  readonly limiter: AdaptiveLimiter;
  /** Slots for pages of lists. Their number starts the same. Without `--concurrency` it grows while the service keeps pace. */
  readonly pages: Limiter;
  readonly clock: Clock;
  close(): Promise<void>;
}

interface SessionOptions {
  readonly progress?: Progress;
  readonly concurrency?: number | undefined;
  readonly limits?: Partial<ApiLimits>;
  readonly masking: Masking;
  /** Its signals are handled until the session is closed. */
  readonly stop?: StopSignals;
  readonly tally?: Tally | undefined;
}

/** Nothing is sent yet. Whoever connects closes the session. */
export function connect(connection: Connection, options: SessionOptions): Session {
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  const mostPages = options.concurrency ?? MOST_PAGES;
  const { baseUrl, proxy } = connection;
  const sending = createHttpTransport({ baseUrl, concurrency: mostPages, proxy });
  const transport = tallied(sending, options.tally);
  const [clock, random] = [SYSTEM_CLOCK, SYSTEM_RANDOM];
  const limiter = new AdaptiveLimiter({ most: concurrency, mostPages, clock, random });
  const api = createApi({
    transport,
    token: connection.token,
    clock,
    random,
    userAgent: `tradeform/${VERSION}`,
    limiter,
    masking: options.masking,
    ...given({ progress: options.progress, limits: options.limits }),
  });
  const release = options.stop?.hear?.();
  const close = async () => {
    try {
      await transport.close();
    } finally {
      release?.();
    }
  };
  return { api, limiter, pages: limiter.pages, clock, close };
}

function resolveBaseUrl(
  options: ConnectionOptions,
  env: ConnectionContext['env'],
  projectUrl: string | undefined,
): { readonly baseUrl?: string; readonly diagnostics: readonly Diagnostic[] } {
  const sources = [
    ['--base-url', options.baseUrl],
    ['TRADEFORM_BASE_URL', env.TRADEFORM_BASE_URL || undefined],
    ['base_url of the project file', projectUrl],
  ] as const;
  const [source, text] = sources.find(([, value]) => value !== undefined) ?? [];
  if (text === undefined) {
    const message = 'no base URL is set';
    const hint =
      'Set spec.environments.<name>.base_url in tradeform.yaml, TRADEFORM_BASE_URL, or --base-url.';
    return { diagnostics: [problem('base-url-missing', message, hint)] };
  }
  const check = checkBaseUrl(text);
  if (check.ok) return { baseUrl: check.url, diagnostics: [] };
  const message = `the base URL from ${source} cannot be used: ${check.problem}`;
  const hint = 'Write https://HOST/v1, with the version segment.';
  return { diagnostics: [problem('base-url-invalid', message, hint)] };
}

/** True if an option or the environment names the service. The base URL in the project file is unused then. */
export function isBaseUrlNamed(
  { baseUrl }: ConnectionOptions,
  { TRADEFORM_BASE_URL }: ConnectionContext['env'],
): boolean {
  return baseUrl !== undefined || Boolean(TRADEFORM_BASE_URL);
}

interface TokenResult {
  readonly token?: { readonly text: string; readonly prefix: string };
  readonly diagnostics: readonly Diagnostic[];
}

/** The file that the token is read from, if any. A file that an option names wins over `TRADEFORM_TOKEN`. */
export function tokenFileOf(
  { tokenFile }: ConnectionOptions,
  { TRADEFORM_TOKEN: token, TRADEFORM_TOKEN_FILE: file }: ConnectionContext['env'],
): string | undefined {
  return tokenFile ?? (token ? undefined : file || undefined);
}

/**
 * The token that only the project file names, and the host that would receive it. Undefined if an option or the environment
 * supplies a token, or if no host is known.
 */
export function projectTokenHost(
  options: ConnectionOptions,
  env: ConnectionContext['env'],
  { token, projectDir }: ServicePlace,
  baseUrl: string | undefined,
): TokenHost | undefined {
  if (tokenFileOf(options, env) !== undefined || env.TRADEFORM_TOKEN) return undefined;
  if (token === undefined || baseUrl === undefined) return undefined;
  return tokenHost(token, baseUrl, projectDir ?? '.');
}

async function resolveToken(
  options: ConnectionOptions,
  context: ConnectionContext,
  project: ServicePlace,
  baseUrl: string | undefined,
): Promise<TokenResult> {
  const { env, cwd, stop } = context;
  const own = projectTokenHost(options, env, project, baseUrl);
  if (own !== undefined) {
    if ((await unconfirmedHosts([own], 'project', context)).has(own))
      return { diagnostics: [unconfirmed(own, project.tokenLocation)] };
    if (own.file === undefined) {
      const text = env[own.place] ?? '';
      return text === '' ? { diagnostics: [empty(own.place)] } : checked(text, own.place, []);
    }
  }
  const file = own?.file ?? tokenFileOf(options, env);
  if (file === undefined) {
    if (env.TRADEFORM_TOKEN) return checked(env.TRADEFORM_TOKEN, 'TRADEFORM_TOKEN', []);
    const message = 'no token is set';
    const hint =
      'Set TRADEFORM_TOKEN, or set TRADEFORM_TOKEN_FILE or --token-file to a file that contains it.';
    return { diagnostics: [problem('token-missing', message, hint)] };
  }
  const { text, diagnostics } = await readTokenFile(file, cwd, stop?.soft);
  return text === undefined ? { diagnostics } : checked(text, `the file ${file}`, diagnostics);
}

function empty(variable: string): Diagnostic {
  const message = `the variable ${variable}, which token_env names, does not contain a token`;
  return problem('token-missing', message, `Set ${variable}, or TRADEFORM_TOKEN.`);
}

function checked(text: string, source: string, diagnostics: readonly Diagnostic[]): TokenResult {
  const check = checkToken(text);
  if (check.ok) return { token: { text: check.token, prefix: check.prefix }, diagnostics };
  const message = `the token from ${source} does not look like a token: ${check.problem}`;
  const hint =
    'A token is svc_live_, 8 hex digits, a dot and a secret; copy it again from the provider’s web application.';
  return { diagnostics: [...diagnostics, problem('token-malformed', message, hint)] };
}

/** Adds the host to a connection error, because it may be the wrong host. */
export function namingHost(diagnostics: readonly Diagnostic[], baseUrl: string): readonly Diagnostic[] {
  const { host } = new URL(baseUrl);
  return diagnostics.map((diagnostic) =>
    diagnostic.code === 'service-unreachable' || diagnostic.code === 'tls-failed'
      ? { ...diagnostic, message: `${host}: ${diagnostic.message}` }
      : diagnostic,
  );
}

/** Where the project file pins the account of the chosen environment. */
export function pinPath(environment: string | null | undefined): string {
  return environment == null ? 'spec.account' : `spec.environments.${environment}.account`;
}
