import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import { refuseTogether } from '../../core/command/options.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { writeProjectFile } from '../../core/command/unwritten.ts';
import { CommandFailure, type Diagnostic, usage } from '../../core/diagnostics/diagnostic.ts';
import { systemWords } from '../../core/diagnostics/system-words.ts';
import { runStatus } from '../../core/features/status/status.ts';
import { checkBaseUrl } from '../../core/model/base-url.ts';
import { STATUS_FORMAT } from '../../core/model/generated/status.ts';
import { given } from '../../core/model/given.ts';
import type { LiveState } from '../../core/model/resource.ts';
import { follow } from '../../core/project/door/straying.ts';
import { FLEET_FILE, PROJECT_FILE } from '../../core/project/find-project.ts';
import { readEnvironments, readSettings } from '../../core/project/settings.ts';
import { paragraph } from '../../core/render/layout.ts';
import type { InitOptions } from '../init/answers.ts';
import { ENVIRONMENT } from '../init/ci-files.ts';
import { runInit } from '../init/init.ts';
import { type FleetOptions, presentFleet, readyFleet, runUnits } from './fleet.ts';
import type { Unit } from './fleet-file.ts';
import { type BoundUnit, sharedAccount, type UnitCommand, withoutServices } from './run-unit.ts';

export interface InitFleetOptions
  extends FleetOptions,
    Pick<InitOptions, 'fromLive' | 'presets' | 'grouped'> {}

/** The maximum depth of folders to search. */
const DEEPEST = 6;

/**
 * `tradeform fleet init [DIR]`: writes a fleet file with a unit for each environment of each project in DIR or below. The host is
 * `--base-url` or `TRADEFORM_BASE_URL`, and each token is in `TRADEFORM_TOKEN_{NAME}`: no project file decides where a token goes.
 * An existing file is left unchanged (exit 3), and nothing is written if a project file has errors. Only `--from-live` sends.
 */
export async function runInitFleet(
  directory: string | undefined,
  options: InitFleetOptions,
  io: Io,
): Promise<number> {
  if (options.fromLive === true && directory !== undefined)
    throw usage('--from-live takes the folders from the fleet file', `Remove ${directory}.`);
  if (options.fromLive === true) return projectsFromLive(options, io);
  const others = ['select', 'tag', 'exclude', 'presets', 'grouped'] as const;
  refuseTogether('fleet init', options, others, 'which is for --from-live', 'Add --from-live.');
  const file = options.fleet ?? FLEET_FILE;
  const path = resolve(io.cwd, file);
  if (existsSync(path))
    throw usage(`${file} exists already`, 'Change it, or use another file with --fleet FILE.');
  const base = checkBaseUrl(options.baseUrl ?? io.env.TRADEFORM_BASE_URL ?? '');
  if (!base.ok) throw usage(`the host of the accounts is not known: ${base.problem}`, HOST);
  const home = dirname(path);
  const folders = projectsBelow(resolve(io.cwd, directory ?? '.'), DEEPEST);
  if (folders.length === 0)
    throw usage(`there is no ${PROJECT_FILE} below`, 'Name the folder of your projects.');
  const taken = new Set<string>();
  const found = folders.flatMap((folder) => unitsOf(folder, home, taken, io.env));
  // Without its account and project name, a unit would be found neither by an account pin nor by a pause.
  const problems = [...new Map(found.map(({ folder, problems }) => [folder, problems])).values()].flat();
  const sources = new Map(found.flatMap((unit) => [...unit.sources]));
  if (problems.length > 0) throw new CommandFailure(3, problems, sources);
  const text = `# Accounts of a fleet, and where the token of each is sent. Keep this file where only its operators can change it.\n# \`tradeform explain Fleet.spec\` lists all fields.\napiVersion: tradeform/v1\nkind: Fleet\nmetadata:\n  name: fleet\nspec:\n  base_url: ${JSON.stringify(base.url)}\n  units:\n${found.map((unit) => unit.text).join('')}`;
  await writeProjectFile({ path, text, name: file });
  const next = 'Set the tokens, and run `tradeform fleet validate`.';
  return presentAnswer(
    { command: 'fleet init', units: found.length },
    (_shown, { columns }) => paragraph(`Wrote ${file}: ${found.length} units. ${next}`, columns),
    options,
    io,
  );
}

/** `tradeform init --from-live` for each unit of the fleet file. A folder with a project stays as it is. */
async function projectsFromLive(options: InitFleetOptions, io: Io): Promise<number> {
  const { presets, grouped } = options;
  const ready = await readyFleet(options, io);
  /** By the name of an account, or by the ids of its tasks. A project that is there names its account, or its account is read. */
  const owners = new Map(
    ready.bound.map(({ unit, policy }) => [`${unit.baseUrl} ${policy?.account?.login_username ?? ''}`, unit]),
  );
  const unnamed = ready.bound.filter(
    ({ unit, policy }) => isMade(unit.folder) && policy?.account?.login_username === undefined,
  );
  const read: UnitCommand = (own, ownIo) => runStatus([], own, ownIo);
  for (const { unit, document } of await runUnits(ready, read, { ...options, quiet: true }, io, unnamed)) {
    if (document?.format !== STATUS_FORMAT) continue;
    const { service, tasks } = document;
    for (const one of [service.login_username, ...tasks.map(({ id }) => id)])
      if (one !== null) owners.set(`${unit.baseUrl} ${one}`, unit);
  }
  const claim = (unit: Unit, { account: { login_username: login }, tasks }: LiveState) => {
    for (const one of login === null ? tasks.map(({ id }) => id) : [login]) {
      const key = `${unit.baseUrl} ${one}`;
      const { name } = owners.get(key) ?? unit;
      if (name !== unit.name)
        throw new CommandFailure(3, [sharedAccount(unit, `${name} has the same account`)]);
      owners.set(key, unit);
    }
  };
  const command: UnitCommand = (own, ownIo, { unit, project }) => {
    const { folder, projectName } = unit;
    const accept = (live: LiveState) => claim(unit, live);
    const how = given({ ...own, presets, grouped, projectName, accept, ci: 'none' as const, fromLive: true });
    return isMade(folder)
      ? presentAnswer({ command: 'init', project, made: [], kept: [PROJECT_FILE] }, () => '', own, ownIo)
      : runInit(folder, how, ownIo);
  };
  const bound = ready.bound.map((one) => ({ ...one, diagnostics: hindrances(one, ready.bound) }));
  const ends = await runUnits({ ...ready, bound }, command, options, io);
  return presentFleet('init', ends, ready, options, io);
}

/** The same for one folder that links give two names, also where nothing is there yet. */
const placeOf = (folder: string) => JSON.stringify(follow(folder));

function isMade(folder: string): boolean {
  return existsSync(join(folder, PROJECT_FILE));
}

/** Why a project cannot be made. Two projects with the tasks of one account would each want them. */
function hindrances(
  { unit, token, diagnostics }: BoundUnit,
  all: readonly BoundUnit[],
): readonly Diagnostic[] {
  const { folder, environment = ENVIRONMENT, declared } = unit;
  if (isMade(folder)) return diagnostics;
  const said = diagnostics.filter(({ code }) => code !== 'no-project-file');
  if (environment !== ENVIRONMENT) {
    const message = `a new project has the environment ${ENVIRONMENT}`;
    said.push(declared('environment-unknown', message, `write ${ENVIRONMENT}`, 'environment'));
  }
  const twins = all.filter(
    (other) =>
      placeOf(other.unit.folder) === placeOf(folder) || (token !== undefined && other.token === token),
  );
  const names = twins.map(({ unit: { name } }) => name).join(' and ');
  if (twins.length > 1) said.push(sharedAccount(unit, `${names} have one folder or one token`));
  return said;
}

const HOST = 'Use --base-url https://HOST/v1 or TRADEFORM_BASE_URL. The tokens are sent only there.';

/** Fails with exit 3 for a folder that cannot be read: it may contain projects. */
function projectsBelow(folder: string, deep: number): readonly string[] {
  if (existsSync(join(folder, PROJECT_FILE))) return [folder];
  if (deep === 0) return [];
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => projectsBelow(join(folder, name), deep - 1));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw usage(`${folder} cannot be read: ${systemWords(error)}`, 'Name the folder of your projects.');
  }
}

function unitsOf(folder: string, home: string, taken: Set<string>, env: Io['env']) {
  const request = { cwd: folder, env: withoutServices(env), projectFile: undefined };
  const { environments } = readEnvironments(request);
  return (environments.length === 0 ? [undefined] : environments).map((environment) => {
    const { settings, diagnostics, sources: texts } = readSettings({ ...request, environment });
    const project = relative(home, folder).replaceAll(sep, '/') || '.';
    const inHome = (name: string) => (project === '.' ? name : `${project}/${name}`);
    const sources = [...texts.keys()].map((name): [string, string] => [inHome(name), texts.get(name) ?? '']);
    const problems = diagnostics.flatMap((one) => {
      const { location, severity } = one;
      if (severity !== 'error') return [];
      return location === undefined
        ? one
        : { ...one, location: { ...location, file: inHome(location.file) } };
    });
    const suffix = environments.length > 1 ? `-${environment}` : '';
    const short = `${basename(folder)}${suffix}`;
    const name = nameFor(taken.has(short) ? `${project}${suffix}` : short);
    taken.add(name);
    const lines = given({
      project,
      environment,
      project_name: settings?.project,
      token_env: 'TRADEFORM_TOKEN_{NAME}',
      account: settings?.account,
    });
    const written = Object.entries(lines).map(([key, value]) => `      ${key}: ${JSON.stringify(value)}\n`);
    const text = [`    - name: ${JSON.stringify(name)}\n`, ...written].join('');
    return { text, folder, problems, sources };
  });
}

function nameFor(text: string): string {
  return (
    text
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 63) || 'unit'
  );
}
