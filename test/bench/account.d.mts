import type { Seed } from '../../src/sandbox/seed.ts';

export const PROJECT: string;
export const TOKEN: string;
/** Which tasks run, and of how many kinds they are. */
export interface Shape {
  readonly few?: boolean;
  readonly kinds?: 1 | 3;
}
export function seedOf(
  settings: Shape & {
    readonly tasks: number;
    readonly labels: number;
    readonly owned?: number;
    readonly accounts?: number;
  },
  versionDigest: typeof import('../../src/core/desired/version.ts').versionDigest,
): Seed;
