import { join, resolve } from 'node:path';
import { type Event, readEvent, requireMerged } from '../../core/command/event.ts';
import type { Io } from '../../core/command/io.ts';
import { refuseTogether } from '../../core/command/options.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { CommandFailure, usage } from '../../core/diagnostics/diagnostic.ts';
import { paragraph } from '../../core/render/layout.ts';
import { type Forge, WORDS } from '../forge/forge.ts';
import { usingForge } from '../forge/open.ts';
import { untilAnswered } from '../forge/rest.ts';
import { fileText, type Reviewed, readReviewed, refuseSuperseded } from './reviewed.ts';

/** Options that leave out a part of the project or of the fleet: what is recorded as applied is whole. */
const PARTS = ['target', 'exclude', 'select', 'tag', 'shard'] as const;

export interface DueOptions extends Partial<Record<(typeof PARTS)[number], unknown>> {
  /** The folder that `tradeform comment reviewed` wrote. */
  readonly reviewed?: string;
  readonly only?: string | undefined;
  readonly base?: string | undefined;
  readonly expect?: string | readonly string[] | undefined;
  readonly output?: string | undefined;
}

export interface Due {
  readonly base?: string;
  /** Digests, and files in the folder. */
  readonly expect?: readonly string[];
  readonly approvals?: readonly string[];
  /** The earlier commit that is applied instead. */
  readonly at?: string;
  readonly only?: undefined;
}

/**
 * What an apply goes out from, and what was approved, as `tradeform comment reviewed` found it. Undefined if nothing is due, which is
 * said. Fails with 4 if nothing was approved, and with 5 if the branch has a newer commit.
 */
export async function findDue(options: DueOptions, io: Io): Promise<Due | undefined> {
  const { reviewed: folder = '', only, output } = options;
  const expected = 'Pass --expect to `tradeform comment reviewed`.';
  refuseTogether('--reviewed', options, ['base', 'expect'], 'which it decides itself', expected);
  const whole = 'Apply a part without --reviewed.';
  refuseTogether('--reviewed', options, PARTS, 'which leaves out a part', whole);
  const event = readEvent(io.env);
  requireMerged('apply', event);
  const { deploys } = WORDS[event.host];
  if (deploys) requireHead(folder, event, io);
  const before = readReviewed(folder, io);
  // No plan at all would be applied without a review.
  const approved = Array.isArray(before?.expect) && (before.given || before.expect.length > 0);
  if (before?.commit !== event.sha || before.refused !== undefined || (before.due && !approved))
    throw CommandFailure.of(
      4,
      'not-reviewed',
      `${folder} does not say that anything of ${event.sha.slice(0, 12)} was approved`,
      'Run `tradeform comment reviewed` before, in the same pipeline.',
    );
  const { due, rollback } = before;
  if (!due || (deploys && (await isDeployed(before, event, io)))) {
    const back = due || before.base === event.sha ? null : before.base;
    const was =
      back === null
        ? 'applied whole before, which used up its review'
        : `rolled back to ${back.slice(0, 12)}`;
    io.stderr(paragraph(`${event.sha.slice(0, 12)} was ${was}; nothing was done.`, io.columns));
    await presentAnswer({ command: 'apply' }, () => '', { output }, io);
    return undefined;
  }
  const isFile = (word: string) => word.endsWith('.md');
  const digests = before.expect.filter((word) => !isFile(word));
  const approvals = before.expect.filter(isFile).map((word) => join(folder, word));
  return {
    ...(digests.length === 0 ? {} : { expect: digests }),
    ...(approvals.length === 0 ? {} : { approvals }),
    ...(rollback !== undefined
      ? { at: rollback, only: undefined }
      : only !== undefined && before.base !== null && { base: before.base }),
  };
}

/** On GitLab, this job may have waited since the approval. The file `head` has what `git ls-remote` says of the branch now. */
function requireHead(folder: string, { sha, branch = '' }: Event, { cwd }: Io): void {
  const [head] = /^[0-9a-f]{40,64}(?=\t)/.exec(fileText(resolve(cwd, folder, 'head')) ?? '') ?? [];
  if (head === undefined)
    throw usage(
      `${folder}/head does not say what is on the branch`,
      'Write there what `git ls-remote` says.',
    );
  refuseSuperseded(sha, head, branch);
}

/** Whether this job was run before, with success. Whoever approves by hand may run it once more. */
async function isDeployed({ place, given }: Reviewed, { sha }: Event, io: Io): Promise<boolean> {
  if (given) return false;
  return (await asJob(io, (forge) => forge.lastApplied([sha], place))) !== undefined;
}

/** On GitLab, the deployment of this job says that the newest commit was applied. After a rollback, another one says which was. */
export async function recordRollback(folder: string, io: Io): Promise<void> {
  const event = readEvent(io.env);
  const { rollback, place = '' } = readReviewed(folder, io) ?? {};
  if (rollback === undefined || !WORDS[event.host].deploys) return;
  await asJob(io, (forge) => untilAnswered(() => forge.recordApplied(event, rollback, place)));
}

/** With the token of the job itself, which reads and writes deployments. */
function asJob<Result>({ env, masking }: Io, work: (forge: Forge) => Promise<Result>): Promise<Result> {
  return usingForge(env, masking, work, true);
}
