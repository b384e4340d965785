import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type CompileResult, compile } from '../desired/compile.ts';
import { type AccountPin, type ProjectSettings, readProjectSettings } from '../desired/project.ts';
import type { DesiredState } from '../desired/state.ts';
import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import { compareDiagnostics } from '../diagnostics/order.ts';
import type { Source } from '../manifest/source.ts';
import { discover } from './discover.ts';
import { readSource } from './read-file.ts';

export const PROJECT_FILE = 'tradeform.yaml';

export interface ProjectRequest {
  readonly cwd: string;
  /** `--chdir`, where it is not applied to `cwd` yet. */
  readonly chdir?: string | undefined;
  /** `--project`: the file itself; found upward from `cwd` when absent. */
  readonly projectFile?: string | undefined;
  /** `--environment` or TRADEFORM_ENVIRONMENT. */
  readonly environment?: string | undefined;
}

/** What a command needs to know of the project file beside the desired state. */
export interface Settings {
  readonly projectDir: string;
  readonly project: string;
  readonly environment: string | null;
  readonly baseUrl?: string;
  readonly baseUrlLocation?: Location;
  readonly account?: AccountPin;
}

export interface Project {
  /** Left out where there is any error. */
  readonly state?: DesiredState;
  /** Left out where the project file itself is not usable. */
  readonly settings?: Settings;
  /** Errors and warnings, in order of file and place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every file that was read, by its name in diagnostics. */
  readonly sources: ReadonlyMap<string, string>;
  readonly manifests: CompileResult['manifests'];
}

/** Finds, reads and compiles the project; every problem of every file is in `diagnostics`. Never fails otherwise. */
export async function readProject(request: ProjectRequest): Promise<Project> {
  const cwd = resolve(request.cwd, request.chdir ?? '.');
  const path = request.projectFile === undefined ? findUpward(cwd) : resolve(cwd, request.projectFile);
  if (path === undefined) return failed([noProjectFile()]);
  const projectDir = dirname(path);
  const name = relative(projectDir, path);
  const file = readSource(path, name);
  if ('diagnostic' in file) return failed([file.diagnostic]);
  const { settings, diagnostics } = readProjectSettings(file.source, request.environment);
  if (settings === undefined) return failed(diagnostics, [file.source]);
  return readManifestFiles(projectDir, name, file.source, settings);
}

function readManifestFiles(
  projectDir: string,
  projectFile: string,
  projectSource: Source,
  settings: ProjectSettings,
): Project {
  const { files, diagnostics: problems } = discover(projectDir, settings.manifests, projectFile);
  const diagnostics = [...problems];
  const sources: Source[] = [];
  for (const file of files) {
    const result = readSource(join(projectDir, file), file);
    if ('source' in result) sources.push(result.source);
    else diagnostics.push(result.diagnostic);
  }
  const compiled = compile({ settings, sources, allRead: diagnostics.length === 0 });
  return {
    ...(compiled.state === undefined ? {} : { state: compiled.state }),
    settings: settingsFor(projectDir, settings),
    diagnostics: [...diagnostics, ...compiled.diagnostics].sort(compareDiagnostics),
    sources: textByFile([projectSource, ...sources]),
    manifests: compiled.manifests,
  };
}

function settingsFor(projectDir: string, settings: ProjectSettings): Settings {
  const { project, environment, baseUrl, baseUrlLocation, account } = settings;
  return {
    projectDir,
    project,
    environment,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(baseUrlLocation === undefined ? {} : { baseUrlLocation }),
    ...(account === undefined ? {} : { account }),
  };
}

function textByFile(sources: readonly Source[]): ReadonlyMap<string, string> {
  return new Map(sources.map(({ file, text }) => [file, text]));
}

function failed(diagnostics: readonly Diagnostic[], sources: readonly Source[] = []): Project {
  return {
    diagnostics: [...diagnostics].sort(compareDiagnostics),
    sources: textByFile(sources),
    manifests: [],
  };
}

function findUpward(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE);
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

function noProjectFile(): Diagnostic {
  return {
    severity: 'error',
    code: 'no-project-file',
    message: `no ${PROJECT_FILE} here or in a folder above`,
    hint: 'change to the project directory, or name it with --chdir or --project',
  };
}
