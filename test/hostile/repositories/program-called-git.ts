import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { honestRepository, payload } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const NAMES = ['git', 'git.exe', 'node_modules/.bin/git', 'sh', 'node_modules/.bin/sh'];

/** Programs in the project are called like those that are looked for in PATH, which has `.` and `node_modules/.bin` first. */
export const repository: HostileRepository = {
  name: 'program-called-git',
  build(place) {
    const { folder } = place;
    const trap = `#!/bin/sh\n${payload(place)}\n`;
    honestRepository(folder, Object.fromEntries(NAMES.map((name) => [name, trap])));
    for (const name of NAMES) chmodSync(join(folder, name), 0o755);
    return {};
  },
};
