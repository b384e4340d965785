import { fstatSync } from 'node:fs';

/** What decides whether a stream gets colour. */
interface ColorChoice {
  /** `--no-color` was given. */
  readonly off: boolean;
  readonly stream: { readonly isTTY?: boolean; readonly fd?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Our own decision: Node lets FORCE_COLOR win over NO_COLOR and takes an empty NO_COLOR as set. Colour is for a terminal
 * that knows it and for the log of a CI that shows it; a file gets none unless it is asked for.
 */
export function wantsColor({ off, stream, env }: ColorChoice): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', CLICOLOR_FORCE = '', TERM } = env;
  if (off || NO_COLOR !== '' || ['0', 'false'].includes(FORCE_COLOR)) return false;
  if (FORCE_COLOR !== '' || !['', '0'].includes(CLICOLOR_FORCE)) return true;
  if (stream.isTTY === true) return TERM !== 'dumb';
  return (env.GITHUB_ACTIONS === 'true' || env.GITLAB_CI === 'true') && !isFile(stream.fd);
}

function isFile(descriptor: number | undefined): boolean {
  try {
    return descriptor !== undefined && fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}
