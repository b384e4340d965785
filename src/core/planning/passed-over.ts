import type { Io } from '../command/io.ts';
import { projectAt } from '../command/project-at-revision.ts';
import { type Diagnostic, warning } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';
import { bareName } from '../model/address.ts';
import type { LiveState } from '../model/resource.ts';
import { addressesNamedBy, orphanAddresses } from '../plan/identity/never-named.ts';
import { discover, holdsManifest } from '../project/discover.ts';
import { diskTree } from '../project/read-file.ts';
import { openRepository } from '../project/revision.ts';
import type { Loaded } from './load-project.ts';

type Here = Pick<Loaded, 'desired' | 'settings' | 'sources'>;

const ANYWHERE = '**/*.{yaml,yml,json,txt,bak,old,off,disabled}*';

/** A warning for each task without a manifest that is in a file which no pattern matches: somebody renamed or moved it. */
export function passedOver(here: Here, live: LiveState): readonly Diagnostic[] {
  const orphans = [...orphanAddresses(here.desired, live)];
  return orphans.length === 0 ? [] : describedIn(unread(here), orphans);
}

/** The same without the service, for the tasks of the commit that is checked out and of the one before it. */
export async function passedOverSince(
  here: Here,
  io: Pick<Io, 'env' | 'masking'>,
): Promise<readonly Diagnostic[]> {
  const { desired, settings } = here;
  const files = desired.pruneTasks === 'never' ? [] : unread(here);
  const opened = files.length === 0 ? undefined : openRepository(settings, io.env);
  if (opened === undefined || 'diagnostic' in opened) return [];
  const { repository } = opened;
  const named = addressesNamedBy(desired);
  const gone = new Set<string>();
  for (const commit of ['HEAD', 'HEAD~1']) {
    if ('diagnostic' in repository.revision(commit)) continue;
    const { state } = (await projectAt(commit, settings, io)).project;
    for (const { address } of state?.project === desired.project ? state.tasks : [])
      if (!named.has(address)) gone.add(address);
  }
  return describedIn(files, [...gone]);
}

/** The files with a manifest that no pattern matches. */
function unread({ settings: { projectDir, projectFile }, sources }: Here): readonly Source[] {
  const tree = diskTree(projectDir);
  const location = { file: projectFile, line: 1, column: 1 };
  return discover(tree, [{ pattern: ANYWHERE, location }], projectFile).files.flatMap((file) => {
    const result = sources.has(file) ? undefined : tree.read(file);
    return result !== undefined && 'source' in result && holdsManifest(result.source) ? [result.source] : [];
  });
}

function describedIn(files: readonly Source[], addresses: readonly string[]): readonly Diagnostic[] {
  return addresses.flatMap((address) => {
    const named = new RegExp(`\\bname["']?\\s*:\\s*["']?${bareName(address)}["']?\\s*(?:[,}#\r\n]|$)`);
    const found = files.find(({ text }) => named.test(text));
    if (found === undefined) return [];
    const message = `${found.file} describes ${address}, and no pattern of spec.manifests matches it: the task counts as removed`;
    const hint = 'rename or move the file; to stop a task and keep it, write state: paused';
    return [warning('file-passed-over', message, hint, { address, location: found.location(0) })];
  });
}
