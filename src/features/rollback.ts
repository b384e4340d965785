import type { Io } from '../command/io.ts';
import { readProjectOf } from '../command/read-project.ts';
import { manifestsDigest } from '../desired/digest.ts';
import { loadRevision } from '../planning/load-project.ts';
import { readGit } from '../project/git-state.ts';
import { paragraph } from '../render/layout.ts';
import { visible } from '../render/untrusted.ts';
import { type ApplyOptions, runApply } from './apply.ts';

/**
 * `tradeform rollback REV`: plans the manifests of an earlier revision, then shows, approves and applies the plan as `apply` does.
 * Service, account pin and guardrails are the current ones. Returns the exit code of apply.
 */
export async function runRollback(revision: string, options: ApplyOptions, io: Io): Promise<number> {
  const code = await runApply(undefined, { ...options, at: revision }, io);
  if (options.quiet === true) return code;
  const undo = await toUndo(revision, options, io);
  if (undo !== undefined) {
    const text = `The manifests here are unchanged: ${undo}, or the next apply undoes the rollback. With --only, it does not create again what the rollback deleted.`;
    io.stderr(paragraph(text, io.columns));
  }
  return code;
}

/** Why the current manifests do not describe the state after the rollback. Undefined if they do. */
async function toUndo(revision: string, options: ApplyOptions, io: Io): Promise<string | undefined> {
  const { desired, source } = await loadRevision(revision, options, io);
  const here = await readProjectOf(options, io);
  if (here.state !== undefined && manifestsDigest(here.state) === manifestsDigest(desired)) return undefined;
  const [{ commit }, git] = await Promise.all([source, readGit(io.cwd, io.env)]);
  return commit === git.commit
    ? 'revert the uncommitted changes'
    : `revert the commits since ${visible(revision)}`;
}
