import templates from '../../model/generated/ci-templates.json' with { type: 'json' };
import { PROJECT_FILE } from '../../project/find-project.ts';

export type CiSystem = 'github' | 'gitlab' | 'none';

/** The environment that the files name. */
export const ENVIRONMENT = 'production';

/** The project that the jobs are for. */
export interface CiProject {
  readonly name: string;
  readonly ci: CiSystem;
  readonly environments: readonly string[];
  /** Its folder, from the top of the repository; empty where it is the top itself. */
  readonly folder: string;
  /** `OWNER/REPO@REF` in the place of {@link ACTION}. */
  readonly action?: string | undefined;
}

/** The action that the templates name: whoever uses them has a copy of it. */
export const ACTION = 'your-org/tradeform@v0.1.0';

/** The files of examples/ci, at home: paths below the top of the repository, and texts that fit the project. */
export function ciFiles({ ci, environments, ...project }: CiProject): ReadonlyMap<string, string> {
  if (ci === 'none') return new Map();
  const plain = environments.length === 0;
  const adapted = ci === 'github' ? fitGithub : fitGitlab;
  return new Map(
    Object.entries(templates[ci]).map(([path, text]) => [path, adapted(text, { ...project, plain })]),
  );
}

type Fitting = Omit<CiProject, 'ci' | 'environments'> & {
  /** The project has no environments: naming one would be an error. */
  readonly plain: boolean;
};

/** The job keeps `environment: production`: that one is GitHub's own, and guards the secret. */
function fitGithub(text: string, { plain, folder, action = ACTION }: Fitting): string {
  const used = text.replaceAll(`uses: ${ACTION}\n`, `uses: ${action}\n`);
  const without = plain ? used.replaceAll(`          environment: ${ENVIRONMENT}\n`, '') : used;
  if (folder === '') return without;
  return without.replace(
    /^ +command: .*\n/gm,
    (line) => `${line}          working-directory: ${JSON.stringify(folder)}\n`,
  );
}

/** With `--project` and not `--chdir`: reports stay where the jobs look for them. */
function fitGitlab(text: string, { name, plain, folder }: Fitting): string {
  const named = text.replaceAll('TRADEFORM_PROJECT: harbor', `TRADEFORM_PROJECT: ${name}`);
  const without = plain
    ? named
        .replace(`  TRADEFORM_ENVIRONMENT: ${ENVIRONMENT}\n`, '')
        .replaceAll('$TRADEFORM_ENVIRONMENT', ENVIRONMENT)
    : named;
  if (folder === '') return without;
  const file = `${folder}/${PROJECT_FILE}`;
  const word = /^[\w./-]+$/.test(file) ? file : `'${file}'`;
  return without.replace(
    /node_modules\/\.bin\/tradeform (?:validate|plan|apply|drift)\b/g,
    (call) => `${call} --project ${word}`,
  );
}
