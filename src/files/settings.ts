import { dirname, relative } from 'node:path';
import { type ProjectSettings, readProjectSettings } from '../desired/project.ts';
import type { Diagnostic, Texts } from '../diagnostics/diagnostic.ts';
import { diskTree } from './disk.ts';
import { type ProjectRequest, projectPath } from './project.ts';

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
  request: Pick<ProjectRequest, 'cwd' | 'projectFile' | 'environment'>,
): SettingsResult {
  const path = projectPath(request);
  if (path === undefined) return { found: false, diagnostics: [], sources: new Map() };
  const folder = dirname(path);
  const file = diskTree(folder).read(relative(folder, path));
  if ('diagnostic' in file) return { found: true, diagnostics: [file.diagnostic], sources: new Map() };
  const { settings, diagnostics } = readProjectSettings(file.source, request.environment);
  return {
    ...(settings === undefined ? {} : { settings }),
    found: true,
    diagnostics,
    sources: new Map([[file.source.file, file.source.text]]),
  };
}
