import { type ProjectSettings, readProjectSettings } from '../desired/project.ts';
import type { Diagnostic, Texts } from '../diagnostics/diagnostic.ts';
import { diskTree } from './disk.ts';
import { findProject } from './find-project.ts';
import type { ProjectRequest } from './project.ts';

export interface SettingsResult {
  /** Left out where there is no project file, or none that can be used. */
  readonly settings?: ProjectSettings;
  /** A project file was named or found. */
  readonly found: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: Texts;
}

/** The project file alone, for commands that must work whatever state the manifests are in. */
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
    ...(settings === undefined ? {} : { settings }),
    found: true,
    diagnostics,
    sources: new Map([[file.source.file, file.source.text]]),
  };
}
