import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Diagnostic, type Location, problem } from '../diagnostics/diagnostic.ts';
import { byKey } from '../model/by-key.ts';
import { named } from '../model/named.ts';
import type { TokenPlace } from '../model/token.ts';
import { matchesWildcard } from '../model/wildcard.ts';
import { isInside, realPathOf } from '../project/door/location.ts';
import { replaceFile } from '../project/replace-file.ts';
import { repositoryOf } from '../project/repository.ts';
import { visible } from '../render/untrusted.ts';
import type { Io } from './io.ts';
import { notWritten } from './unwritten.ts';

/** A token that a project or fleet file names, and the host that would receive it. */
export interface TokenHost {
  /** The name of a variable, or an absolute path with its links resolved. A confirmation names this place. */
  readonly place: string;
  readonly file?: string;
  readonly origin: string;
  /** The top of the file's repository, or a project's folder without one: everything that a pull request can change. */
  readonly reviewed: string;
}

/** Which file says so. */
type Proposer = 'project' | 'fleet';

type Asking = Pick<Io, 'env'> & Partial<Pick<Io, 'ask' | 'stdinIsTTY' | 'stderrIsTTY'>>;

/** `baseUrl` must be usable, and `folderOfFile` absolute. */
export function tokenHost(
  token: TokenPlace,
  baseUrl: string,
  folderOfFile: string,
  repository?: string,
): TokenHost {
  const { origin } = new URL(baseUrl);
  const folder = realOf(folderOfFile);
  const reviewed = repository ?? repositoryOf(folder) ?? folder;
  if ('env' in token) return { place: token.env, origin, reviewed };
  const file = realOf(resolve(folder, token.file));
  return { place: file, file, origin, reviewed };
}

/**
 * The repository that a file lies in, by its own place or by that of a link to it: a link is committed like a file. Undefined
 * outside of every repository.
 */
export function repositoryWith(path: string): string | undefined {
  for (const one of [realOf(path), join(realOf(dirname(path)), basename(path)), path]) {
    const top = repositoryOf(dirname(one));
    if (top !== undefined) return top;
  }
  return undefined;
}

/** The path with its links resolved, as far as it exists. */
export function realOf(path: string): string {
  return realPathOf(path) ?? path;
}

/**
 * Whether the operator confirmed that this host may get this token: in `TRADEFORM_CONFIRMED_HOSTS`, or with an answer to an
 * earlier run. Both are out of reach for a pull request. In the environment, * in a place stands for any text:
 * `TRADEFORM_TOKEN_*=https://api.example.com`. A token file among the files under review is never confirmed.
 */
export function isConfirmed(host: TokenHost, env: Io['env']): boolean {
  const { place, origin, reviewed } = host;
  if (isReviewed(host)) return false;
  const named = entriesOf(env.TRADEFORM_CONFIRMED_HOSTS ?? '');
  if (named.some((entry) => entry.origin === origin && matchesWildcard(entry.place, place))) return true;
  const file = operatorFile(env, reviewed);
  const answers = file === undefined ? [] : entriesOf(answersIn(file));
  return answers.some((entry) => entry.origin === origin && entry.place === place);
}

function isReviewed({ file, reviewed }: TokenHost): boolean {
  return file !== undefined && isInside(reviewed, file);
}

function entriesOf(text: string): readonly Pick<TokenHost, 'place' | 'origin'>[] {
  return text.split(/[\n,]/).map((line) => {
    const at = line.lastIndexOf('=');
    return { place: line.slice(0, Math.max(0, at)).trim(), origin: line.slice(at + 1).trim() };
  });
}

/**
 * The tokens that must not be sent. Tokens that are not confirmed yet are shown to the operator on a terminal, all tokens of a
 * host in one question, and the answer is stored.
 */
export async function unconfirmedHosts(
  hosts: readonly TokenHost[],
  proposer: Proposer,
  context: Asking,
): Promise<ReadonlySet<TokenHost>> {
  const open = new Set(hosts.filter((host) => !isConfirmed(host, context.env)));
  const { ask, stdinIsTTY, stderrIsTTY } = context;
  if (ask === undefined || stdinIsTTY !== true || stderrIsTTY !== true) return open;
  const groups = byKey(
    [...open].filter((host) => !isReviewed(host)),
    ({ origin }) => origin,
  );
  for (const [origin, group] of groups) {
    const places = group.map(({ place }) => visible(place)).join(', ');
    const tokens = group.length === 1 ? 'the token' : `${group.length} tokens`;
    const question = `The ${proposer} file sends ${tokens} from ${places} to ${origin}. Is this the right host? Only "yes" is accepted: `;
    if ((await ask(question)) !== 'yes') continue;
    for (const host of group) open.delete(host);
    await store(group, context.env);
  }
  return open;
}

async function store(hosts: readonly [TokenHost, ...TokenHost[]], env: Io['env']): Promise<void> {
  const file = operatorFile(env, hosts[0].reviewed);
  if (file === undefined) return;
  const lines = hosts
    .filter(({ place }) => !/[\n,]/.test(place))
    .map(({ place, origin }) => `${place}=${origin}\n`);
  try {
    await replaceFile(file, answersIn(file) + lines.join(''), { mode: 0o600, folders: true });
  } catch (error) {
    throw notWritten(`${file} could not be written`, error, 'Set TRADEFORM_CONFIRMED_HOSTS instead.');
  }
}

/** `all`: with those of other accounts, which have the same cause and so the same message. */
export function unconfirmed(
  host: TokenHost,
  location: Location | undefined,
  proposer: Proposer = 'project',
  all: readonly TokenHost[] = [host],
): Diagnostic {
  const { origin } = host;
  const same = all.filter((one) => one.origin === origin && isReviewed(one) === isReviewed(host));
  const places = same.map(({ place }) => place);
  // Beside another host, a pattern would let each token go to both.
  const isPattern =
    same.length > 1 && all.every((one) => one.origin === origin && one.place.startsWith('TRADEFORM_TOKEN_'));
  const entries = isPattern ? ['TRADEFORM_TOKEN_*'] : places;
  const [why, hint] = isReviewed(host)
    ? [
        `the file lies among the files that a change of the ${proposer} file can bring`,
        'Keep the token file outside of the repository, readable only for you, and write its path.',
      ]
    : [
        `only the ${proposer} file names that host`,
        `If that is right, run the command once on a terminal and confirm it, or set TRADEFORM_CONFIRMED_HOSTS="${entries.map((place) => `${place}=${origin}`).join(',')}", in CI as a setting of the repository or the project.`,
      ];
  const message = `${same.length > 1 ? 'the tokens' : 'the token'} from ${named(places, 1)} ${same.length > 1 ? 'are' : 'is'} not sent to ${origin}: ${why}; no request was sent`;
  return problem('token-unconfirmed', message, hint, { location });
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

/** The path of the stored answers. Undefined also if it lies among the files under review, which must not confirm themselves. */
function operatorFile(env: Io['env'], reviewed: string): string | undefined {
  const file = userFile(env, 'confirmed-hosts');
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
