import type { Seed } from '../../src/sandbox/seed.ts';

export const PROJECT: string;
export const TOKEN: string;
export function seedOf(
  settings: {
    readonly tasks: number;
    readonly labels: number;
    readonly owned?: number;
    readonly accounts?: number;
  },
  versionDigest: typeof import('../../src/desired/version.ts').versionDigest,
): Seed;
