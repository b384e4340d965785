import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import { runInMemory } from '../../core/command/memory-io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import type { JournalOptions } from '../../core/command/output/journal.ts';
import type { ReasonOptions } from '../../core/command/record.ts';
import { readTokenFile } from '../../core/command/token-file.ts';
import { CommandFailure, type Diagnostic, problem } from '../../core/diagnostics/diagnostic.ts';
import { checkBaseUrl } from '../../core/model/base-url.ts';
import type { FleetUnit } from '../../core/model/generated/fleet-report.ts';
import { checkToken } from '../../core/model/token.ts';
import { PROJECT_FILE } from '../../core/project/find-project.ts';
import { readSettings, type SettingsResult } from '../../core/project/settings.ts';
import { Masking } from '../../core/render/masking/masking.ts';
import type { Unit } from './fleet-file.ts';

/** A unit with everything that a run needs, or the reason why it cannot run. */
export interface BoundUnit {
  readonly unit: Unit;
  /** Absent without a usable token. */
  readonly token?: string;
  /** The project name in its project file, if that is readable. */
  readonly project: string | undefined;
  /** What that file says besides. */
  readonly policy?: SettingsResult['settings'] | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export interface UnitEnd {
  readonly unit: Unit;
  /** Exit code of the command. Undefined if the account was not examined. */
  readonly code: FleetUnit['exit_code'] | undefined;
  readonly document: FleetUnit['document'];
  readonly diagnostics: readonly Diagnostic[];
}

type UnitOptions = CommonOptions & JournalOptions & ReasonOptions;

/** Runs as it would for this account alone. Prints one JSON document. */
export type UnitCommand = (options: UnitOptions, io: Io, bound: BoundUnit) => Promise<number>;

interface Binding {
  /** The command sends nothing, so no token is needed. */
  readonly offline?: boolean;
  /** The operator's switch: errors of a project file do not stop it, as they do not stop `tradeform pause`. */
  readonly emergency?: boolean;
  /** Units whose token is neither read nor sent. */
  readonly refused?: ReadonlyMap<Unit, Diagnostic> | undefined;
}

/**
 * Finds the token of each unit and reads its project file before anything is sent. Refuses (exit 3) a unit whose project file
 * names another host or project than the fleet file, and two units of one project on one account. `io.masking` is told all tokens.
 */
export async function bindUnits(
  units: readonly Unit[],
  io: Io,
  { offline = false, emergency = false, refused }: Binding = {},
): Promise<readonly BoundUnit[]> {
  const owners = new Map<string, string>();
  const bound: BoundUnit[] = [];
  for (const unit of units) {
    const { folder, environment, account, declared } = unit;
    const there = existsSync(join(folder, PROJECT_FILE));
    // Only the project file in the unit's own folder counts, and the environment does not decide what is read.
    const { settings, diagnostics } = there
      ? readSettings({ cwd: folder, environment, env: withoutServices(io.env) })
      : { settings: undefined, diagnostics: [noProject(unit)] };
    const { baseUrl: host, baseUrlLocation, project = unit.projectName } = settings ?? {};
    // The fleet file alone says enough for the switch if it names the project.
    const problems = emergency && (there || project !== undefined) ? [] : [...diagnostics];
    problems.push(...hostProblems(unit, emergency ? undefined : host, baseUrlLocation));
    if (!emergency && unit.projectName !== undefined && project !== unit.projectName) {
      const message = `the project in ${folder} has the name ${project}, but the fleet file says ${unit.projectName}`;
      problems.push(declared('plan-elsewhere', message, 'correct one of the two', 'project_name'));
    }
    const { token, said } = offline ? { token: undefined, said: [] } : await tokenOf(unit, io, refused);
    problems.push(...said);
    const accounts = [token?.slice(0, token.indexOf('.')), account?.token_prefix, account?.login_username];
    for (const one of new Set(accounts)) {
      if (one === undefined || project === undefined || emergency) continue;
      const key = JSON.stringify([one, unit.baseUrl, project]);
      const other = owners.get(key);
      if (other === undefined) owners.set(key, unit.name);
      else problems.push(sharedAccount(unit, `${other} is project ${project} on the same account (${one})`));
    }
    bound.push({
      unit,
      ...(token === undefined ? {} : { token }),
      project,
      policy: settings,
      diagnostics: problems,
    });
  }
  for (const { token } of bound) if (token !== undefined) io.masking.learnToken(token);
  return bound;
}

function noProject({ folder, declared }: Unit): Diagnostic {
  const message = `there is no ${PROJECT_FILE} in ${folder}`;
  return declared('no-project-file', message, 'write the folder of the project file', 'project');
}

/** `host`: that of the project file, if it counts. */
function hostProblems(
  { name, baseUrl, declared }: Unit,
  host: string | undefined,
  location: Diagnostic['location'],
): readonly Diagnostic[] {
  // The fleet file says why.
  if (baseUrl === '')
    return [declared('base-url-missing', 'no token is sent: the unit has no usable base_url')];
  if (host === undefined || isSameOrigin(host, baseUrl)) return [];
  const message = `the project file names another host than the fleet file for ${name}: ${new URL(baseUrl).host}`;
  const hint =
    'A token is sent only to the host in the fleet file. Correct base_url in one of the two files.';
  return [problem('unit-host-differs', message, hint, { location })];
}

export function sharedAccount({ declared }: Unit, message: string): Diagnostic {
  const hint = 'each would delete the tasks of the other: use another account, or remove one of them';
  return declared('account-shared', message, hint);
}

function isSameOrigin(a: string, b: string): boolean {
  const [one, other] = [checkBaseUrl(a), checkBaseUrl(b)];
  return one.ok && other.ok && one.origin === other.origin;
}

async function tokenOf(
  unit: Unit,
  { env, cwd, stop }: Io,
  refused: Binding['refused'],
): Promise<{ readonly token: string | undefined; readonly said: readonly Diagnostic[] }> {
  const refusal = refused?.get(unit);
  if (refusal !== undefined) return { token: undefined, said: [refusal] };
  const { token: place, declared } = unit;
  const isFile = 'file' in place;
  const { text, diagnostics } = isFile
    ? await readTokenFile(place.file, cwd, stop.soft)
    : { text: env[place.env] || undefined, diagnostics: [] };
  if (text === undefined) {
    if (isFile) return { token: undefined, said: diagnostics };
    const message = `the variable ${place.env} does not contain a token`;
    return { token: undefined, said: [declared('token-missing', message, undefined, 'token_env')] };
  }
  const check = checkToken(text);
  if (check.ok) return { token: check.token, said: diagnostics };
  const source = isFile ? `the file ${place.file}` : place.env;
  const message = `the token from ${source} does not look like a token: ${check.problem}`;
  return { token: undefined, said: [...diagnostics, declared('token-malformed', message)] };
}

export interface RunOptions
  extends Pick<CommonOptions, 'concurrency' | 'verbose'>,
    JournalOptions,
    ReasonOptions {
  /** The time limit of a unit in milliseconds. */
  readonly timeout?: number | undefined;
}

interface RunningFleet {
  readonly io: Io;
  readonly env: Io['env'];
  readonly options: RunOptions;
}

/** What a unit sees of the process: its token, its folder, its deadline; no secret of others. */
function surroundingsOf(
  { unit, token }: BoundUnit,
  { io, env, options }: RunningFleet,
  masking: Masking,
  late: AbortSignal | undefined,
): Parameters<typeof runInMemory>[0] {
  const { soft, hard } = io.stop;
  const ownSoft = late === undefined ? soft : AbortSignal.any([soft, late]);
  setMaxListeners(0, ownSoft);
  if (token !== undefined) masking.learnToken(token);
  return {
    cwd: unit.folder,
    env: token === undefined ? env : { ...env, TRADEFORM_TOKEN: token },
    stop: { soft: ownSoft, hard },
    tally: io.tally,
    outlets: io.outlets,
    masking,
    onMessage: (text) => {
      if (options.verbose) io.stderr(text.replace(/^(?=.)/gm, `${unit.name}: `));
    },
  };
}

/**
 * Runs the command for one unit in this process, with its own Io: its token, its environment without what belongs to others, its
 * masking, its deadline, and captured output. Never throws.
 */
export async function runUnit(bound: BoundUnit, command: UnitCommand, fleet: RunningFleet): Promise<UnitEnd> {
  const { unit, diagnostics } = bound;
  const { timeout, concurrency, verbose = false, requireJournal, reason } = fleet.options;
  const journal = fleet.options.journal ?? fleet.env.TRADEFORM_JOURNAL;
  if (diagnostics.some(({ severity }) => severity === 'error')) {
    const refused = diagnostics.some(({ code }) => code === 'token-unconfirmed');
    return { unit, document: null, code: refused ? 4 : 3, diagnostics };
  }
  const late = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  const masking = fleet.io.masking.fresh();
  const surroundings = surroundingsOf(bound, fleet, masking, late);
  const { environment, baseUrl, account } = unit;
  const options = {
    environment,
    concurrency,
    baseUrl,
    pinned: account,
    inFleet: true as const,
    output: 'json',
    github: false,
    quiet: !verbose,
    verbose,
    // One folder for all accounts, and not one in each project.
    journal: journal ? resolve(fleet.io.cwd, journal) : journal,
    requireJournal,
    reason,
  };
  const run = runInMemory<UnitEnd['document']>(surroundings, (io) => command(options, io, bound));
  const ran = await run.catch((error: unknown) => {
    const failure = error instanceof CommandFailure ? error : unexpected(error, masking);
    return { exitCode: failure.exitCode, document: null, diagnostics: failure.diagnostics };
  });
  const isLate = ran.exitCode === 130 && late?.aborted === true && !fleet.io.stop.soft.aborted;
  const said = isLate ? [overTime(unit)] : 'diagnostics' in ran ? ran.diagnostics : [];
  const code = isLate ? 1 : (ran.exitCode as FleetUnit['exit_code']);
  return { unit, document: ran.document, code, diagnostics: [...diagnostics, ...said] };
}

function overTime({ name }: Unit): Diagnostic {
  const message = `${name} took longer than --timeout`;
  return problem('interrupted', message, 'Tasks in progress were finished; the next run continues.');
}

function unexpected(error: unknown, masking: Masking): CommandFailure {
  const text = masking.said(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  return CommandFailure.of(1, 'internal', `unexpected error in tradeform: ${text.replace(/\s+/g, ' ')}`);
}

/**
 * The process environment as units see it: without settings of one service, without variables that hold the token of any unit, and
 * without variables whose value contains such a token. A manifest of one unit could otherwise send that token to another account.
 */
export function unitEnvironment(
  env: Io['env'],
  units: readonly Unit[],
  bound: readonly BoundUnit[],
): Io['env'] {
  const variables = new Set(units.flatMap(({ token }) => ('env' in token ? [token.env] : [])));
  const all = new Masking();
  for (const { token } of bound) if (token !== undefined) all.learnToken(token);
  return Object.fromEntries(
    Object.entries(withoutServices(env)).filter(
      ([name, value = '']) => !variables.has(name) && all.text(value) === value,
    ),
  );
}

/** The process environment without everything that names a service, an account or an environment. */
export function withoutServices(env: Io['env']): Io['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_ENVIRONMENTS.test(name)));
}

const OF_ENVIRONMENTS = /^TRADEFORM_(?:TOKEN|BASE_URL|ENVIRONMENT)(?:_|$)/;
