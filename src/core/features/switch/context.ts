import type { Failure } from '../../act/outcome.ts';
import {
  type Connection,
  connect,
  namingHost,
  requireConnection,
  type Session,
} from '../../command/connection.ts';
import { unlessInterrupted } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { type CommonOptions, chosenEnvironment } from '../../command/options.ts';
import { type ProgressView, showProgress } from '../../command/progress.ts';
import { showDiagnostics } from '../../command/show-diagnostics.ts';
import { CommandFailure, type Diagnostic, note, problem, usage } from '../../diagnostics/diagnostic.ts';
import { PROJECT_PATTERN } from '../../model/address.ts';
import { TASK_COLLECTIONS, TASK_KINDS, type TaskCollection } from '../../model/kind.ts';
import type { Account } from '../../model/resource.ts';
import type { OffPolicy, Stops } from '../../model/switched.ts';
import { findUpward } from '../../project/find-project.ts';
import type { Project, Settings } from '../../project/project.ts';
import type { SettingsResult } from '../../project/settings.ts';
import { checkPins, readAccount, visibleCollections } from '../../service/resources/account.ts';

export interface OperatorOptions extends CommonOptions {
  readonly all?: boolean | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly label?: readonly string[] | undefined;
  readonly includeUnmanaged?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** `--project-name`: whose tasks are meant, if there is no readable project file. */
  readonly projectName?: string | undefined;
  readonly beside?: OtherUnits | undefined;
}

/** For a unit of a fleet: the other projects that the same command switches on the service. */
export interface OtherUnits {
  readonly others: readonly OffPolicy[];
  readonly stops: Stops;
  /** Takes the account as the service names it. The result returns those of them in this account, as far as that is known. */
  readonly here: (login: string | null | undefined) => () => readonly string[];
}

/** What is known about the project without its manifests. */
interface KnownProject extends OffPolicy {
  /** null if the project file names no environments. */
  readonly environment: string | null | undefined;
}

export interface OperatorContext {
  readonly project: KnownProject;
  readonly connection: Connection;
  readonly session: Session;
  readonly progress: ProgressView;
  /** Undefined if `GET /me` failed. */
  readonly account: Account | undefined;
  /** When a pause ends that did not get through (ms since the epoch). */
  readonly until: number;
  /** Further projects that the same command switches in this account, as far as that is known now. */
  readonly beside: () => readonly string[];
}

/** The job of a CI that pauses must come to its report: milliseconds of all attempts, of one request, and between two. */
const PAUSE = { most: 300_000, request: 90_000, wait: 5_000 };
const NOT_PAUSED = 'Nothing was paused, tasks may still trade: pause them in the web application. ';

/** How a command of the switch begins. */
export interface Opening {
  /** It may continue without a project (`--include-unmanaged`). */
  readonly blind?: boolean;
  /** The project, if the command reads more of it than the project file. */
  readonly project?: Project;
}

/**
 * Project, connection and account of a command of the switch. Closes the session on a failure. Without `project` (`pause`) it reads
 * only the project file, and continues without an answer to `GET /me` if no account is pinned, because an emergency waits for
 * neither the manifests nor the account.
 */
export async function openOperator(
  options: OperatorOptions,
  io: Io,
  { blind = false, project: read }: Opening,
): Promise<OperatorContext> {
  const file = read === undefined ? await projectFileOf(options, io) : partOf(read);
  const { settings } = file;
  const project = namesOf(file, options, io, blind);
  const { connection, diagnostics } = await requireConnection(options, io, settings);
  showDiagnostics(diagnostics, io);
  const { quiet, verbose, concurrency } = options;
  const progress = showProgress(io, { quiet, verbose, total: 0, doing: 'Pausing', listed: true });
  const limits = read === undefined ? { deadline: PAUSE.request } : {};
  const session = connect(connection, { progress, concurrency, masking: io.masking, stop: io.stop, limits });
  const until = session.clock.now() + PAUSE.most;
  try {
    const ask = () => unlessInterrupted(readAccount(session.api), io.stop.soft);
    let result = await ask();
    const pinned = settings?.account !== undefined || options.pinned !== undefined;
    const patient = read === undefined && pinned && options.dryRun !== true;
    while (patient && !result.ok && !result.refused && session.clock.now() < until) {
      progress.emit({ type: 'waiting', reason: result.diagnostic.message, ms: PAUSE.wait });
      await session.clock.sleep(PAUSE.wait, io.stop.soft);
      result = await ask();
    }
    if (!result.ok && (read !== undefined || pinned || result.refused)) {
      const { hint = '', ...failure } = result.diagnostic;
      const said = patient ? { ...failure, hint: `${NOT_PAUSED}${hint}` } : result.diagnostic;
      throw new CommandFailure(1, namingHost([said], connection.baseUrl));
    }
    const account = result.ok ? result.account : undefined;
    const mismatch = account === undefined ? [] : checkPins(account, options.pinned, settings?.account);
    if (mismatch.length > 0) throw new CommandFailure(4, mismatch);
    const beside = options.beside?.here(account?.login_username) ?? (() => []);
    return { project, connection, session, progress, account, until, beside };
  } catch (error) {
    progress.close();
    await session.close();
    throw error;
  }
}

/** The reader of project files is loaded only if there is one to read: without it, `--project-name` needs nothing else. */
async function projectFileOf(options: OperatorOptions, io: Io): Promise<SettingsResult> {
  const { cwd, env } = io;
  const { project: projectFile } = options;
  if (projectFile === undefined && findUpward(cwd) === undefined)
    return { found: false, diagnostics: [], sources: new Map() };
  const environment = chosenEnvironment(options.environment, env);
  const { readSettings } = await import('../../project/settings.ts');
  return readSettings({ cwd, env, projectFile, environment });
}

function partOf({ settings, diagnostics, sources }: Project): ProjectPart {
  return {
    settings,
    found: diagnostics.every(({ code }) => code !== 'no-project-file'),
    diagnostics,
    sources,
  };
}

/** The project file: alone, or as a part of a project. */
interface ProjectPart extends Omit<SettingsResult, 'settings'> {
  readonly settings?:
    | (Omit<Settings, 'projectFile'> & Partial<Pick<KnownProject, 'stoppedTasks'>>)
    | undefined;
}

function namesOf(
  { settings, found, diagnostics, sources }: ProjectPart,
  { projectName }: OperatorOptions,
  io: Io,
  blind: boolean,
): KnownProject {
  if (projectName !== undefined && !PROJECT_PATTERN.test(projectName)) {
    throw usage(`--project-name ${projectName}: a project name is 1 to 12 characters of a-z, 0-9 and -`);
  }
  const name = projectName ?? settings?.project;
  if (name === undefined && found) {
    const unchosen = diagnostics.some(({ code }) => /^environment-(?:ambiguous|unknown)$/.test(code));
    throw new CommandFailure(3, [...diagnostics, unchosen ? EVERY_ENVIRONMENT : goAround(blind)], sources);
  }
  if (name === undefined && !blind) throw new CommandFailure(3, [unnamed()]);
  if (settings === undefined && found) showDiagnostics(diagnostics, io, sources);
  const own = settings?.project === name ? settings : undefined;
  const { previousProject, stoppedTasks, environment } = own ?? {};
  return { project: name, previousProject, stoppedTasks, environment };
}

const EVERY_ENVIRONMENT: Diagnostic = note(
  'no-project-file',
  'without an environment it is unknown whose account is meant',
  '-e NAME chooses one; `tradeform pause --all-environments` pauses in all of them, each with its own token.',
);

function goAround(blind: boolean): Diagnostic {
  return note(
    'no-project-file',
    'the project file cannot be used, so it is unknown which tasks belong to the project',
    `Bypass the project file with --project-name NAME and, unless it is set elsewhere, --base-url URL${blind ? '; or run in another folder, where no task counts as a task of the project' : ''}.`,
  );
}

function unnamed(): Diagnostic {
  return problem(
    'no-project-file',
    'no tradeform.yaml here or above, up to the top of the repository: it is unknown which tasks belong to the project',
    'Change to the project directory, or pass --project-name NAME; `pause --all --include-unmanaged` pauses everything that runs on the account.',
  );
}

/** Kinds that the token cannot pause, and why. None if the account is unknown. */
export function unpausableKinds(account: Account | undefined): ReadonlyMap<TaskCollection, Failure> {
  return new Map(
    TASK_KINDS.filter(
      ({ scopes }) => account?.scopes.some((scope) => scopes.write.includes(scope)) === false,
    ).map(({ collection, scopes }): [TaskCollection, Failure] => {
      const text = `The token lacks the scope ${scopes.write.join(' or ')}.`;
      const error = { code: 'insufficient_scope', status: null, message: text, fields: [] };
      return [collection, { kind: 'refused', text, error }];
    }),
  );
}

/** Kinds that the token can read. All kinds if the account is unknown. */
export function visibleKinds(account: Account | undefined): readonly TaskCollection[] {
  const visible = account && visibleCollections(account);
  return TASK_COLLECTIONS.filter((kind) => visible?.has(kind) ?? true);
}
