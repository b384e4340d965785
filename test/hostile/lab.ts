import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CANARY } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import type { HostileRepository } from './repository.ts';

/** Folders around one repository, and what is secret in them. */
export interface Lab {
  readonly root: string;
  /** What the repository may be read and written in. */
  readonly repository: string;
  /** The working directory of the commands. */
  readonly project: string;
  readonly outside: string;
  readonly cache: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

const OUTSIDE = 'outside-canary-9c41d7';
/** Each in a variable of the environment of this name. */
const SECRETS = {
  TRADEFORM_TOKEN: CANARY,
  GITHUB_TOKEN: 'ghs_canary5b1d03f2a7',
  CI_JOB_TOKEN: 'glcbt-canary-0e6a91',
  DESK_SECRET: 'desk-canary-77b2c4',
};

/** What may be in no output, and how it may not be written either. */
export const CANARIES: readonly { readonly name: string; readonly text: string }[] = Object.entries({
  OUTSIDE,
  ...SECRETS,
}).flatMap(([name, secret]) => {
  const bytes = Buffer.from(secret);
  return [
    { name, text: secret },
    { name: `${name} in base64`, text: bytes.toString('base64').replace(/=+$/, '').slice(0, -1) },
    { name: `${name} in hex`, text: bytes.toString('hex') },
  ];
});

/** Builds a repository; `elsewhere` is the attacker's service. */
export function buildLab(repository: HostileRepository, elsewhere: string): Lab {
  const root = temporaryFolder('hostile');
  const folder = (name: string) => {
    mkdirSync(join(root, name), { mode: 0o700 });
    return join(root, name);
  };
  const [home, cache, place, outside] = [
    folder('home'),
    folder('cache'),
    folder('repository'),
    folder('outside'),
  ];
  writeFileSync(join(outside, 'secret'), `${OUTSIDE}\n`);
  const { project = '.' } =
    repository.build({ folder: place, outside, canary: OUTSIDE, home, elsewhere }) ?? {};
  return {
    root,
    repository: place,
    project: join(place, project),
    outside,
    cache,
    home,
    env: {
      ...SECRETS,
      OUTSIDE: outside,
      HOME: home,
      XDG_CACHE_HOME: cache,
    },
  };
}

/** One text for all that is in the outside folder: what changes it was written there. */
export function fingerprint(folder: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${path} ${entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`;
  });
  return names.sort().join('\n');
}
