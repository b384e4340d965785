import type { Io } from '../io.ts';

/** True where GitHub Actions runs the program. */
export function inActions(env: Io['env']): boolean {
  return env.GITHUB_ACTIONS === 'true';
}
