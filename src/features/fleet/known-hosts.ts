import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Io } from '../../command/io.ts';
import { CommandFailure, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { repositoryOf } from '../../project/repository.ts';
import { openRepository } from '../../project/revision.ts';
import { projectFolders } from './fleet-file.ts';
import { readFleet, type Unit } from './units.ts';

/**
 * Refuses units that this change alone sends to a host. A fleet file in a repository (`path`, absolute) is compared with that of
 * the base. A token may go where the base's fleet file sends it. A token that the base does not name may go to any host that the
 * base names. A fleet file outside a repository is the operator's own. Fails (exit 3) for an unknown revision.
 */
export function unknownHosts(
  revision: string,
  path: string,
  units: readonly Unit[],
  env: Io['env'],
): ReadonlyMap<Unit, Diagnostic> {
  const base = fleetAt(revision, path, env);
  if (base === undefined) return new Map();
  const hosts = new Map(base.map((unit) => [JSON.stringify(unit.token), originOf(unit)]));
  const known = new Set(hosts.values());
  const refused = units.filter((unit) => {
    const origin = originOf(unit);
    const former = hosts.get(JSON.stringify(unit.token));
    return former === undefined ? !known.has(origin) : former !== origin;
  });
  return new Map(refused.map((unit) => [unit, unconfirmed(unit, revision)]));
}

/**
 * The units of the fleet file at a revision. Undefined if the file lies outside a repository. Fails (exit 3) for an unknown
 * revision.
 */
export function fleetAt(revision: string, path: string, env: Io['env']): readonly Unit[] | undefined {
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

function originOf({ baseUrl }: Unit): string {
  return new URL(baseUrl).origin;
}

function unconfirmed({ baseUrl, declared }: Unit, revision: string): Diagnostic {
  return declared({
    code: 'base-url-unconfirmed',
    message: `the token of this unit is not sent to ${new URL(baseUrl).origin}: the fleet file at ${revision} does not name that host for this unit`,
    hint: 'Change the fleet file first, in a separate change, or keep it outside the repository.',
  });
}
