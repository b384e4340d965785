import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ApprovalOptions, approve } from '../../core/command/approval.ts';
import { isConfirmed, tokenHost } from '../../core/command/confirmed-hosts.ts';
import { resolveConnection } from '../../core/command/connection.ts';
import type { Io } from '../../core/command/io.ts';
import { refuseTogether } from '../../core/command/options.ts';
import { CommandFailure, type Diagnostic, problem, usage } from '../../core/diagnostics/diagnostic.ts';
import { writtenChoice } from '../../core/features/switch/choice.ts';
import type { OtherUnits } from '../../core/features/switch/context.ts';
import { type PauseOptions, runPause } from '../../core/features/switch/pause.ts';
import { type ResumeOptions, runResume } from '../../core/features/switch/resume.ts';
import { checkBaseUrl } from '../../core/model/base-url.ts';
import { madeOnce } from '../../core/model/by-key.ts';
import { REPORT_FORMAT } from '../../core/model/generated/report.ts';
import type { OffPolicy, Stops } from '../../core/model/switched.ts';
import { PROJECT_FILE } from '../../core/project/find-project.ts';
import { readEnvironments, readSettings } from '../../core/project/settings.ts';
import { endsText, type FleetOptions, presentFleet, type ReadyFleet, readyFleet, runUnits } from './fleet.ts';
import { type Unit, variableName } from './fleet-file.ts';
import {
  type BoundUnit,
  type UnitCommand,
  type UnitEnd,
  unitEnvironment,
  withoutServices,
} from './run-unit.ts';

export interface FleetSwitchOptions
  extends FleetOptions,
    ApprovalOptions,
    Pick<PauseOptions, 'all' | 'includeUnmanaged' | 'dryRun' | 'freeze'>,
    Pick<ResumeOptions, 'asStored'> {}

/** All units begin at once, because the most expensive task of an account must not wait for another account. */
const AT_ONCE = 200;

/**
 * `tradeform fleet pause --all`: the operator's switch for every chosen unit. It needs only the fleet file if that names the
 * `project_name`, asks nobody, and continues after every failure. Returns 0 only if everything in every account is off and stays
 * off.
 */
export async function runPauseFleet(options: FleetSwitchOptions, io: Io): Promise<number> {
  if (options.all !== true) throw usage('fleet pause needs --all', '--select and --tag choose accounts.');
  const ready = await readyFleet(options, io, { emergency: true });
  const { includeUnmanaged, dryRun, freeze } = options;
  const chosen = { all: true, includeUnmanaged, dryRun, freeze };
  const beside = besideOf(ready);
  const command: UnitCommand = (own, ownIo, bound) =>
    runPause([], { ...chosen, ...own, ...named(bound), beside: beside(bound) }, ownIo);
  const how = { ...options, accountsAtOnce: options.accountsAtOnce ?? AT_ONCE, failFast: false };
  const ends = await runUnits(ready, command, how, io);
  return presentFleet('pause', ends, ready, options, io);
}

/**
 * `tradeform pause --all-environments`: the same for the environments of one project, with any choice of tasks. Returns the worst
 * exit code.
 */
export async function runPauseEnvironments(
  names: readonly string[],
  options: PauseOptions,
  io: Io,
): Promise<number> {
  writtenChoice(names, options);
  const ready = await environmentFleet(options, io);
  const project = ready.fleet.path;
  const command: UnitCommand = (own, ownIo) => runPause(names, { ...options, ...own, project }, ownIo);
  const ends = await runUnits(ready, command, { ...options, accountsAtOnce: AT_ONCE }, io);
  return presentFleet('pause', ends, ready, options, io);
}

/** Whose tasks are meant. A project file in a folder above is never used. */
function named({ unit, project }: BoundUnit): Pick<PauseOptions, 'project' | 'projectName'> {
  return {
    ...(project === undefined ? {} : { projectName: unit.projectName ?? project }),
    ...(existsSync(join(unit.folder, PROJECT_FILE)) ? {} : { project: PROJECT_FILE }),
  };
}

/**
 * `tradeform fleet resume --all`: shows what the switch stopped in every chosen unit, asks for one approval, and starts
 * it. Each unit is then judged as with `--auto-approve`: without `--as-stored`, it
 * refuses tasks that differ from their manifests.
 */
export async function runResumeFleet(options: FleetSwitchOptions, io: Io): Promise<number> {
  const { all, dryRun, asStored = false, includeUnmanaged } = options;
  if (all !== true) throw usage('fleet resume needs --all', '--select and --tag choose accounts.');
  const ready = await readyFleet(options, io);
  const run = (how: Pick<ResumeOptions, 'dryRun' | 'autoApprove'>, said: FleetSwitchOptions) => {
    const command: UnitCommand = (own, ownIo) =>
      runResume([], { all, asStored, includeUnmanaged, ...own, ...how }, ownIo);
    return runUnits(ready, command, said, io);
  };
  if (dryRun === true)
    return presentFleet('resume', await run({ dryRun: true }, options), ready, options, io);
  if (options.autoApprove !== true) {
    const ends = await run({ dryRun: true }, { ...options, quiet: true });
    if (ends.some(wouldStart)) {
      io.stderr(await endsText('resume', ends, ready, options, io));
      const question = 'Start these tasks? Only "yes" is accepted: ';
      await approve(options, io, { question, hint: 'Use --auto-approve.' });
    }
  }
  return presentFleet('resume', await run({ autoApprove: true }, options), ready, options, io);
}

/** Which units are in one account: by their token or their pin, and as the service says of those that have begun. */
function besideOf({ bound }: ReadyFleet) {
  const logins = new Map<BoundUnit, string | null | undefined>();
  const stops = new Map<string, Stops>();
  const able = bound.filter(({ diagnostics }) => diagnostics.every(({ severity }) => severity !== 'error'));
  const loginOf = (one: BoundUnit) => logins.get(one) ?? one.unit.account?.login_username;
  const keysOf = (one: BoundUnit) => [one.token?.split('.', 1)[0], loginOf(one)];
  return (one: BoundUnit): OtherUnits => {
    const isOther = (other: BoundUnit) => other !== one && other.unit.baseUrl === one.unit.baseUrl;
    /** The projects of other units in the account of this one. */
    const here = () =>
      able
        .filter((other) => isOther(other) && keysOf(other).some((key, at) => key && key === keysOf(one)[at]))
        .flatMap(({ project }) => project ?? []);
    return {
      others: bound.filter(isOther).map(policyOf),
      stops: madeOnce(stops, one.unit.baseUrl, () => new Map()),
      here: (login) => {
        logins.set(one, login);
        return here;
      },
    };
  };
}

function policyOf({ unit, project: own, policy }: BoundUnit): OffPolicy {
  const project = unit.projectName ?? own;
  return policy !== undefined && policy.project === project ? policy : { project, stoppedTasks: undefined };
}

function wouldStart({ document }: UnitEnd): boolean {
  if (document?.format !== REPORT_FORMAT || document.outcome === 'refused') return false;
  return document.changes.length > 0 || ('thaws' in document && document.thaws !== undefined);
}

/**
 * The environments of a project as a fleet that is not written down: one unit for each, with its own token and base URL. The token
 * comes from `TRADEFORM_TOKEN_<NAME>` or `TRADEFORM_TOKEN_FILE_<NAME>`, else from the place in the project file, if the operator
 * confirmed the host for it. Nobody is asked.
 */
async function environmentFleet(options: PauseOptions, io: Io): Promise<ReadyFleet> {
  const single = ['environment', 'baseUrl', 'tokenFile', 'projectName'] as const;
  refuseTogether('--all-environments', options, single, 'which is for one environment', 'Remove it.');
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
  const [tokenName, fileName] = [`TRADEFORM_TOKEN_${key}`, `TRADEFORM_TOKEN_FILE_${key}`];
  const urlName = `TRADEFORM_BASE_URL_${key}`;
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
    declared: (code, message, hint) => problem(code, message, hint),
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
