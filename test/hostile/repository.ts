import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where a hostile repository is built. */
export interface Place {
  /** Empty; the repository goes in here. */
  readonly folder: string;
  /** Outside of it, with a file `secret` that holds the canary. What an attack runs leaves a file here, which is seen. */
  readonly outside: string;
  readonly canary: string;
  /** The user's home folder, empty. */
  readonly home: string;
  /** The base URL of a service of the attacker's on loopback. */
  readonly elsewhere: string;
}

/**
 * A folder as an attacker would make it. The environment of the commands has `GITHUB_TOKEN`, `CI_JOB_TOKEN`, `TRADEFORM_TOKEN`
 * and `DESK_SECRET`, each with a canary of its own, and `OUTSIDE`, which is `place.outside`.
 */
export interface HostileRepository {
  /** As the file is called. */
  readonly name: string;
  /** What commands write is what it is after: those that write are never left out. */
  readonly attacksWrites?: true;
  /** Answers the project's folder below `place.folder`, where that is not the project itself. */
  build(place: Place): undefined | { readonly project?: string };
}

const FOLDER = join(import.meta.dirname, 'repositories');

/** All of them: each file in `repositories/` exports one. */
export async function allRepositories(): Promise<readonly HostileRepository[]> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
  return Promise.all(
    files.sort().map(async (file) => {
      const { repository } = (await import(join(FOLDER, file))) as { repository: HostileRepository };
      if (`${repository.name}.ts` !== file) throw new Error(`${file} is called ${repository.name}`);
      return repository;
    }),
  );
}
