import { projectRoot } from '../../project/find-project.ts';
import { percentEncoded } from '../../render/markdown/escape.ts';
import { hostIn } from '../event.ts';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';

/**
 * Where the forge whose workflow runs this shows the files of the project at the commit that was read: a URL that their paths
 * follow. Undefined where that is not certain: outside of a workflow, in another repository or at another commit than that of
 * the workflow, or where the files are not as committed.
 */
export function forgeFiles(
  { commit, dirty }: { readonly commit: string | null; readonly dirty: boolean },
  { project }: Pick<CommonOptions, 'project'>,
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): string | undefined {
  const host = hostIn(env);
  const [repository = '', read] = host?.files(env) ?? [];
  if (commit === null || dirty || read !== commit || !URL_OF_A_REPOSITORY.test(repository)) return undefined;
  const { folder } = projectRoot({ cwd, projectFile: project, env });
  const folders = folder === '' ? [] : folder.split('/').map(percentEncoded);
  return [repository, host?.blob, commit, ...folders, ''].join('/');
}

/** Without a sign that Markdown gives a meaning to. */
const URL_OF_A_REPOSITORY = /^https?:\/\/[\w.:-]+(?:\/[\w.-]+)+$/;
