import { posix, resolve } from 'node:path';
import { type CompileInput, type CompileResult, compile } from '../desired/compile.ts';
import { credentialsIn } from '../desired/compose/credentials.ts';
import { unknownNames } from '../desired/guardrails/names.ts';
import type { GuardrailSettings } from '../desired/guardrails/settings.ts';
import { type ProjectSettings, projectOutline } from '../desired/project.ts';
import { readGuardedProject } from '../desired/project-rules.ts';
import type { DesiredState } from '../desired/state.ts';
import { type Diagnostic, problem, type Texts } from '../diagnostics/diagnostic.ts';
import { compareDiagnostics } from '../diagnostics/order.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { type Source, textsByFile } from '../manifest/source.ts';
import type { Guardrails } from '../plan/guardrails/compiled.ts';
import { discover, jsonPassedOver } from './discover.ts';
import { diskTree } from './disk.ts';
import { findProject, PROJECT_FILE, type ProjectPlace } from './find-project.ts';
import { type LoadedGuardrails, loadGuardrails } from './guardrails.ts';
import { readInside } from './inside.ts';
import { readFiles } from './manifest-files.ts';
import type { FileResult, FileTree } from './tree.ts';

export interface ProjectRequest extends ProjectPlace {
  /** `--chdir`, if it is not applied to `cwd` yet. */
  readonly chdir?: string | undefined;
  /** `--environment` or TRADEFORM_ENVIRONMENT. */
  readonly environment?: string | undefined;
  /** Without it, the files here count as all files of the project: then nothing may be decided from what they lack. */
  readonly checkout?: OpenCheckout | undefined;
}

/** A working tree, in which files of its commit can be missing although nobody deleted them. */
export interface Checkout {
  /** An error for each reason why a manifest of the commit is not here, unless it was deleted in an uncommitted change. */
  lacks(project: {
    readonly patterns: ProjectSettings['manifests'];
    readonly projectFile: string;
    /** The manifest files that are here. */
    readonly here: readonly string[];
  }): Promise<readonly Diagnostic[]>;
}

type OpenCheckout = (projectDir: string, env: CompileRequest['env']) => Checkout;

/** What a command needs from the project file, besides the desired state. */
export interface Settings
  extends Omit<ProjectSettings, 'manifests' | 'pruneTasks' | 'stoppedTasks' | 'settle'> {
  readonly projectDir: string;
  /** Relative to the project directory. */
  readonly projectFile: string;
}

export interface Project {
  /** Absent if there is any error. */
  readonly state?: DesiredState;
  /** Absent if the project file itself is unusable. */
  readonly settings?: Settings;
  /** The guardrails that judge a plan. Absent together with `state`. */
  readonly guardrails?: Guardrails;
  /** The guardrails without unusable policies. Present even if the manifests have errors. */
  readonly declared?: Guardrails;
  /** Errors and warnings, sorted by file and place. */
  readonly diagnostics: readonly Diagnostic[];
  /** The text of every file, by its name in diagnostics. */
  readonly sources: Texts;
  readonly manifests: CompileResult['manifests'];
  readonly kinds: CompileResult['kinds'];
  readonly wallets: CompileResult['wallets'];
  /** Environment variables that manifests read, by name. */
  readonly environment: ReadonlyMap<string, string>;
}

/** Finds, reads and compiles the project. Every problem of every file is in `diagnostics`. Never fails otherwise. */
export async function readProject(request: ProjectRequest): Promise<Project> {
  const found = findProject({ ...request, cwd: resolve(request.cwd, request.chdir ?? '.') });
  if (found === undefined || 'problem' in found) return failed([found?.problem ?? noProjectFile()]);
  const { environment, env = {} } = request;
  const checkout = request.checkout?.(found.projectDir, env);
  return compileProject(diskTree(found.projectDir), { ...found, environment, env, checkout });
}

interface ProjectFiles {
  readonly projectDir: string;
  /** The project file, then the manifests. */
  readonly files: readonly FileResult[];
  readonly environments: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The files of a project, before their content is interpreted. */
export function readProjectFiles(request: ProjectPlace): ProjectFiles {
  const found = findProject(request);
  const none = { environments: [], diagnostics: [] };
  if (found === undefined || 'problem' in found)
    return {
      ...none,
      projectDir: request.cwd,
      files: [],
      diagnostics: [found?.problem ?? noProjectFile()],
    };
  const { projectDir, projectFile } = found;
  const tree = diskTree(projectDir);
  const project = tree.read(projectFile);
  const outline = 'source' in project ? projectOutline(project.source) : undefined;
  if (outline === undefined) return { ...none, projectDir, files: [project] };
  const { files, diagnostics } = discover(tree, outline.manifests, projectFile);
  const all = readFiles(tree, files);
  return {
    projectDir,
    files: [
      project,
      ...all.sources.map((source) => ({ source })),
      ...all.problems.map((diagnostic) => ({ diagnostic })),
    ],
    environments: outline.environments,
    diagnostics,
  };
}

export interface CompileRequest extends Pick<Settings, 'projectDir' | 'projectFile'> {
  readonly environment: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For a commit whose desired state alone is needed: shares the parsed manifests of equal files, and runs no lints. */
  readonly past?: CompileInput['past'];
  readonly checkout?: Checkout | undefined;
}

/** Like `readProject`, for the files of a tree: on disk, or in a commit. */
export async function compileProject(tree: FileTree, request: CompileRequest): Promise<Project> {
  const file = tree.read(request.projectFile);
  if ('diagnostic' in file) return failed([file.diagnostic]);
  const { settings, manifest, guardrails, diagnostics } = readGuardedProject(
    file.source,
    request.environment,
  );
  if (settings === undefined || guardrails === undefined) return failed(diagnostics, [file.source]);
  const project = await readManifestFiles(tree, request, {
    source: file.source,
    settings,
    manifest,
    guardrails,
  });
  return guarded(project, guardrails, await loadGuardrails(tree, guardrails));
}

/** The project with its guardrails. A problem of a guardrail is an error of the project like any other. */
function guarded(
  { state, sources: files, ...project }: Unguarded,
  settings: GuardrailSettings,
  { guardrails, diagnostics, sources }: LoadedGuardrails,
): Project {
  const problems = [...diagnostics, ...(state === undefined ? [] : unknownNames(settings, state))];
  return {
    ...project,
    declared: guardrails,
    ...(state === undefined || problems.length > 0 ? {} : { state, guardrails }),
    diagnostics: [...project.diagnostics, ...problems].sort(compareDiagnostics),
    sources: textsByFile([...sources, ...files]),
  };
}

/** A project that its guardrails have not judged yet. */
type Unguarded = Omit<Project, 'sources' | 'guardrails' | 'declared'> & {
  readonly sources: readonly Source[];
};

interface ProjectParts {
  readonly source: Source;
  readonly settings: ProjectSettings;
  readonly manifest: Manifest | undefined;
  readonly guardrails: GuardrailSettings;
}

async function readManifestFiles(
  tree: FileTree,
  request: CompileRequest,
  { source: projectSource, settings, manifest, guardrails }: ProjectParts,
): Promise<Unguarded> {
  const { projectFile, past, checkout } = request;
  const found = discover(tree, settings.manifests, projectFile);
  const { files } = found;
  const lacking = await checkout?.lacks({ patterns: settings.manifests, projectFile, here: files });
  const diagnostics = [...found.diagnostics, ...(lacking ?? [])];
  await turnOfLoop();
  const { sources, problems } = readFiles(tree, files);
  await turnOfLoop();
  const variables = new Map<string, string>();
  const tables = new Map<string, FileResult>();
  const compiled = compile({
    settings,
    project: manifest,
    sources,
    allRead: diagnostics.length + problems.length === 0,
    environmentVariable: (variable) => {
      // A property that every object inherits, such as `constructor`, is no variable.
      const value = Object.hasOwn(request.env, variable) ? request.env[variable] : undefined;
      variables.set(variable, value ?? '');
      return value;
    },
    credentials: credentialsIn(request.env),
    ...(past === undefined ? {} : { past }),
    table: (table, from) => {
      const result = tables.get(table) ?? readInside(tree, table, from);
      tables.set(table, result);
      return result;
    },
  });
  const policies = guardrails.policies.flatMap(({ schema }) =>
    'file' in schema ? [posix.normalize(schema.file)] : [],
  );
  // In an earlier commit, a file that is not read is no problem of its own.
  const others =
    past === undefined ? found.json.filter((name) => !tables.has(name) && !policies.includes(name)) : [];
  const passed = jsonPassedOver(tree, others);
  const isSound = passed.every(({ severity }) => severity !== 'error');
  return {
    ...(compiled.state === undefined || !isSound ? {} : { state: compiled.state }),
    settings: settingsFor(request, settings),
    diagnostics: [...diagnostics, ...problems, ...passed, ...compiled.diagnostics].sort(compareDiagnostics),
    sources: [
      projectSource,
      ...sources,
      ...[...tables.values()].flatMap((table) => ('source' in table ? [table.source] : [])),
    ],
    manifests: compiled.manifests,
    kinds: compiled.kinds,
    wallets: compiled.wallets,
    environment: variables,
  };
}

function settingsFor({ projectDir, projectFile }: CompileRequest, settings: ProjectSettings): Settings {
  const { manifests: _, pruneTasks: __, stoppedTasks: ___, settle: ____, ...own } = settings;
  return { projectDir, projectFile, ...own };
}

function failed(diagnostics: readonly Diagnostic[], sources: readonly Source[] = []): Project {
  return {
    diagnostics: [...diagnostics].sort(compareDiagnostics),
    sources: textsByFile(sources),
    manifests: () => [],
    kinds: new Map(),
    wallets: new Map(),
    environment: new Map(),
  };
}

function noProjectFile(): Diagnostic {
  return problem(
    'no-project-file',
    `no ${PROJECT_FILE} here or above, up to the top of the repository`,
    'change to the project directory, or name it with --chdir or --project',
  );
}

/** Reading blocks the event loop. This lets a connection that is being opened make progress. */
function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
