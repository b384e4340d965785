import { posix } from 'node:path';
import { type CompileInput, type CompileResult, compile, FILES_A_STEP, inOne } from '../desired/compile.ts';
import { credentialsIn } from '../desired/compose/credentials.ts';
import { unknownNames } from '../desired/guardrails/names.ts';
import { type PolicyDocument, readPolicyDocument } from '../desired/guardrails/policy-document.ts';
import type { GuardrailSettings, PolicySource } from '../desired/guardrails/settings.ts';
import { type ProjectSettings, projectOutline } from '../desired/project.ts';
import { readGuardedProject, readProjectRules } from '../desired/project-rules.ts';
import type { DesiredState } from '../desired/state.ts';
import { type Diagnostic, problem, problemIn, type Texts } from '../diagnostics/diagnostic.ts';
import { compareDiagnostics } from '../diagnostics/order.ts';
import { type Source, textsByFile } from '../manifest/source.ts';
import type { FileResult, FileTree } from '../manifest/tree.ts';
import { MOST } from '../model/bounds.ts';
import { madeOnce } from '../model/by-key.ts';
import type { Guardrails, Policy } from '../plan/guardrails/compiled.ts';
import type { Rules } from '../plan/rules/rules.ts';
import { discover, doubtfulPassedOver } from './discover.ts';
import { findProject, PROJECT_FILE, type ProjectPlace } from './find-project.ts';
import { leadsOutside } from './glob.ts';
import { diskTree, readInside } from './read-file.ts';

export interface ProjectRequest extends ProjectPlace {
  /** `--environment` or TRADEFORM_ENVIRONMENT. */
  readonly environment?: string | undefined;
  /** Without it, the files here count as all files of the project: then nothing may be decided from what they lack. */
  readonly checkout?: OpenCheckout | undefined;
}

/** A working tree, in which files of its commit can be missing although nobody deleted them. */
export interface Checkout {
  /** Awaited before the first manifest is read: a manifest that only a later commit has was not removed by anybody. */
  readonly begun?: Promise<unknown>;
  /** An error for each reason why a manifest of the commit is not here, unless it was deleted in an uncommitted change. */
  lacks(project: {
    readonly patterns: ProjectSettings['manifests'];
    readonly projectFile: string;
    /** The manifest files that are here. */
    readonly here: readonly string[];
  }): Promise<readonly Diagnostic[]>;
}

type OpenCheckout = (place: Settings, env: CompileRequest['env']) => Checkout;

/** What a command needs from the project file, besides the desired state. */
export interface Settings extends Omit<ProjectSettings, 'manifests' | 'pruneTasks' | 'stoppedTasks'> {
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

/** A project of which only the project file was read. */
export interface OpenedProject {
  /** Undefined if that file is unusable. */
  readonly settings: Settings | undefined;
  /** Reads and compiles the rest. Every problem of every file is in `diagnostics`. Never fails otherwise. */
  readonly compile: () => Promise<Project>;
}

export function readProject(request: ProjectRequest): Promise<Project> {
  return openProject(request).compile();
}

export function openProject(request: ProjectRequest): OpenedProject {
  const found = findProject(request);
  if (found === undefined || 'problem' in found) return unusable([found?.problem ?? noProjectFile()]);
  const { environment, env = {}, checkout } = request;
  const { settings, compile } = openTree(diskTree(found.projectDir), {
    ...found,
    ...{ environment, env, checkout },
  });
  return {
    settings,
    compile: async () => {
      const { state, ...rest } = await compile();
      // An error of a lint is none in an earlier commit.
      const isWrong = state === undefined || rest.diagnostics.some(({ severity }) => severity === 'error');
      return isWrong ? rest : { ...rest, state };
    },
  };
}

function unusable(diagnostics: readonly Diagnostic[], sources: readonly Source[] = []): OpenedProject {
  return { settings: undefined, compile: async () => noProject(diagnostics, sources) };
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
    return { ...none, projectDir: request.cwd, files: [], diagnostics: [found?.problem ?? noProjectFile()] };
  const { projectDir, projectFile } = found;
  const tree = diskTree(projectDir);
  const project = tree.read(projectFile);
  const outline = 'source' in project ? projectOutline(project.source) : undefined;
  if (outline === undefined) return { ...none, projectDir, files: [project] };
  const { files, diagnostics } = discover(tree, outline.manifests, projectFile);
  const all = inOne(readFiles(tree, files));
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
  /** For a state that is only compared with, and never sent. */
  readonly compared?: CompileInput['compared'];
  /** For a commit whose desired state alone is needed: shares the parsed manifests of equal files, and runs no lints. */
  readonly past?: CompileInput['past'];
  readonly checkout?: OpenCheckout | undefined;
}

/** Like `readProject`, for the files of a tree: on disk, or in a commit. */
export function compileProject(tree: FileTree, request: CompileRequest): Promise<Project> {
  return openTree(tree, request).compile();
}

function openTree(tree: FileTree, request: CompileRequest): OpenedProject {
  const { projectDir, projectFile, past } = request;
  const file = tree.read(projectFile);
  if ('diagnostic' in file) return unusable([file.diagnostic]);
  const read = readGuardedProject(file.source, request.environment);
  const { settings, manifest, guardrails: wanted } = read;
  if (settings === undefined || wanted === undefined) return unusable(read.diagnostics, [file.source]);
  const { manifests: patterns, pruneTasks: _, stoppedTasks: __, ...others } = settings;
  const own = { projectDir, projectFile, ...others };
  const checkout = request.checkout?.(own, request.env);
  const compileFiles = async (): Promise<Project> => {
    await checkout?.begun;
    const found = discover(tree, patterns, projectFile);
    const lacking = await checkout?.lacks({ patterns, projectFile, here: found.files });
    const { sources, problems } = await inTurns(readFiles(tree, found.files));
    const unread = [...found.diagnostics, ...(lacking ?? []), ...problems];
    const environment = new Map<string, string>();
    const tables = new Map<string, FileResult>();
    const steps = compile({
      settings,
      project: manifest,
      sources,
      allRead: unread.length === 0,
      environmentVariable: (variable) => {
        // A property that every object inherits, such as `constructor`, is no variable.
        const value = Object.hasOwn(request.env, variable) ? request.env[variable] : undefined;
        environment.set(variable, value ?? '');
        return value;
      },
      credentials: credentialsIn(request.env),
      compared: request.compared,
      ...(past === undefined ? {} : { past }),
      table: (table, from) => madeOnce(tables, table, () => readInside(tree, table, from)),
    });
    const { state, manifests, kinds, wallets, diagnostics } = await inTurns(steps);
    const policyFiles = wanted.policies.flatMap(({ schema }) =>
      'file' in schema ? [posix.normalize(schema.file)] : [],
    );
    // In an earlier commit, a file that is not read is no problem of its own.
    const others =
      past === undefined
        ? found.doubtful.filter((name) => !tables.has(name) && !policyFiles.includes(name))
        : [];
    const passed = doubtfulPassedOver(tree, others);
    const sound = passed.some(({ severity }) => severity === 'error') ? undefined : state;
    const { guardrails, ...policies } = await loadGuardrails(tree, wanted);
    const unguarded = [...policies.diagnostics, ...(sound === undefined ? [] : unknownNames(wanted, sound))];
    return {
      ...(sound === undefined || (past === undefined && unguarded.length > 0)
        ? {}
        : { state: sound, guardrails }),
      declared: guardrails,
      settings: own,
      diagnostics: [...unread, ...passed, ...diagnostics, ...unguarded].sort(compareDiagnostics),
      sources: textsByFile([
        ...policies.sources,
        file.source,
        ...sources,
        ...[...tables.values()].flatMap((table) => ('source' in table ? [table.source] : [])),
      ]),
      manifests,
      kinds,
      wallets,
      environment,
    };
  };
  return { settings: own, compile: compileFiles };
}

export function noProject(diagnostics: readonly Diagnostic[], sources: readonly Source[] = []): Project {
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
    'change to the project directory, or name it with --chdir or --project; `tradeform init` starts a project, and `tradeform status --base-url URL` shows an account without one',
  );
}

/** Each step blocks the event loop. Between them, answers of the service are taken in. */
async function inTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await new Promise((turn) => setImmediate(turn));
  }
}

/** What all files of a project hold together at most. */
const TOTALS = {
  characters: `${MOST.characters} characters`,
  documents: `${MOST.documents} documents`,
  tokens: `${MOST.tokens} lines, commas, colons and brackets`,
};

/**
 * Reads files in order, up to the limits of a project, before their texts are parsed. `problems`: of unreadable files, and of the
 * first file that exceeds the limits.
 */
function* readFiles(tree: FileTree, names: readonly string[]) {
  const sources: Source[] = [];
  const problems: Diagnostic[] = [];
  const total = { characters: 0, documents: 0, tokens: 0 };
  tree.prepare(names);
  for (const name of names) {
    if (sources.length % FILES_A_STEP === 0) yield;
    const result = tree.read(name);
    if ('diagnostic' in result) {
      problems.push(result.diagnostic);
      continue;
    }
    const { text, measure } = result.source;
    total.characters += text.length;
    total.documents += measure.documents;
    total.tokens += measure.tokens;
    const exceeded = (['characters', 'documents', 'tokens'] as const).find(
      (what) => total[what] > MOST[what],
    );
    if (exceeded !== undefined) {
      const message = `with this file the project has more than ${TOTALS[exceeded]}; the rest is not read`;
      const hint = 'remove files that are not manifests of this project, or split it';
      problems.push(problemIn(name, 'project-too-large', message, hint));
      break;
    }
    sources.push(result.source);
  }
  return { sources, problems };
}

/**
 * The guardrails of a project without unusable policies, each of which has a diagnostic, and the files of policies. The compiler of
 * policies is loaded only if there is a policy.
 */
async function loadGuardrails(tree: FileTree, { limits, policies: wanted }: GuardrailSettings) {
  const policies: Policy[] = [];
  const diagnostics: Diagnostic[] = [];
  const sources: Source[] = [];
  if (wanted.length === 0) return { guardrails: { limits, policies }, diagnostics, sources };
  const { compilePolicy } = await import('../plan/guardrails/policy-compiler.ts');
  for (const policy of wanted) {
    const document = 'file' in policy.schema ? readFile(tree, policy.schema, sources) : policy.schema;
    if ('diagnostics' in document) {
      diagnostics.push(...document.diagnostics);
      continue;
    }
    const compiled = compilePolicy(document.value);
    if ('check' in compiled) {
      const { name, message, target, action, location } = policy;
      const { value } = document;
      policies.push({ name, message, target, action, location, document: value, check: compiled.check });
      continue;
    }
    for (const { path, message, hint } of compiled.problems) {
      const at = document.origin(path);
      diagnostics.push(problemIn(at, 'policy-invalid', `policy ${policy.name}: ${message}`, hint));
    }
  }
  return { guardrails: { limits, policies }, diagnostics, sources };
}

function readFile(
  tree: FileTree,
  { file, location }: Extract<PolicySource['schema'], { file: string }>,
  sources: Source[],
): PolicyDocument {
  if (leadsOutside(file)) {
    const message = `the file ${file} is outside the project directory`;
    const hint = 'policies must be below tradeform.yaml';
    const outside = problemIn(location, 'file-outside-project', message, hint);
    return { diagnostics: [{ ...outside, length: file.length }] };
  }
  const result = readInside(tree, file, location);
  if ('diagnostic' in result) return { diagnostics: [result.diagnostic] };
  sources.push(result.source);
  return readPolicyDocument(result.source);
}

export type RulesResult =
  | { readonly rules: Omit<Rules, 'wallets'> }
  /** Why the project file gives no rules: at least one error. `missing` if the file does not exist. */
  | { readonly diagnostics: readonly Diagnostic[]; readonly missing: boolean };

/**
 * The rules that the project file of a tree sets for an environment, even if the manifests have errors. `ready` are its
 * guardrails if they were prepared before. Otherwise an unusable policy is left out.
 */
export async function readRules(
  tree: FileTree,
  projectFile: string,
  environment: string | undefined,
  ready: Guardrails | undefined,
): Promise<RulesResult> {
  const standing = tree.find(projectFile);
  const missing = standing.type === 'broken' && standing.missing;
  const file = tree.read(projectFile);
  if ('diagnostic' in file) return { diagnostics: [file.diagnostic], missing };
  const result = readProjectRules(file.source, environment);
  if ('diagnostics' in result) return { ...result, missing };
  const guardrails = ready ?? (await loadGuardrails(tree, result.rules.guardrails)).guardrails;
  return { rules: { ...result.rules, guardrails } };
}
