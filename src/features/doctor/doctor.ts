import {
  type Connection,
  connect,
  namingHost,
  resolveConnection,
  tokenFileOf,
} from '../../command/connection.ts';
import type { Io } from '../../command/io.ts';
import { shown } from '../../command/masking.ts';
import { type CommonOptions, chosenEnvironment } from '../../command/options.ts';
import { readProjectOf } from '../../command/read-project.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { gitRefusal, readGit } from '../../project/git-state.ts';
import type { Project } from '../../project/project.ts';
import { jsonText, resultDocument } from '../../render/result.ts';
import { section } from '../../render/sections.ts';
import type { Tone } from '../../render/style.ts';
import { viewText } from '../../render/text-layout.ts';
import type { View } from '../../render/view.ts';
import { readAccount } from '../../service/resources/account.ts';
import { accountChecks, type Check, checkOf, gitCheck, projectCheck, tlsSettingCheck } from './checks.ts';

type DoctorIo = Pick<Io, 'stdout' | 'env' | 'cwd' | 'color' | 'columns' | 'masking' | 'stop'>;

/** Doctor reports quickly that the service does not answer. Other commands try longer. */
const LIMITS = { deadline: 20_000, attempts: { throttled: 3, failed: 2, unreadable: 1 } };

/** Checks that need the service, in the order of the report. */
const SKIPPED = ['TLS', 'clock', 'account', 'scopes', 'expiry', 'quota'];

/**
 * `tradeform doctor`: every check with its result and remedy, as text or as one JSON document. Returns the exit code: 3 for
 * invalid settings (then nothing is sent), 1 if the service does not answer or a plan would fail, 4 for an account other than the
 * pinned one, else 0.
 */
export async function runDoctor(options: CommonOptions, io: DoctorIo): Promise<number> {
  const project = await readProjectOf(options, chosenEnvironment(options.environment, io.env), io);
  const { connection, diagnostics } = await resolveConnection(options, io, project.settings);
  const checks: Check[] = [
    projectCheck(project, options.project !== undefined),
    ...settingChecks(connection, diagnostics, tokenFileOf(options, io.env)),
    ...tlsSettingCheck(io.env),
    gitCheck(await readGit(io.cwd, io.env), gitRefusal(io.cwd, io.env)),
  ];
  const invalid = checks.some(({ status }) => status === 'fail');
  checks.push(
    ...(connection === undefined || invalid ? skipped() : await serviceChecks(connection, project, io)),
  );
  const exitCode = invalid ? 3 : exitCodeOf(checks);
  const told = shown(checks, io);
  if (options.output === 'json') {
    const { checks: listed, diagnostics: found } = split(told);
    io.stdout(jsonText({ ...resultDocument('doctor', exitCode, found), checks: listed }));
  } else {
    io.stdout(viewText(viewOf(told), { columns: io.columns, color: io.color.stdout }));
  }
  return exitCode;
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
  { masking, stop }: DoctorIo,
): Promise<readonly Check[]> {
  const session = connect(connection, { concurrency: 1, limits: LIMITS, masking, stop });
  try {
    const begun = session.clock.now();
    const result = await readAccount(session.api);
    const now = session.clock.now();
    if (!result.ok) {
      const named = namingHost([result.diagnostic], connection.baseUrl).map(withoutDoctor);
      if (!/\bTLS\b/.test(result.diagnostic.message))
        return [checkOf('service', named, ''), ...skipped().slice(1)];
      const tls = { ...checkOf('TLS', named, ''), remedy: AUTHORITY };
      return skipped().map((check) => (check.name === 'TLS' ? tls : check));
    }
    const secure = connection.baseUrl.startsWith('https:');
    return [
      {
        name: 'service',
        status: 'ok',
        text: `answered ${secure ? 'over TLS' : 'on loopback'} in ${now - begun} ms`,
      },
      { name: 'TLS', status: 'ok', text: secure ? 'the certificate is trusted' : 'not needed on loopback' },
      ...accountChecks(result.account, { now, date: result.date }, project),
    ];
  } finally {
    await session.close();
  }
}

const AUTHORITY =
  'Check the base URL. To trust your own certificate authority, use NODE_EXTRA_CA_CERTS; never turn certificate checks off.';

/** Removes the advice to run doctor, which the reader is running. */
function withoutDoctor(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.hint === undefined
    ? diagnostic
    : { ...diagnostic, hint: diagnostic.hint.replace('; `tradeform doctor` shows more', '') };
}

const WHILE_FAILING = 'not checked because of the failure above';

function skipped(): readonly Check[] {
  return ['service', ...SKIPPED].map((name) => skip(name, WHILE_FAILING));
}

function skip(name: string, text: string): Check {
  return { name, status: 'skip', text };
}

function exitCodeOf(checks: readonly Check[]): number {
  const failed = checks.filter(({ status }) => status === 'fail');
  if (failed.length === 0) return 0;
  return failed.every(({ code }) => code === 'account-mismatch') ? 4 : 1;
}

/** The checks in the form of the JSON document. Checks with a code become diagnostics as well. */
function split(checks: readonly Check[]) {
  const diagnostics: Diagnostic[] = checks.flatMap(({ code, status, text: message, remedy }) =>
    code === undefined
      ? []
      : [
          {
            severity: status === 'fail' ? 'error' : 'warning',
            code,
            message,
            ...(remedy === undefined ? {} : { hint: remedy }),
          },
        ],
  );
  return { checks: checks.map(({ code: _code, ...check }) => check), diagnostics };
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
    end: 'bare',
    subject: { project: null, environment: null },
    parts: section(rows, { title: 'Checks', tone: 'title' }),
    verdict: counts.join(' · '),
    tone: checks.some(({ status }) => status === 'fail') ? 'error' : 'strong',
  };
}
