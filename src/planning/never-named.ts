import type { Io } from '../command/io.ts';
import type { DesiredState } from '../desired/state.ts';
import type { LiveState } from '../model/resource.ts';
import { addressesNamedBy, type NeverNamed, orphanAddresses } from '../plan/identity/never-named.ts';
import { History } from '../project/history.ts';
import { openRepository } from '../project/revision.ts';
import type { Loaded } from './load-project.ts';

/** The maximum of commits to read, newest first. Most orphans are described in the commit before the current one. */
const DEPTH = 1_000;

type Found = Omit<NeverNamed, 'unattended'>;

/**
 * The owned tasks that neither the manifests, nor the base, nor any earlier commit names. Names can come from templates, so
 * each commit must be compiled. Undefined if there is none. git is asked only if an owned task has no manifest.
 */
export async function findNeverNamed(
  { desired, settings }: Pick<Loaded, 'desired' | 'settings'>,
  live: LiveState,
  base: DesiredState | undefined,
  io: Pick<Io, 'env' | 'stop'>,
): Promise<Found | undefined> {
  const left = new Set(orphanAddresses(desired, live));
  const strike = (state: DesiredState) => {
    // Under another project name, the commit describes tasks of another project.
    if (state.project !== desired.project && state.project !== desired.previousProject) return;
    for (const address of addressesNamedBy(state)) left.delete(address);
  };
  if (base !== undefined) strike(base);
  if (left.size === 0) return undefined;
  const limit = await readHistory(desired, settings, io, (state) => {
    strike(state);
    return left.size > 0;
  });
  return left.size === 0 ? undefined : { addresses: left, limit };
}

/**
 * Passes the states of earlier commits to `next`, newest first, until `next` returns false. Returns why there are no more,
 * unless the history begins there.
 */
async function readHistory(
  { environment }: DesiredState,
  { projectDir, projectFile }: Loaded['settings'],
  { env, stop }: Pick<Io, 'env' | 'stop'>,
  next: (state: DesiredState) => boolean,
): Promise<NeverNamed['limit']> {
  const opened = openRepository(projectDir, env);
  if ('diagnostic' in opened) return withoutHistory(opened.diagnostic.message);
  const { repository } = opened;
  const head = repository.head();
  if (head === undefined) return withoutHistory('the repository has no commit yet');
  const request = { repository, projectDir, projectFile, env, environment: environment ?? undefined };
  const history = new History({ ...request, head, depth: DEPTH });
  let broken = 0;
  for await (const { state } of history.commits()) {
    if (stop.soft.aborted) break;
    if (state === 'broken') broken += 1;
    if (typeof state === 'object' && !next(state)) return undefined;
  }
  if (history.problem !== undefined) return withoutHistory(history.problem);
  if (history.shallow) {
    return {
      text: 'this clone is shallow',
      hint: 'If git named it before: fetch the history, with `fetch-depth: 0` for actions/checkout, or `git fetch --unshallow`.',
    };
  }
  if (history.ended === 'depth') {
    return {
      text: `only the last ${DEPTH} commits were read`,
      hint: 'If an older commit named it: approve the plan.',
    };
  }
  if (broken > 0) {
    return {
      text: `${broken} earlier ${broken === 1 ? 'commit does' : 'commits do'} not compile here`,
      hint: 'If these commits named it: set the environment variables that they need.',
    };
  }
  return undefined;
}

function withoutHistory(text: string): NeverNamed['limit'] {
  return { text, hint: 'If git named it before: run this in a clone with the history.' };
}
