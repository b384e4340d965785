import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';
import type { Path } from '../manifest/spans.ts';
import type { AccountPin } from '../model/resource.ts';
import { readGuardrails } from './guardrails/read.ts';
import type { GuardrailSettings } from './guardrails/settings.ts';
import {
  chooseEnvironment,
  environmentNames,
  type ProjectResult,
  type ProjectSettings,
  readProjectDocument,
  readProjectSettings,
  settingsOf,
} from './project.ts';

/**
 * What a project file decides besides the tasks: where the token goes, which account is used, what may be deleted or started,
 * and what refuses a plan. Variables and patches are not included, because the changes of a plan show all their effects.
 */
export interface ProjectRules
  extends Pick<
    ProjectSettings,
    'environment' | 'pruneTasks' | 'stoppedTasks' | 'settle' | 'previousProject' | 'baseUrl' | 'token'
  > {
  /** Undefined without a project file. */
  readonly project?: string;
  /** Names in order. */
  readonly environments: readonly string[];
  readonly manifests: readonly string[];
  readonly account?: AccountPin;
  readonly guardrails: GuardrailSettings;
  /** The place of a rule by its name (`base_url`, `guardrails.protect`). For an absent rule, the nearest enclosing place. */
  readonly place: (rule: string) => Location | undefined;
}

type ProjectRulesResult =
  | { readonly rules: ProjectRules }
  /** Why the project file cannot be read: at least one error. */
  | { readonly diagnostics: readonly Diagnostic[] };

interface GuardedProject extends ProjectResult {
  /** Present together with `settings`. */
  readonly guardrails?: GuardrailSettings;
}

/** The project file with its guardrails. An error in either makes it unusable. */
export function readGuardedProject(source: Source, environment: string | undefined): GuardedProject {
  const read = readProjectSettings(source, environment);
  if (read.manifest === undefined) return read;
  const { guardrails, diagnostics: limits } = readGuardrails(
    read.manifest,
    read.settings?.environment ?? null,
  );
  const diagnostics = [...read.diagnostics, ...limits];
  return diagnostics.length > 0 ? { diagnostics } : { ...read, guardrails };
}

/**
 * The rules of a project file, whatever else is wrong with the project. An unknown environment gets the rules that hold for all
 * environments. If the file has no environments, these are the rules directly below spec.
 */
export function readProjectRules(source: Source, environment: string | undefined): ProjectRulesResult {
  const { project, diagnostics: found } = readProjectDocument(source);
  if (project === undefined) return { diagnostics: found };
  const names = environmentNames(project);
  const chosen =
    environment === undefined || names.length === 0
      ? chooseEnvironment(project, undefined).environment
      : environment;
  const { guardrails, diagnostics: limits } = readGuardrails(project, chosen);
  const diagnostics = [...found, ...limits];
  const name = project.text('metadata', 'name');
  if (diagnostics.length > 0 || name === undefined) return { diagnostics };
  const { manifests, ...settings } = settingsOf(project, name, chosen);
  const has = (path: Path) => project.get(...path) !== undefined;
  return {
    rules: {
      ...settings,
      environments: names,
      manifests: manifests.map(({ pattern }) => pattern),
      guardrails,
      place: (rule) => project.location(rulePath(rule, chosen, has)),
    },
  };
}

/** Fields that belong to an environment, if the file has environments. */
const OF_ENVIRONMENT: ReadonlySet<string> = new Set(['base_url', 'account', 'token_env', 'token_file']);

/** The path of a rule in the project file. `has` says whether a path exists. */
function rulePath(rule: string, environment: string | null, has: (path: Path) => boolean): readonly string[] {
  const segments = rule.split('.');
  const [first = ''] = segments;
  if (first === 'metadata') return segments;
  const own = environment === null ? undefined : ['spec', 'environments', environment];
  if (own === undefined) return ['spec', ...segments];
  if (OF_ENVIRONMENT.has(first)) return [...own, ...segments];
  // A guardrail of the environment overrides the one of the project.
  if (first === 'guardrails' && has([...own, ...segments])) return [...own, ...segments];
  return ['spec', ...segments];
}
