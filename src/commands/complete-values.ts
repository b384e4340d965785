import { resolve } from 'node:path';
import { CODES } from '../diagnostics/codes.ts';
import { readProject, readProjectFiles } from '../files/project.ts';
import { KIND_NAMES } from '../manifest/schema.ts';
import { KINDS } from '../model/kind.ts';
import type { Io } from './io.ts';
import { chosenEnvironment } from './options.ts';

/** The project that a command line names, as far as it is written. */
export interface Named {
  readonly chdir: string | undefined;
  readonly project: string | undefined;
  readonly environment: string | undefined;
}

/** Addresses of the manifests; none where these cannot be compiled: a shell that completes shows no errors. */
export async function addressesOf(named: Named, io: Io): Promise<readonly string[]> {
  const { chdir, project, environment } = named;
  const { state } = await readProject({
    cwd: io.cwd,
    ...(chdir === undefined ? {} : { chdir }),
    projectFile: project,
    // Which one does not matter for most names, and naming one comes later on the line.
    environment: chosenEnvironment(environment, io.env) ?? environmentsOf(named, io)[0],
    env: io.env,
  });
  if (state === undefined) return [];
  return [...state.tasks, ...state.templates, ...state.labels].map(({ address }) => address).sort();
}

/** Environments of the project file, however many there are. */
export function environmentsOf({ chdir, project }: Named, { cwd }: Io): readonly string[] {
  return readProjectFiles({ cwd: resolve(cwd, chdir ?? '.'), projectFile: project }).environments;
}

/** What `explain` takes as the beginning of a path. */
export function kindNames(): readonly string[] {
  return [...KIND_NAMES, ...KINDS.map(({ collection }) => collection)];
}

export function collectionNames(): readonly string[] {
  return KINDS.map(({ collection }) => collection);
}

export function codeNames(): readonly string[] {
  return Object.keys(CODES);
}
