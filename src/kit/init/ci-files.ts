import type { ForgeName } from '../../core/command/event.ts';
import { VERSION } from '../../core/command/version.ts';
import templates from '../../core/model/generated/ci-templates.json' with { type: 'json' };
import { PROJECT_FILE } from '../../core/project/find-project.ts';

export type CiSystem = ForgeName | 'none';

export const ENVIRONMENT = 'production';

/** The project that the jobs serve. */
export interface CiProject {
  readonly ci: CiSystem;
  readonly environments: readonly string[];
  /** Its folder relative to the top of the repository. Empty for the top. */
  readonly folder: string;
}

/** The file that the repository must have: CI installs what it names. */
export const PACKAGE = 'package.json';

/** What `npm pack` calls tradeform, which is on no registry. */
export const PACKED = `tradeform-${VERSION}.tgz`;

/**
 * The files of examples/ci, adapted to the project, and what installs tradeform for them: paths below the top of the repository, and
 * texts. With `--project` and not `--chdir`, so that reports stay where the jobs expect them.
 */
export function ciFiles({ ci, environments, folder }: CiProject): ReadonlyMap<string, string> {
  if (ci === 'none') return new Map();
  const file = `${folder}/${PROJECT_FILE}`;
  const word = /^[\w./-]+$/.test(file) ? file : `'${file}'`;
  const adapted = (text: string) => {
    const fitting = environments.length === 0 ? withoutEnvironment(text) : text;
    return folder === '' ? fitting : fitting.replace(COMMAND, (call) => `${call} --project ${word}`);
  };
  const files = Object.entries(templates[ci]).map(([path, text]) => [path, adapted(text)] as const);
  const dependency = { private: true, devDependencies: { tradeform: `file:${PACKED}` } };
  return new Map([...files, [PACKAGE, `${JSON.stringify(dependency, null, 2)}\n`]]);
}

const COMMAND = /node_modules\/\.bin\/tradeform (?:validate|plan|apply|drift|pause|resume|comment [a-z]+)\b/g;

/** To name one would be an error. The jobs keep `environment: production`, which is the host's own and protects the secret. */
function withoutEnvironment(text: string): string {
  return text
    .replace(new RegExp(`^ +TRADEFORM_ENVIRONMENT: ${ENVIRONMENT}\n`, 'gm'), '')
    .replaceAll('$TRADEFORM_ENVIRONMENT', ENVIRONMENT);
}
