import { resolve } from 'node:path';
import type { Io } from '../../command/io.ts';
import { chosenEnvironment } from '../../command/options.ts';
import type { DesiredState } from '../../desired/state.ts';
import { CODES } from '../../diagnostics/codes.ts';
import { KIND_NAMES } from '../../manifest/schema.ts';
import { KINDS, TASK_KINDS } from '../../model/kind.ts';
import { openGit } from '../../project/git.ts';
import { refNames } from '../../project/git-commands.ts';
import { readProject, readProjectFiles } from '../../project/project.ts';
import type { Named } from './live.ts';

/** Addresses of the manifests; none where these cannot be compiled: a shell that completes shows no errors. */
export async function addressesOf(named: Named, io: Io): Promise<readonly string[]> {
  const state = await stateOf(named, io);
  if (state === undefined) return [];
  return [...state.tasks, ...state.templates, ...state.labels].map(({ address }) => address).sort();
}

/** The same of tasks alone. */
async function taskAddressesOf(named: Named, io: Io): Promise<readonly string[]> {
  return ((await stateOf(named, io))?.tasks ?? []).map(({ address }) => address).sort();
}

/** Tasks of the project on the service; those of the manifests where it does not answer. */
export async function liveAddressesOf(
  which: 'running' | 'paused' | 'all',
  named: Named,
  io: Io,
): Promise<readonly string[]> {
  const { liveNames } = await import('./live.ts');
  const live = await liveNames(named, io);
  if (live === undefined) return taskAddressesOf(named, io);
  if (which !== 'all') return live[which];
  const wanted = await taskAddressesOf(named, io);
  return [...new Set([...live.running, ...live.paused, ...wanted])].sort();
}

/** Names of labels, as the service and the manifests have them. */
export async function labelsOf(named: Named, io: Io): Promise<readonly string[]> {
  const { liveNames } = await import('./live.ts');
  const [live, state] = await Promise.all([liveNames(named, io), stateOf(named, io)]);
  const wanted = (state?.labels ?? []).flatMap(({ name, shownName }) => [name, shownName]);
  return [...new Set([...(live?.labels ?? []), ...wanted])].sort();
}

async function stateOf(named: Named, io: Io): Promise<DesiredState | undefined> {
  const { chdir, project, environment } = named;
  const { state } = await readProject({
    cwd: io.cwd,
    ...(chdir === undefined ? {} : { chdir }),
    projectFile: project,
    // Which one does not matter for most names, and naming one comes later on the line.
    environment: chosenEnvironment(environment, io.env) ?? environmentsOf(named, io)[0],
    env: io.env,
  });
  return state;
}

/** Environments of the project file, however many there are. */
export function environmentsOf({ chdir, project }: Named, { cwd, env }: Io): readonly string[] {
  return readProjectFiles({ cwd: resolve(cwd, chdir ?? '.'), projectFile: project, env }).environments;
}

/** What `explain` takes: kinds, and behind a dot the fields that stand there. */
export async function fieldNames(typed: string): Promise<readonly string[]> {
  const dot = typed.lastIndexOf('.');
  if (dot < 0) return [...KIND_NAMES, ...KINDS.map(({ collection }) => collection)];
  const { fieldsAt } = await import('../explain/field-forms.ts');
  return fieldsAt(typed.slice(0, dot)).map((name) => `${typed.slice(0, dot)}.${name}`);
}

/** Of other projects that have tasks on the account; none where the service does not answer. */
export async function foreignProjectsOf(named: Named, io: Io): Promise<readonly string[]> {
  const { liveNames } = await import('./live.ts');
  return (await liveNames(named, io))?.projects ?? [];
}

export function collectionNames(): readonly string[] {
  return KINDS.map(({ collection }) => collection);
}

export function taskKindNames(): readonly string[] {
  return TASK_KINDS.map(({ collection }) => collection);
}

/** Branches and tags. */
export function revisionNames({ chdir }: Named, { cwd, env }: Io): readonly string[] {
  const opened = openGit(resolve(cwd, chdir ?? '.'), env);
  const answer = 'git' in opened ? opened.git.ask(refNames) : undefined;
  if (answer?.ok !== true) return [];
  const names = answer.stdout.toString('utf8').split('\n');
  return ['HEAD', ...names.filter((name) => name !== '')];
}

export function codeNames(): readonly string[] {
  return Object.keys(CODES);
}
