import {
  type Connection,
  connect,
  namingHost,
  pinPath,
  resolveConnection,
  tokenFileOf,
} from '../../core/command/connection.ts';
import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { readProjectOf } from '../../core/command/read-project.ts';
import { type Diagnostic, problem, warning } from '../../core/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../core/model/generated/codes.ts';
import { given } from '../../core/model/given.ts';
import { type Collection, KINDS, type Kind, TASK_KINDS } from '../../core/model/kind.ts';
import type { Account, AccountPin } from '../../core/model/resource.ts';
import { type GitState, gitRefusal, readGit } from '../../core/project/git-state.ts';
import type { Project } from '../../core/project/project.ts';
import { openRepository } from '../../core/project/revision.ts';
import type { Tone } from '../../core/render/layout.ts';
import { viewText } from '../../core/render/text-layout.ts';
import { section, type View } from '../../core/render/view.ts';
import { checkExpiry, checkPin, readAccount } from '../../core/service/resources/account.ts';

/** Doctor reports quickly that the service does not answer. Other commands try longer. */
const LIMITS = { deadline: 20_000, attempts: { throttled: 3, failed: 2, unreadable: 1 } };

/**
 * `tradeform doctor`: every check with its result and remedy, as text or as one JSON document. Returns the exit code: 3 for
 * invalid settings (then nothing is sent), 1 if the service does not answer or a plan would fail, 4 for an account other than the
 * pinned one, else 0.
 */
export async function runDoctor(options: CommonOptions, io: Io): Promise<number> {
  const project = await readProjectOf(options, io);
  const { connection, diagnostics } = await resolveConnection(options, io, project.settings);
  const place = project.settings ?? { projectDir: io.cwd };
  const checks: Check[] = [
    projectCheck(project, options.project !== undefined),
    ...settingChecks(connection, diagnostics, tokenFileOf(options, io.env)),
    ...tlsSettingCheck(io.env),
    nodeCheck(process.versions.node),
    gitCheck(await readGit(place, io.env, project.sources), gitRefusal(place, io.env)),
    ...historyCheck(openRepository(place, io.env)),
  ];
  const invalid = checks.some(({ status }) => status === 'fail');
  checks.push(
    ...(connection === undefined || invalid ? skipped() : await serviceChecks(connection, project, io)),
  );
  const exitCode = invalid ? 3 : exitCodeOf(checks);
  // Checks with a code become diagnostics as well.
  const found = checks.flatMap(({ code, status, text, remedy }): readonly Diagnostic[] =>
    code === undefined ? [] : [status === 'fail' ? problem(code, text, remedy) : warning(code, text, remedy)],
  );
  const listed = checks.map(({ code: _code, ...check }) => check);
  return presentAnswer(
    { command: 'doctor', exitCode, diagnostics: found, checks: listed },
    (shown, medium) => viewText(viewOf(shown.checks), medium),
    options,
    io,
  );
}

function settingChecks(
  connection: Connection | undefined,
  diagnostics: readonly Diagnostic[],
  tokenFile: string | undefined,
): readonly Check[] {
  const about = (codes: readonly string[]) => diagnostics.filter(({ code }) => codes.includes(code));
  return [
    checkOf(
      'base URL',
      about(['base-url-missing', 'base-url-invalid']),
      connection?.baseUrl ?? 'well-formed',
    ),
    checkOf(
      'token',
      about(['token-missing', 'token-malformed', 'token-unconfirmed', 'file-unreadable', 'env-credential']),
      connection === undefined ? 'well-formed' : `${connection.tokenPrefix}, well-formed`,
    ),
    tokenFile === undefined || about(['file-unreadable']).length > 0
      ? skip('token file', tokenFile === undefined ? 'none is used' : WHILE_FAILING)
      : checkOf('token file', about(['token-file-mode']), 'not readable by others'),
  ];
}

async function serviceChecks(
  connection: Connection,
  project: Project,
  { masking, stop }: Io,
): Promise<readonly Check[]> {
  const how = { concurrency: 1, limits: LIMITS, masking, stop };
  const { api, clock, close } = connect(connection, how);
  try {
    const begun = clock.now();
    const result = await readAccount(api);
    const now = clock.now();
    if (!result.ok) {
      // Without the advice to run doctor, which the reader is running.
      const hint = result.diagnostic.hint?.replace('; `tradeform doctor` shows more', '');
      const named = namingHost([{ ...result.diagnostic, ...given({ hint }) }], connection.baseUrl);
      const failing = checkOf(result.diagnostic.code === 'tls-failed' ? 'TLS' : 'service', named, '');
      return skipped().map((check) => (check.name === failing.name ? failing : check));
    }
    const secure = connection.baseUrl.startsWith('https:');
    return [
      fine('service', `answered ${secure ? 'over TLS' : 'on loopback'} in ${now - begun} ms`),
      fine('TLS', secure ? 'the certificate is trusted' : 'not needed on loopback'),
      ...accountChecks(result.account, { now, date: result.date }, project),
    ];
  } finally {
    await close();
  }
}

const WHILE_FAILING = 'not checked because of the failure above';

/** Checks that need the service, in the order of the report. */
function skipped(): readonly Check[] {
  const names = ['service', 'TLS', 'clock', 'account', 'scopes', 'expiry', 'quota'];
  return names.map((name) => skip(name, WHILE_FAILING));
}

function skip(name: string, text: string): Check {
  return { name, status: 'skip', text };
}

function fine(name: string, text: string): Check {
  return { name, status: 'ok', text };
}

function warn(name: string, text: string, remedy: string, code?: DiagnosticCode): Check {
  return { name, status: 'warn', text, remedy, ...given({ code }) };
}

function exitCodeOf(checks: readonly Check[]): number {
  const failed = checks.filter(({ status }) => status === 'fail');
  if (failed.length === 0) return 0;
  return failed.every(({ code }) => code === 'account-mismatch') ? 4 : 1;
}

const WORDS: Readonly<Record<Check['status'], readonly [string, Tone]>> = {
  ok: ['ok', 'add'],
  warn: ['to look at', 'warn'],
  fail: ['failed', 'error'],
  skip: ['not checked', 'dim'],
};

function viewOf(checks: readonly Check[]): View {
  const counts = Object.entries(WORDS).flatMap(([wanted, [words]]) => {
    const { length } = checks.filter(({ status }) => status === wanted);
    return length === 0 ? [] : [`${length} ${words}`];
  });
  const rows = checks.map(({ name, status, text, remedy }) => ({
    sign: status.padEnd(4),
    tone: WORDS[status][1],
    names: [name],
    value: text,
    text: '',
    next: remedy === undefined || status === 'ok' ? [] : [remedy],
  }));
  return {
    command: 'doctor',
    bare: true,
    subject: { project: null, environment: null },
    parts: section(rows, { title: 'Checks', tone: 'title' }),
    verdict: counts.join(' · '),
    tone: checks.some(({ status }) => status === 'fail') ? 'error' : 'strong',
  };
}

interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'skip';
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** Present if a check that warns or fails has a code. */
  readonly code?: DiagnosticCode;
}

const SKEW_MS = 30_000;
const LOW_QUOTA = 0.1;

/** The worst diagnostic as a check. `ok` is the text of a check without diagnostics. */
function checkOf(name: string, diagnostics: readonly Diagnostic[], ok: string): Check {
  const worst = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0];
  if (worst === undefined) return fine(name, ok);
  const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : '';
  return {
    name,
    status: worst.severity === 'error' ? 'fail' : 'warn',
    text: `${worst.message}${more}`,
    ...given({ code: worst.code, remedy: worst.hint }),
  };
}

/** The project file and its manifests. Without `--project`, doctor also works without a project file. */
function projectCheck({ settings, diagnostics, manifests }: Project, named: boolean): Check {
  const name = 'project';
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (!named && errors.some(({ code }) => code === 'no-project-file'))
    return skip(name, 'no tradeform.yaml here or above, up to the top of the repository');
  const check = checkOf(name, errors, '');
  if (check.status === 'fail')
    return { ...check, remedy: 'Run `tradeform validate`: it shows every problem.' };
  const environment = settings?.environment == null ? '' : `, environment ${settings.environment}`;
  return fine(name, `${settings?.project}${environment}, ${manifests().length} manifests`);
}

/** One check if the environment asks Node to trust every certificate. tradeform ignores that setting (`createHttpTransport`). */
function tlsSettingCheck(env: Readonly<Record<string, string | undefined>>): readonly Check[] {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return [];
  const text =
    'NODE_TLS_REJECT_UNAUTHORIZED is 0; tradeform ignores it and checks certificates, but other Node programs do not';
  const remedy = 'Remove it. To trust your own certificate authority, use NODE_EXTRA_CA_CERTS.';
  return [warn('TLS setting', text, remedy, 'tls-setting-ignored')];
}

function nodeCheck(version: string): Check {
  if (Number.parseInt(version, 10) >= 24) return fine('Node', version);
  const text = `${version} works; 24 or later is recommended`;
  return warn('Node', text, 'Node 20 gets no fixes since April 2026, and Node 22 none after April 2027.');
}

/** `refusal`: why git was not asked, if so. */
function gitCheck({ commit, dirty }: GitState, refusal: readonly Diagnostic[]): Check {
  if (refusal.length > 0) return checkOf('git', refusal, '');
  if (commit !== null)
    return fine('git', `commit ${commit.slice(0, 12)}${dirty ? ', with uncommitted changes' : ''}`);
  return warn(
    'git',
    'no commit: git is missing, this is not a repository, or nothing has been committed',
    'Keep the manifests in git: plans name the commit, so every change can be traced to its author.',
  );
}

/** One check if the clone has only a part of the history. */
function historyCheck(opened: ReturnType<typeof openRepository>): readonly Check[] {
  const lacking = 'repository' in opened ? opened.repository.lacking() : undefined;
  return lacking === undefined
    ? []
    : [warn('history', lacking.text, `For \`--only\` and drift, ${lacking.remedy}.`)];
}

/** All checks on a credential that `GET /me` answered; `now` and `date` in milliseconds since the epoch. */
function accountChecks(
  account: Account,
  times: { readonly now: number; readonly date: number | undefined },
  { settings, state }: Pick<Project, 'settings' | 'state'>,
): readonly Check[] {
  const described = state === undefined ? [] : [...state.tasks, ...state.templates, ...state.labels];
  const needed = new Set<Collection>(described.map(({ collection }) => collection));
  return [
    clockCheck(times),
    pinCheck(account, settings?.account, settings),
    ...KINDS.map((kind) => kindCheck(account, kind, needed)),
    ...COMMANDS.map((command) => commandCheck(account, command)),
    checkOf(
      'expiry',
      checkExpiry(account, times.date ?? times.now),
      account.expires_at === null
        ? 'the token does not expire'
        : `the token expires at ${account.expires_at}`,
    ),
    quotaCheck(account, state?.tasks.length ?? 0),
  ];
}

function clockCheck({ now, date }: { readonly now: number; readonly date: number | undefined }): Check {
  const name = 'clock';
  if (date === undefined) return skip(name, 'the answer of the service has no Date');
  // Date has whole seconds: on average half a second has passed.
  const skew = now - (date + 500);
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= SKEW_MS) return fine(name, 'agrees with the clock of the service');
  const text = `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service`;
  return warn(name, text, 'Set this machine’s clock, or turn on time synchronisation.', 'clock-skew');
}

function pinCheck(account: Account, pin: AccountPin | undefined, settings: Project['settings']): Check {
  const { login_username: login, token_prefix: prefix } = account;
  const who = login === null ? `${prefix}, an account without login_username` : `login_username ${login}`;
  if (pin !== undefined) return checkOf('account', checkPin(account, pin), `${who}, as pinned`);
  return warn(
    'account',
    `${who}; no account is pinned, so any valid token would be used`,
    `Pin it in tradeform.yaml: ${pinPath(settings?.environment)}: { ${login === null ? `token_prefix: ${prefix}` : `login_username: ${login}`} }.`,
  );
}

type Right = 'read' | 'write' | 'delete';
const RIGHTS: readonly Right[] = ['read', 'write', 'delete'];

function lacks(account: Account, kind: Kind, right: Right): boolean {
  return !kind.scopes[right].some((scope) => account.scopes.includes(scope));
}

function kindCheck(account: Account, kind: Kind, needed: ReadonlySet<Collection>): Check {
  const name = `scopes ${kind.collection}`;
  const missing = RIGHTS.filter((right) => lacks(account, kind, right));
  const held = RIGHTS.filter((right) => !missing.includes(right));
  if (missing.length === 0) return fine(name, held.join(', '));
  // These kinds must be readable, because the manifests describe them. Otherwise no plan is possible.
  const fatal = missing.includes('read') && needed.has(kind.collection);
  const text = `${held.length === 0 ? 'none' : held.join(', ')}; without ${missing.join(', ')}`;
  const remedy = withScopes([kind], missing);
  if (!fatal) return warn(name, text, remedy, 'scope-missing');
  const failing = `${text}; the manifests need it, and plan fails`;
  return { ...warn(name, failing, remedy, 'scope-missing'), status: 'fail' };
}

function withScopes(kinds: readonly Kind[], rights: readonly Right[]): string {
  const scopes = kinds.flatMap((kind) => rights.map((right) => kind.scopes[right].join(' or ')));
  return `To allow it, create a token with ${[...new Set(scopes)].join(', ')}.`;
}

/** What commands need. `also`: commands with the same requirements. */
const COMMANDS: readonly (readonly [string, readonly Right[], readonly Kind[], also: string])[] = [
  ['plan', ['read'], KINDS, 'drift, status and export'],
  ['apply', RIGHTS, KINDS, 'rollback'],
  ['pause', ['read', 'write'], TASK_KINDS, 'resume and release'],
];

function commandCheck(account: Account, [command, rights, kinds, also]: (typeof COMMANDS)[number]): Check {
  const short = kinds.filter((kind) => rights.some((right) => lacks(account, kind, right)));
  const name = `scopes for ${command}`;
  if (short.length === 0) return fine(name, `sufficient; also for ${also}`);
  const names = short.map(({ collection }) => collection).join(', ');
  const missing = rights.filter((right) => short.some((kind) => lacks(account, kind, right)));
  return warn(name, `insufficient for ${names}`, withScopes(short, missing), 'scope-missing');
}

/** `wanted`: the number of tasks in the manifests. */
function quotaCheck({ quota }: Account, wanted: number): Check {
  const text = `${quota.used} of ${quota.max} tasks, ${quota.remaining} left`;
  const short = (said: string, what: string) =>
    warn('quota', said, `${what}, or ask the provider for a larger quota.`, 'quota-low');
  if (wanted > quota.max)
    return short(
      `${text}; the manifests describe ${wanted}, more than the quota allows`,
      'Remove tasks from the manifests',
    );
  if (quota.remaining > quota.max * LOW_QUOTA) return fine('quota', text);
  return short(text, 'Delete tasks that are not needed');
}
