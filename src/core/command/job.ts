import { usage, warning } from '../diagnostics/diagnostic.ts';
import { askGit } from '../project/git.ts';
import { commitOf } from '../project/git-commands.ts';
import { isBaseUrlNamed } from './connection.ts';
import { type Event, hostIn, readEvent, requireKnown, requireMerged } from './event.ts';
import type { Io } from './io.ts';
import type { CommonOptions } from './options.ts';
import { showDiagnostics } from './show-diagnostics.ts';

/** What a command does with a token. `compares`: a base may decide where it goes. `named`: only the job and its settings decide that. */
export type Access = 'reads' | 'compares' | 'writes' | 'named';

/**
 * In a job of a forge, fails (4) before a token is read if the event that started the job may bring what nobody merged, or what a
 * stranger proposes. Returns what the command runs in: with `TRADEFORM_REPOSITORY`, as in a job of that repository.
 */
export function guardJob(
  command: string,
  access: Access,
  options: Pick<CommonOptions, 'baseUrl'> & { readonly base?: string | undefined },
  io: Io,
): Io {
  const host = hostIn(io.env);
  if (host === undefined) return io;
  const event = readEvent(io.env);
  const isFleet = command.startsWith('fleet ');
  const named = access === 'named' || (!isFleet && isBaseUrlNamed(options, io.env));
  const repository = io.env.TRADEFORM_REPOSITORY ?? '';
  if (access === 'writes' || repository !== '') requireMerged(command, event);
  else requireKnown(command, event, named || (access === 'compares' && options.base !== undefined));
  if (repository !== '' && host.actsElsewhere) return inOther(repository, event, io);
  if (access === 'writes' && !host.protects) showDiagnostics([UNPROTECTED], io);
  return io;
}

const UNPROTECTED = warning(
  'token-unprotected',
  'the token that writes is a secret of this repository, and Gitea has no protected environments: whoever can push a branch can read it',
  'Move it and this workflow to a repository of their own, and name this one with TRADEFORM_REPOSITORY (docs/how-to/gitea.md).',
);

/**
 * The surroundings of a job of another repository, whose branch is checked out: whoever can write to that one reads no secret of this
 * one. What the host says of it is asked there.
 */
function inOther(named: string, { name }: Event, io: Io): Io {
  const [, repository, branch] = /^([\w.-]+\/[\w.-]+)@([\w./-]+)$/.exec(named) ?? [];
  if (repository === undefined)
    throw usage(`TRADEFORM_REPOSITORY is not OWNER/NAME@BRANCH: ${named}`, 'Name the branch as well.');
  const head = askGit(commitOf('HEAD'), io.cwd, io.env);
  if (head === undefined)
    throw usage(`there is no checkout of ${repository}`, 'Give actions/checkout the same `repository`.');
  const env = {
    ...{ ...io.env, GITHUB_RUN_REPOSITORY: io.env.GITHUB_REPOSITORY, GITHUB_REPOSITORY: repository },
    ...{ GITHUB_REF: `refs/heads/${branch}`, GITHUB_SHA: head, GITHUB_EVENT_PATH: undefined },
    ...{ GITHUB_EVENT_NAME: name, TRADEFORM_REPOSITORY: undefined },
  };
  return Object.assign(Object.create(io) as Io, { env });
}
