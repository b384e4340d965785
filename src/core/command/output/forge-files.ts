import { projectRoot } from '../../project/find-project.ts';
import { percentEncoded } from '../../render/markdown/escape.ts';
import { hostOf } from '../event.ts';
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
  const forge = forgeOf(env);
  if (commit === null || dirty || forge?.commit !== commit || !URL_OF_A_REPOSITORY.test(forge.repository))
    return undefined;
  const { folder } = projectRoot({ cwd, projectFile: project, env });
  const folders = folder === '' ? [] : folder.split('/').map(percentEncoded);
  return [forge.repository, forge.blob, commit, ...folders, ''].join('/');
}

/** Without a sign that Markdown gives a meaning to. */
const URL_OF_A_REPOSITORY = /^https?:\/\/[\w.:-]+(?:\/[\w.-]+)+$/;

/** `blob`: what stands between repository and commit. `commit`: that the workflow checks out, unless it says otherwise. */
function forgeOf(env: Io['env']) {
  if (env.GITHUB_ACTIONS === 'true') {
    const repository = `${env.GITHUB_SERVER_URL ?? ''}/${env.GITHUB_REPOSITORY ?? ''}`;
    return { repository, blob: hostOf(env) === 'gitea' ? 'src/commit' : 'blob', commit: env.GITHUB_SHA };
  }
  if (env.GITLAB_CI !== 'true') return undefined;
  return { repository: env.CI_PROJECT_URL ?? '', blob: '-/blob', commit: env.CI_COMMIT_SHA };
}
