import { join } from 'node:path';
import {
  environmentNames,
  type ProjectSettings,
  readProjectDocument,
  readProjectSettings,
} from '../desired/project.ts';
import { type Diagnostic, problem, type Texts } from '../diagnostics/diagnostic.ts';
import { findProject, type ProjectPlace } from './find-project.ts';
import type { ProjectRequest } from './project.ts';
import { diskTree } from './read-file.ts';

export interface SettingsResult {
  /** Absent without a usable project file. */
  readonly settings?: ProjectSettings & { readonly projectDir: string };
  /** A project file was named or found. */
  readonly found: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: Texts;
}

/** The names of the environments, whatever else is wrong with the project file. An unreadable project file is an error. */
export function readEnvironments(request: Pick<ProjectRequest, 'cwd' | 'projectFile' | 'env'>): {
  readonly environments: readonly string[];
  /** The absolute path of the project file. Absent if it is unusable. */
  readonly path?: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: Texts;
} {
  const { source, problem = NO_PROJECT, projectDir } = projectSource(request);
  if (source === undefined) return { environments: [], diagnostics: [problem], sources: new Map() };
  const { project, diagnostics } = readProjectDocument(source);
  const sources = new Map([[source.file, source.text]]);
  if (project === undefined) return { environments: [], diagnostics, sources };
  const path = join(projectDir, source.file);
  return { environments: environmentNames(project), path, diagnostics: [], sources };
}

/** The text of the project file. Without a `source`, the problem with it, or nothing if there is none. */
function projectSource(request: ProjectPlace) {
  const found = findProject(request);
  if (found === undefined || 'problem' in found) return { problem: found?.problem };
  const file = diskTree(found.projectDir).read(found.projectFile);
  if ('diagnostic' in file) return { problem: file.diagnostic };
  return { source: file.source, projectDir: found.projectDir };
}

const NO_PROJECT: Diagnostic = problem(
  'no-project-file',
  'no tradeform.yaml here or in a folder above: its environments are unknown',
  'Change to the project directory, or name the file with --project FILE.',
);

/** The project file alone and without its guardrails, for commands that must work with any state of the manifests. */
export function readSettings(
  request: Pick<ProjectRequest, 'cwd' | 'projectFile' | 'environment' | 'env'>,
): SettingsResult {
  const { source, problem, projectDir } = projectSource(request);
  if (source === undefined) {
    const diagnostics = problem === undefined ? [] : [problem];
    return { found: problem !== undefined, diagnostics, sources: new Map() };
  }
  const { settings, diagnostics } = readProjectSettings(source, request.environment);
  return {
    ...(settings === undefined ? {} : { settings: { ...settings, projectDir } }),
    found: true,
    diagnostics,
    sources: new Map([[source.file, source.text]]),
  };
}
