import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Io } from '../../command/io.ts';
import type { CommonOptions } from '../../command/options.ts';
import { usage } from '../../command/usage-error.ts';
import { PROJECT_PATTERN } from '../../model/address.ts';
import { openGit } from '../../project/git.ts';
import { originUrl } from '../../project/git-commands.ts';
import { checkBaseUrl } from '../../service/http/base-url.ts';
import type { CiSystem } from './ci-files.ts';

export interface InitOptions extends CommonOptions {
  readonly projectName?: string;
  readonly ci?: CiSystem;
  /** Manifests of what is on the service, instead of an example. */
  readonly fromLive?: boolean;
  readonly presets?: boolean;
  readonly grouped?: boolean;
}

export interface Answers {
  readonly name: string;
  /** Nobody was asked for the name: it is made from the folder's. */
  readonly afterFolder: boolean;
  readonly baseUrl: string | undefined;
  readonly ci: CiSystem;
  readonly live: boolean;
  /** There is a token, and an address to ask: whether the name is free can be seen. */
  readonly connected: boolean;
}

const LONGEST_NAME = 12;

/** What options do not say is asked on a terminal, and taken from the folder without one. Fails (exit 3) for what cannot be. */
export async function answersFor(folder: string, options: InitOptions, io: Io): Promise<Answers> {
  const asks = io.stdinIsTTY && io.stderrIsTTY;
  const ask = async (question: string, otherwise: string) => {
    if (!asks) return otherwise;
    const answer = await io.ask(`${question}${otherwise === '' ? '' : ` [${otherwise}]`}: `);
    return answer === '' ? otherwise : answer;
  };
  const name =
    options.projectName ?? (await ask('Name of the project, 1 to 12 of a-z 0-9 -', nameFrom(folder)));
  if (!PROJECT_PATTERN.test(name))
    throw usage(`${JSON.stringify(name)} is not 1 to 12 of a-z, 0-9 and -`, 'Write --project-name core.');
  const known = options.baseUrl ?? (io.env.TRADEFORM_BASE_URL || undefined);
  const baseUrl = known ?? (await ask('Base URL of the service, https://HOST/v1; empty: later', ''));
  const ci = options.ci ?? (await ask('CI workflow: github, gitlab or none', ciOf(folder, io)));
  if (ci !== 'github' && ci !== 'gitlab' && ci !== 'none')
    throw usage(`${JSON.stringify(ci)} is no CI system that is known`, 'Write github, gitlab or none.');
  const token = Boolean(options.tokenFile || io.env.TRADEFORM_TOKEN || io.env.TRADEFORM_TOKEN_FILE);
  const live =
    options.fromLive ??
    (token &&
      baseUrl !== '' &&
      (await ask('Write manifests of what is on the service: yes or no', 'yes')) === 'yes' &&
      asks);
  const afterFolder = options.projectName === undefined && !asks;
  return { name, afterFolder, baseUrl: checkedUrl(baseUrl), ci, live, connected: token && baseUrl !== '' };
}

function checkedUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const check = checkBaseUrl(text);
  if (check.ok) return check.url;
  throw usage(
    `the base URL cannot be used: ${check.problem}`,
    'Write https://HOST/v1; the version segment belongs to it.',
  );
}

/** Of two repositories in folders of one name each would take the other's tasks for its own: chance tells them apart. */
const CHANCE = 'abcdefghijkmnpqrstuvwxyz23456789';
const ENDING = 4;

/** The folder's name, as far as it can be one, and an ending by chance. */
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

function ciOf(folder: string, { env }: Io): CiSystem {
  if (existsSync(join(folder, '.gitlab-ci.yml'))) return 'gitlab';
  if (existsSync(join(folder, '.github'))) return 'github';
  const opened = openGit(folder, env);
  const origin = 'git' in opened ? opened.git.ask(originUrl) : undefined;
  const url = origin?.ok === true ? origin.stdout.toString('utf8') : '';
  if (/gitlab/i.test(url)) return 'gitlab';
  return /github/i.test(url) ? 'github' : 'none';
}
