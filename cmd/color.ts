import { fstatSync } from 'node:fs';

/** The inputs of the decision whether a stream gets colour. */
interface ColorChoice {
  /** `--no-color` was given. */
  readonly off: boolean;
  readonly stream: { readonly isTTY?: boolean; readonly fd?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * tradeform decides by itself, because Node prefers FORCE_COLOR to NO_COLOR and treats an empty NO_COLOR as set. A terminal that
 * supports colour gets it, and so does the log of a CI system that shows it. A file gets it only on request.
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
