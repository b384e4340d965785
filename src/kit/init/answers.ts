import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FORGE_NAMES, type ForgeName } from '../../core/command/event.ts';
import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { usage } from '../../core/diagnostics/diagnostic.ts';
import { PROJECT_PATTERN } from '../../core/model/address.ts';
import { checkBaseUrl } from '../../core/model/base-url.ts';
import type { LiveState } from '../../core/model/resource.ts';
import { askGit } from '../../core/project/git.ts';
import { originUrl } from '../../core/project/git-commands.ts';
import { paragraph } from '../../core/render/layout.ts';
import { visible } from '../../core/render/untrusted.ts';
import type { CiSystem } from './ci-files.ts';

export interface InitOptions extends CommonOptions {
  readonly projectName?: string;
  readonly ci?: CiSystem;
  /** Write manifests of what is on the service instead of an example. */
  readonly fromLive?: boolean;
  readonly presets?: boolean;
  readonly grouped?: boolean;
  /** Of a fleet: sees what `fromLive` read before a file is written, and may fail. */
  readonly accept?: (live: LiveState) => void;
}

export interface Answers {
  readonly name: string;
  /** Nobody was asked for the name: it is derived from the folder's name. */
  readonly afterFolder: boolean;
  readonly baseUrl: string | undefined;
  readonly ci: CiSystem;
  readonly live: boolean;
  /** A token and a base URL are known, so the name can be checked. */
  readonly connected: boolean;
}

const LONGEST_NAME = 12;

/** The problem of an unusable answer, and what could be written. */
type Problem = readonly [message: string, hint: string] | undefined;

/**
 * On a terminal, asks for everything that no option says, again after an unusable answer. Without a terminal, uses the folder's
 * name. Fails (exit 3) for an unusable option.
 */
export async function answersFor(folder: string, options: InitOptions, io: Io): Promise<Answers> {
  const asks = io.stdinIsTTY && io.stderrIsTTY;
  const ask = async (question: string, otherwise: string, problemOf: (answer: string) => Problem) => {
    while (asks) {
      const answer = (await io.ask(`${question}${otherwise === '' ? '' : ` [${otherwise}]`}: `)) || otherwise;
      const problem = problemOf(answer);
      if (problem === undefined) return answer;
      io.stderr(paragraph(`${visible(problem[0])}. ${problem[1]}`, io.columns));
    }
    return otherwise;
  };
  const checked = (value: string, problemOf: (answer: string) => Problem) => {
    const problem = problemOf(value);
    if (problem !== undefined) throw usage(...problem);
    return value;
  };
  const name = checked(
    options.projectName ??
      (await ask('Name of the project (1 to 12 of a-z, 0-9, -)', nameFrom(folder), nameProblem)),
    nameProblem,
  );
  const known = options.baseUrl ?? (io.env.TRADEFORM_BASE_URL || undefined);
  const baseUrl = checked(
    known ?? (await ask('Base URL of the service, https://HOST/v1 (empty: later)', '', urlProblem)),
    urlProblem,
  );
  const token = Boolean(options.tokenFile || io.env.TRADEFORM_TOKEN || io.env.TRADEFORM_TOKEN_FILE);
  if (!token && asks) io.stderr(paragraph(NO_TOKEN, io.columns));
  const ci = options.ci ?? ((await ask(`CI workflow: ${CI_WORDS}`, ciOf(folder, io), ciProblem)) as CiSystem);
  const connected = token && baseUrl !== '';
  const question = 'Write manifests for everything on the service: yes or no';
  const wrong = (answer: string): Problem =>
    answer === 'yes' || answer === 'no' ? undefined : ['Neither yes nor no', 'Write yes or no.'];
  const live = options.fromLive ?? (asks && connected && (await ask(question, 'yes', wrong)) === 'yes');
  const afterFolder = options.projectName === undefined && !asks;
  return { name, afterFolder, baseUrl: urlOf(baseUrl), ci, live, connected };
}

const NO_TOKEN =
  'There is no token (TRADEFORM_TOKEN, TRADEFORM_TOKEN_FILE or --token-file): init reads no account, exports none and pins none. If it should, stop here with Ctrl-C and set the token.';

function nameProblem(name: string): Problem {
  if (PROJECT_PATTERN.test(name)) return undefined;
  return [
    `${JSON.stringify(name)} is not 1 to 12 characters of a-z, 0-9 and -`,
    'Write a name such as core (--project-name).',
  ];
}

function urlProblem(text: string): Problem {
  const check = text === '' ? undefined : checkBaseUrl(text);
  if (check === undefined || check.ok) return undefined;
  const hint = 'Write https://HOST/v1, with the version segment.';
  return [`the base URL cannot be used: ${check.problem}`, hint];
}

function urlOf(text: string): string | undefined {
  const check = checkBaseUrl(text);
  return check.ok ? check.url : undefined;
}

function ciProblem(ci: string): Problem {
  if ([...FORGE_NAMES, 'none'].includes(ci)) return undefined;
  return [`unknown CI system ${JSON.stringify(ci)}`, `Write ${CI_WORDS}.`];
}

const CI_WORDS = `${FORGE_NAMES.join(', ')} or none`;

/**
 * Two repositories in folders with the same name would each treat the other's tasks as their own. A random ending separates them.
 */
const CHANCE = 'abcdefghijkmnpqrstuvwxyz23456789';
const ENDING = 4;

/** The usable part of the folder's name, with a random ending. */
function nameFrom(folder: string): string {
  const slug = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST_NAME - ENDING - 1)
    .replace(/-+$/, '');
  const ending = Array.from({ length: ENDING }, () => CHANCE[randomInt(CHANCE.length)]).join('');
  return `${slug === '' ? 'core' : slug}-${ending}`;
}

/** What a repository has: a path, and words in the URL of its origin. */
const SIGNS: Readonly<Record<ForgeName, readonly [path: string, url: RegExp]>> = {
  gitlab: ['.gitlab-ci.yml', /gitlab/i],
  gitea: ['.gitea', /gitea|forgejo|codeberg/i],
  github: ['.github', /github/i],
};

function ciOf(folder: string, { env }: Io): CiSystem {
  const names = Object.keys(SIGNS) as ForgeName[];
  const url = askGit(originUrl, folder, env) ?? '';
  const known = names.find((name) => existsSync(join(folder, SIGNS[name][0])));
  return known ?? names.find((name) => SIGNS[name][1].test(url)) ?? 'none';
}
