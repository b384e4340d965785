import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Io } from '../../command/io.ts';
import { projectAt } from '../../command/project-at-revision.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { manifestsDigest } from '../../desired/digest.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { compareRules } from '../../planning/base-rules.ts';
import { repositoryOf } from '../../project/repository.ts';
import { openRepository } from '../../project/revision.ts';
import { Masking } from '../../render/masking/masking.ts';
import { projectFolders } from './fleet-file.ts';
import { readFleet, type Unit } from './units.ts';

/**
 * The units whose compiled state or rules differ from those of a git revision, or whose entry in the fleet file differs, if that
 * file lies in a repository (`path`, absolute). A unit that cannot be compared counts as changed: its project does not compile, or
 * did not exist. Fails (exit 3) if no unit knows the revision.
 */
export async function changedSince(
  revision: string,
  units: readonly Unit[],
  { path, env }: { readonly path: string; readonly env: Io['env'] },
): Promise<readonly Unit[]> {
  const former = fleetAt(revision, path, env)?.map(entryOf);
  const changed: Unit[] = [];
  const unknown: CommandFailure[] = [];
  for (const one of units) {
    try {
      const other = former !== undefined && !former.includes(entryOf(one));
      if (other || (await isChanged(revision, one, env))) changed.push(one);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      unknown.push(error);
      changed.push(one);
    }
  }
  const [first] = unknown;
  if (first !== undefined && unknown.length === units.length) throw first;
  return changed;
}

/** The fields that decide where a unit's plan goes and what is planned. */
function entryOf({ folder, environment, projectName, baseUrl, token, account }: Unit): string {
  return JSON.stringify([folder, environment, projectName, baseUrl, token, account]);
}

async function isChanged(revision: string, unit: Unit, env: Io['env']): Promise<boolean> {
  const io = { cwd: unit.folder, env, masking: new Masking() };
  const { state, settings, guardrails } = await readProjectOf({}, unit.environment, io);
  if (state === undefined || settings === undefined || guardrails === undefined) return true;
  const at = await projectAt(revision, settings, io);
  if (at.project.state === undefined || manifestsDigest(at.project.state) !== manifestsDigest(state))
    return true;
  return (await compareRules({ settings, desired: state, guardrails }, at)).changes.length > 0;
}

/**
 * The units of the fleet file at a revision. Undefined if the file lies outside a repository. Fails (exit 3) for an unknown
 * revision.
 */
function fleetAt(revision: string, path: string, env: Io['env']): readonly Unit[] | undefined {
  // A file in a repository stays part of it, even if a link from outside leads to it.
  const real = realpathSync(path);
  if (repositoryOf(dirname(real)) === undefined) return undefined;
  const opened = openRepository(dirname(real), env);
  const found = 'repository' in opened ? opened.repository.revision(revision) : opened;
  if ('diagnostic' in found) throw new CommandFailure(3, [found.diagnostic]);
  const file = found.revision.tree.read(basename(real));
  if (!('source' in file)) return [];
  const { fleet } = readFleet(file.source, dirname(path), projectFolders);
  return (fleet?.units ?? []).filter(({ baseUrl }) => baseUrl !== '');
}
