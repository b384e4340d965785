import type { Io } from '../command/io.ts';
import { readProjectOf } from '../command/read-project.ts';
import { manifestsDigest } from '../desired/digest.ts';
import { type Diagnostic, warning } from '../diagnostics/diagnostic.ts';
import { revertText } from '../origin/made-by.ts';
import type { Loaded } from '../planning/load-project.ts';
import { readGit } from '../project/git-state.ts';
import { visible } from '../render/untrusted.ts';
import { type ApplyOptions, runApply } from './apply.ts';

/**
 * `tradeform rollback REV`: plans the manifests of an earlier revision, then shows, approves and applies the plan as `apply` does.
 * Service, account pin and guardrails are the current ones. Returns the exit code of apply.
 */
export function runRollback(revision: string, options: ApplyOptions, io: Io): Promise<number> {
  return runApply(
    undefined,
    { ...options, at: revision, notes: (loaded) => notInGit(revision, loaded, options, io) },
    io,
  );
}

/** Says that the manifests here do not describe the state after the rollback, and how git keeps it. */
async function notInGit(
  revision: string,
  { desired, source }: Loaded,
  options: ApplyOptions,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const here = await readProjectOf(options, io);
  if (here.state !== undefined && manifestsDigest(here.state) === manifestsDigest(desired)) return [];
  const [{ commit }, git] = await Promise.all([source, readGit({ projectDir: io.cwd }, io.env)]);
  const keep = commit === git.commit ? ['revert the uncommitted changes'] : revertText(visible(revision));
  return [
    warning(
      'rollback-not-in-git',
      'The manifests here are unchanged: the next apply takes this rollback back. With --only, it does not create again what the rollback deleted.',
      `To keep it: ${keep.join(', then ')}.`,
    ),
  ];
}
