import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { TokenPlace } from '../desired/project.ts';
import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import { isInside } from '../project/door/location.ts';
import { replaceFile } from '../project/replace-file.ts';
import { repositoryOf } from '../project/repository.ts';
import { visible } from '../render/untrusted.ts';
import type { Io } from './io.ts';
import { notWritten } from './unwritten.ts';

/** A file in the operator's settings. Files under review must not confirm themselves. */
const ANSWERS = 'confirmed-hosts';

/** A token that a project file names, and the host that would receive it. */
export interface TokenHost {
  /** The name of a variable, or an absolute path with its links resolved. A confirmation names this place. */
  readonly place: string;
  readonly file?: string;
  readonly origin: string;
  /** The top of the project's repository, or the project's folder without one: everything that a pull request can change. */
  readonly reviewed: string;
}

type Asking = Pick<Io, 'env'> & Partial<Pick<Io, 'ask' | 'stdinIsTTY' | 'stderrIsTTY'>>;

/** `baseUrl` must be usable, and `projectDir` absolute. */
export function tokenHost(token: TokenPlace, baseUrl: string, projectDir: string): TokenHost {
  const { origin } = new URL(baseUrl);
  const folder = realOf(projectDir);
  const reviewed = reviewedFolder(folder);
  if ('env' in token) return { place: token.env, origin, reviewed };
  const file = realOf(resolve(folder, token.file));
  return { place: file, file, origin, reviewed };
}

/**
 * The top of the repository that a folder lies in, or the folder itself without one: everything that a pull request can change.
 */
function reviewedFolder(folder: string): string {
  const real = realOf(folder);
  return repositoryOf(real) ?? real;
}

/** The path with its links resolved, as far as it exists. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/**
 * Whether the operator confirmed that this host may get this token: in `TRADEFORM_CONFIRMED_HOSTS`, or with an answer to an
 * earlier run. Both are out of reach for a pull request.
 */
export function isConfirmed({ place, origin, reviewed }: TokenHost, env: Io['env']): boolean {
  const file = operatorFile(env, reviewed, ANSWERS);
  const lines = `${env.TRADEFORM_CONFIRMED_HOSTS ?? ''}\n${file === undefined ? '' : answersIn(file)}`;
  return lines.split(/[\n,]/).some((line) => line.trim() === `${place}=${origin}`);
}

/** Like `isConfirmed`. If the host is not confirmed yet, it asks the operator on a terminal and stores the answer. */
export async function confirmHost(host: TokenHost, context: Asking): Promise<boolean> {
  if (isConfirmed(host, context.env)) return true;
  const { ask, stdinIsTTY, stderrIsTTY, env } = context;
  if (ask === undefined || stdinIsTTY !== true || stderrIsTTY !== true) return false;
  const { place, origin, reviewed } = host;
  const question = `The project file sends the token from ${visible(place)} to ${origin}. Is this the right host? Only "yes" is accepted: `;
  if ((await ask(question)) !== 'yes') return false;
  const file = operatorFile(env, reviewed, ANSWERS);
  if (file === undefined || /[\n,]/.test(place)) return true;
  try {
    await replaceFile(file, `${answersIn(file)}${place}=${origin}\n`, { mode: 0o600, folders: true });
  } catch (error) {
    throw notWritten(`${file} could not be written`, error, 'Set TRADEFORM_CONFIRMED_HOSTS instead.');
  }
  return true;
}

export function unconfirmed({ place, origin }: TokenHost, location: Location | undefined): Diagnostic {
  return {
    severity: 'error',
    code: 'token-unconfirmed',
    message: `the token from ${place} is not sent to ${origin}: only the project file says that it belongs there; no request was sent`,
    hint: `If that is right, run the command once on a terminal and confirm it, or set TRADEFORM_CONFIRMED_HOSTS="${place}=${origin}", in CI as a setting of the repository or the project.`,
    ...(location === undefined ? {} : { location }),
  };
}

/** The path of a file in the user's settings. Undefined without a home directory. */
export function userFile(
  { XDG_CONFIG_HOME, HOME, USERPROFILE }: Io['env'],
  name: string,
): string | undefined {
  const home = HOME || USERPROFILE;
  const settings = XDG_CONFIG_HOME || (home ? join(home, '.config') : undefined);
  return settings === undefined ? undefined : resolve(settings, 'tradeform', name);
}

/** Like `userFile`, but also undefined if the path lies among the files under review. */
function operatorFile(env: Io['env'], reviewed: string, name: string): string | undefined {
  const file = userFile(env, name);
  if (file === undefined) return undefined;
  const places = [file, realOf(file), realOf(dirname(file)), realOf(dirname(dirname(file)))];
  return places.some((one) => isInside(reviewed, one)) ? undefined : file;
}

/** The stored answers. A file that others may write counts as empty. */
function answersIn(file: string): string {
  try {
    const others = process.platform === 'win32' ? 0 : statSync(file).mode & 0o022;
    return others === 0 ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
