import templates from '../../model/generated/ci-templates.json' with { type: 'json' };
import { PROJECT_FILE } from '../../project/find-project.ts';

export const CI_SYSTEMS = ['github', 'gitea', 'gitlab', 'none'] as const;

export type CiSystem = (typeof CI_SYSTEMS)[number];

/** The environment in the files. */
export const ENVIRONMENT = 'production';

/** The project that the jobs serve. */
export interface CiProject {
  readonly ci: CiSystem;
  readonly environments: readonly string[];
  /** Its folder relative to the top of the repository. Empty for the top. */
  readonly folder: string;
  /** `OWNER/REPO@REF`, which replaces the one of {@link ACTION_OF}. */
  readonly action?: string | undefined;
}

/** The action in the templates. Gitea looks on github.com for one without an address, so users have a copy of it there. */
export const ACTION_OF = {
  github: templates.action,
  gitea: `https://git.example.invalid/${templates.action}`,
} as const;

/** The files of examples/ci, adapted to the project: paths below the top of the repository, and texts. */
export function ciFiles({ ci, environments, ...project }: CiProject): ReadonlyMap<string, string> {
  if (ci === 'none') return new Map();
  const plain = environments.length === 0;
  const adapted = (text: string, fitting: Fitting) =>
    ci === 'gitlab' ? fitGitlab(text, fitting) : fitActions(text, ACTION_OF[ci], fitting);
  return new Map(
    Object.entries(templates[ci]).map(([path, text]) => [path, adapted(text, { ...project, plain })]),
  );
}

type Fitting = Omit<CiProject, 'ci' | 'environments'> & {
  /** The project has no environments, so naming one would be an error. */
  readonly plain: boolean;
};

/** The job keeps `environment: production`, which is GitHub's own environment and protects the secret. */
function fitActions(text: string, ours: string, { plain, folder, action = ours }: Fitting): string {
  const used = text.replaceAll(`uses: ${ours}\n`, `uses: ${action}\n`);
  const without = plain ? used.replaceAll(`          environment: ${ENVIRONMENT}\n`, '') : used;
  if (folder === '') return without;
  return without.replace(
    /^ +command: .*\n/gm,
    (line) => `${line}          working-directory: ${JSON.stringify(folder)}\n`,
  );
}

/** With `--project` and not `--chdir`, so that reports stay where the jobs expect them. */
function fitGitlab(text: string, { plain, folder }: Fitting): string {
  const without = plain
    ? text
        .replace(`  TRADEFORM_ENVIRONMENT: ${ENVIRONMENT}\n`, '')
        .replaceAll('$TRADEFORM_ENVIRONMENT', ENVIRONMENT)
    : text;
  if (folder === '') return without;
  const file = `${folder}/${PROJECT_FILE}`;
  const word = /^[\w./-]+$/.test(file) ? file : `'${file}'`;
  return without.replace(
    /node_modules\/\.bin\/tradeform (?:validate|plan|apply|drift|comment|pause|resume)\b/g,
    (call) => `${call} --project ${word}`,
  );
}
