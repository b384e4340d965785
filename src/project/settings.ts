import { join } from 'node:path';
import {
  environmentNames,
  openProject,
  type ProjectSettings,
  readProjectSettings,
} from '../desired/project.ts';
import { type Diagnostic, problem, type Texts } from '../diagnostics/diagnostic.ts';
import { diskTree } from './disk.ts';
import { findProject } from './find-project.ts';
import type { ProjectRequest } from './project.ts';

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
  const found = findProject(request);
  const none = { environments: [], sources: new Map() };
  if (found === undefined) return { ...none, diagnostics: [NO_PROJECT] };
  if ('problem' in found) return { ...none, diagnostics: [found.problem] };
  const file = diskTree(found.projectDir).read(found.projectFile);
  if ('diagnostic' in file) return { ...none, diagnostics: [file.diagnostic] };
  const { project, diagnostics } = openProject(file.source);
  const sources = new Map([[file.source.file, file.source.text]]);
  if (project === undefined) return { environments: [], diagnostics, sources };
  const path = join(found.projectDir, found.projectFile);
  return { environments: environmentNames(project), path, diagnostics: [], sources };
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
  const found = findProject(request);
  if (found === undefined) return { found: false, diagnostics: [], sources: new Map() };
  if ('problem' in found) return { found: true, diagnostics: [found.problem], sources: new Map() };
  const file = diskTree(found.projectDir).read(found.projectFile);
  if ('diagnostic' in file) return { found: true, diagnostics: [file.diagnostic], sources: new Map() };
  const { settings, diagnostics } = readProjectSettings(file.source, request.environment);
  return {
    ...(settings === undefined ? {} : { settings: { ...settings, projectDir: found.projectDir } }),
    found: true,
    diagnostics,
    sources: new Map([[file.source.file, file.source.text]]),
  };
}
