import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import { didYouMean } from '../diagnostics/suggest.ts';
import type { Manifest, Problem } from '../manifest/manifest.ts';
import { readManifests } from '../manifest/read.ts';
import { mayHoldReference, parseReferences } from '../manifest/references.ts';
import type { Finding, Source } from '../manifest/source.ts';
import { formatPath, type Path } from '../manifest/spans.ts';
import { PROJECT_PATTERN } from '../model/address.ts';
import { MOST } from '../model/bounds.ts';
import { madeOnce } from '../model/by-key.ts';
import { given } from '../model/given.ts';
import { isObject, type Json, objectIn } from '../model/json.ts';
import type { AccountPin } from '../model/resource.ts';
import type { TokenPlace } from '../model/token.ts';
import type { DesiredState } from './state.ts';

export interface ManifestPattern {
  readonly pattern: string;
  readonly location: Location;
}

/** The project file for one environment, with defaults filled in. */
export interface ProjectSettings
  extends Pick<
    DesiredState,
    'project' | 'previousProject' | 'environment' | 'pruneTasks' | 'stoppedTasks' | 'settle'
  > {
  readonly manifests: readonly ManifestPattern[];
  readonly baseUrl?: string;
  readonly baseUrlLocation?: Location;
  readonly account?: AccountPin;
  readonly token?: TokenPlace;
  readonly tokenLocation?: Location;
}

export interface ProjectResult {
  /** Absent if the project file is unusable. */
  readonly settings?: ProjectSettings;
  /** The project file itself, for variables, patches and guardrails. Absent if it contains no project. */
  readonly manifest?: Manifest;
  readonly diagnostics: readonly Diagnostic[];
}

export const DEFAULT_PATTERN = 'manifests/**/*.yaml';
const MAX_SETTLE_MS = 60 * 60_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Reads tradeform.yaml without its guardrails and chooses the environment: the named one, or the only one (DESIGN 1 and 2). */
export function readProjectSettings(source: Source, environment: string | undefined): ProjectResult {
  const { project, diagnostics: found } = readProjectDocument(source);
  if (project === undefined) return { diagnostics: found };
  const diagnostics = [...found];
  const chosen = chooseEnvironment(project, environment);
  if (chosen.diagnostic !== undefined) diagnostics.push(chosen.diagnostic);
  const name = project.text('metadata', 'name');
  const unusable = diagnostics.length > 0 || name === undefined || !PROJECT_PATTERN.test(name);
  return {
    ...(unusable ? {} : { settings: settingsOf(project, name, chosen.environment) }),
    manifest: project,
    diagnostics,
  };
}

/** The document of kind Project, with its errors that do not depend on the environment. */
export function readProjectDocument(source: Source): {
  readonly project: Manifest | undefined;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { manifests, diagnostics: found } = readManifests(source);
  const diagnostics = [...found];
  const project = manifests.find(({ kindName }) => kindName === 'Project');
  if (project === undefined || manifests.length > 1) {
    const other = manifests.find((manifest) => manifest !== project);
    if (other !== undefined) diagnostics.push(other.diagnostic(['kind'], NOT_PROJECT));
    if (project === undefined && diagnostics.length === 0) diagnostics.push(source.diagnostic(NO_PROJECT));
  }
  if (project === undefined) return { project, diagnostics };
  // The shape check reports this. The environments are not examined.
  if (environmentNames(project).length > MOST.environments) return { project: undefined, diagnostics };
  diagnostics.push(
    ...checkPreviousName(project),
    ...checkAccounts(project),
    ...checkPlaces(project),
    ...checkTokens(project),
    ...checkSettle(project),
    ...checkReferences(project, [], project.value),
  );
  return { project, diagnostics };
}

/** Parts of the project file that may contain `${`: patches have references, and policies have patterns. */
const MAY_HOLD_REFERENCES: ReadonlySet<string> = new Set(['patches', 'policies']);

function checkReferences(project: Manifest, path: Path, value: Json): readonly Diagnostic[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, child]) =>
      MAY_HOLD_REFERENCES.has(key) ? [] : checkReferences(project, [...path, key], child),
    );
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => checkReferences(project, [...path, index], item));
  if (typeof value !== 'string' || !mayHoldReference(value)) return [];
  const parsed = parseReferences(value);
  if ('parts' in parsed && parsed.parts.every((part) => typeof part === 'string')) return [];
  const problem = {
    code: 'invalid-reference',
    message: `${formatPath(path)}: references are not replaced here, so this text would be used as it is`,
    hint: 'references are for manifests and patches; write ${env.NAME} there instead of ${var.NAME}',
  } as const;
  return [project.diagnostic(path, problem)];
}

const NOT_PROJECT: Problem = {
  code: 'invalid-value',
  message: 'the project file must contain exactly one document, of kind Project',
  hint: 'move this document to a file in manifests/',
};

const NO_PROJECT: Finding = {
  code: 'missing-field',
  message: 'the file contains no document of kind Project',
  start: 0,
  end: 0,
};

export function settingsOf(project: Manifest, name: string, environment: string | null): ProjectSettings {
  const place = environment === null ? ['spec'] : ['spec', 'environments', environment];
  const baseUrl = project.text(...place, 'base_url');
  const account = accountAt(project, place);
  const previousProject = project.text('metadata', 'previous_name');
  const token = tokenAt(project, place);
  return {
    project: name,
    ...given({ previousProject }),
    environment,
    manifests: patterns(project),
    pruneTasks: oneOf(project.text('spec', 'prune', 'tasks'), ['delete', 'pause', 'never']),
    stoppedTasks: oneOf(project.text('spec', 'stopped_tasks'), ['hold', 'resume']),
    settle: {
      update: milliseconds(project.text('spec', 'settle', 'update') ?? '0s'),
      replace: milliseconds(project.text('spec', 'settle', 'replace') ?? '60s'),
    },
    ...(baseUrl === undefined ? {} : { baseUrl, baseUrlLocation: project.location([...place, 'base_url']) }),
    ...given({ account }),
    ...token,
  };
}

function tokenAt(
  project: Manifest,
  place: readonly string[],
): Pick<ProjectSettings, 'token' | 'tokenLocation'> {
  const [env, file] = [project.text(...place, 'token_env'), project.text(...place, 'token_file')];
  if (env !== undefined) return { token: { env }, tokenLocation: project.location([...place, 'token_env']) };
  return file === undefined
    ? {}
    : { token: { file }, tokenLocation: project.location([...place, 'token_file']) };
}

/** What a project file says, whatever else is wrong with it. Undefined if it contains no project. */
export function projectOutline(
  source: Source,
): { readonly manifests: readonly ManifestPattern[]; readonly environments: readonly string[] } | undefined {
  const project = readManifests(source).manifests.find(({ kindName }) => kindName === 'Project');
  return project === undefined
    ? undefined
    : { manifests: patterns(project), environments: environmentNames(project) };
}

/** In order. */
export function environmentNames(project: Manifest): readonly string[] {
  return Object.keys(project.object('spec', 'environments') ?? {}).sort();
}

function patterns(project: Manifest): readonly ManifestPattern[] {
  const list = project.list('spec', 'manifests') ?? [DEFAULT_PATTERN];
  return list.map((pattern, index) => ({
    pattern: String(pattern),
    location: project.location(['spec', 'manifests', index]),
  }));
}

/** The first one is the default. */
function oneOf<T extends string>(value: string | undefined, allowed: readonly [T, ...T[]]): T {
  return allowed.find((item) => item === value) ?? allowed[0];
}

/** `500ms`, `60s`, `2m`. */
function milliseconds(text: string): number {
  const match = /^([0-9]+)(ms|s|m)$/.exec(text);
  return match === null ? 0 : Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? 1);
}

function checkPreviousName(project: Manifest): readonly Diagnostic[] {
  const previous = project.text('metadata', 'previous_name');
  if (previous === undefined || previous !== project.text('metadata', 'name')) return [];
  return [
    project.diagnostic(['metadata', 'previous_name'], {
      code: 'previous-name-taken',
      message: `previous_name ${previous} is the current name of the project`,
      hint: 'write the former name, or remove previous_name',
    }),
  ];
}

/** Timers cannot wait longer than 24 days, and nobody needs that. */
function checkSettle(project: Manifest): readonly Diagnostic[] {
  return ['update', 'replace']
    .filter((field) => milliseconds(project.text('spec', 'settle', field) ?? '') > MAX_SETTLE_MS)
    .map((field) =>
      project.diagnostic(['spec', 'settle', field], {
        code: 'out-of-range',
        message: `spec.settle.${field}: at most ${MAX_SETTLE_MS / 60_000}m`,
      }),
    );
}

function accountAt(project: Manifest, place: readonly string[]): AccountPin | undefined {
  const login = project.text(...place, 'account', 'login_username');
  const prefix = project.text(...place, 'account', 'token_prefix');
  if (login === undefined && prefix === undefined) return undefined;
  return given({ login_username: login, token_prefix: prefix });
}

/** The named environment, or the only one. null if there is none, or none to choose. */
export function chooseEnvironment(
  project: Manifest,
  wanted: string | undefined,
): { environment: string | null; diagnostic?: Diagnostic } {
  const names = environmentNames(project);
  const [only, second] = names;
  const none = (code: 'environment-ambiguous' | 'environment-unknown', message: string, hint: string) => ({
    environment: null,
    diagnostic: project.diagnostic(['spec', 'environments'], { code, message, hint }, 'key'),
  });
  if (wanted === undefined) {
    if (only === undefined || second === undefined) return { environment: only ?? null };
    const message = `the project has ${names.length} environments; name one of them`;
    const hint = `--environment ${names.join(' | ')}, or set TRADEFORM_ENVIRONMENT`;
    return none('environment-ambiguous', message, hint);
  }
  if (names.includes(wanted)) return { environment: wanted };
  const list = only === undefined ? 'it names no environments' : `the environments are ${names.join(', ')}`;
  const message = `the project has no environment ${JSON.stringify(wanted)}`;
  return none('environment-unknown', message, didYouMean(wanted, names) ?? list);
}

/** Two environments on one account would each treat the other's tasks as their own. */
function checkAccounts(project: Manifest): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const seen = new Map<string, string>();
  for (const [environment, value] of Object.entries(project.object('spec', 'environments') ?? {})) {
    if (!isObject(value)) continue;
    const account = objectIn(value.account);
    const marks = [
      ...['login_username', 'token_prefix'].map(
        (field) => [['account', field], account[field], 'pin'] as const,
      ),
      ...['token_env', 'token_file'].map((field) => [[field], value[field], 'have the token of'] as const),
    ];
    for (const [path, mark, verb] of marks) {
      if (typeof mark !== 'string') continue;
      const other = madeOnce(seen, `${path.join('.')} ${mark}`, () => environment);
      if (other === environment) continue;
      diagnostics.push(
        project.diagnostic(['spec', 'environments', environment, ...path], {
          code: 'account-shared',
          message: `the environments ${other} and ${environment} ${verb} the same account`,
          hint: 'an account belongs to one environment; use another account, or a single environment',
        }),
      );
    }
  }
  return diagnostics;
}

/** An account's token comes from one place only. */
function checkTokens(project: Manifest): readonly Diagnostic[] {
  const places = [['spec'], ...environmentNames(project).map((name) => ['spec', 'environments', name])];
  return places
    .filter((place) => project.get(...place, 'token_env') !== undefined)
    .filter((place) => project.get(...place, 'token_file') !== undefined)
    .map((place) => {
      const message = 'token_file cannot be combined with token_env';
      const problem = { code: 'invalid-value', message, hint: 'remove one of them' } as const;
      return project.diagnostic([...place, 'token_file'], problem, 'key');
    });
}

/** If there are environments, each has its own service and account. */
function checkPlaces(project: Manifest): readonly Diagnostic[] {
  if (project.object('spec', 'environments') === undefined) return [];
  return ['base_url', 'account', 'token_env', 'token_file']
    .filter((field) => project.get('spec', field) !== undefined)
    .map((field) =>
      project.diagnostic(
        ['spec', field],
        {
          code: 'invalid-value',
          message: `spec.${field} is set beside spec.environments`,
          hint: `move ${field} into its environment`,
        },
        'key',
      ),
    );
}
