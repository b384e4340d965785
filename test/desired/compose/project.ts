import { compile, inOne } from '../../../src/core/desired/compile.ts';
import { readProjectSettings } from '../../../src/core/desired/project.ts';
import type { DesiredState, DesiredTask } from '../../../src/core/desired/state.ts';
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.ts';
import { Source } from '../../../src/core/manifest/source.ts';
import { PROJECT } from '../../manifest/samples.ts';

export interface Files {
  /** Text below the head of the project file, from `spec:` on. */
  readonly project?: string;
  readonly environment?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** By path; CSV files are tables. */
  readonly files: Readonly<Record<string, string>>;
}

/** Compiles a project from texts. */
export function compileFiles({ project = '', environment, env = {}, files }: Files) {
  const { settings, manifest, diagnostics } = readProjectSettings(
    new Source('tradeform.yaml', PROJECT + project),
    environment,
  );
  if (settings === undefined) throw new Error(JSON.stringify(diagnostics));
  const sources = Object.entries(files).map(([file, text]) => new Source(file, text));
  return inOne(
    compile({
      settings,
      project: manifest,
      sources: sources.filter(({ file }) => !file.endsWith('.csv')),
      allRead: true,
      environmentVariable: (name) => env[name],
      table: (file, location) => {
        const source = sources.find((one) => one.file === file);
        return source === undefined
          ? { diagnostic: { severity: 'error', code: 'file-unreadable', message: `no ${file}`, location } }
          : { source };
      },
    }),
  );
}

export function stateOf(files: Files): DesiredState {
  const { state, diagnostics } = compileFiles(files);
  if (state === undefined) throw new Error(told(diagnostics).join('\n'));
  return state;
}

/** The one task of that name. */
export function taskOf(files: Files, name: string): DesiredTask {
  const task = stateOf(files).tasks.find((one) => one.name === name);
  if (task === undefined) throw new Error(`no task ${name}`);
  return task;
}

/** `code file:line:column message (hint)`, one a diagnostic. */
export function told(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ code, location, message, hint }) => {
    const place = location === undefined ? '-' : `${location.file}:${location.line}:${location.column}`;
    return `${code} ${place} ${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}

/** `file:line:column` of a field. */
export function placeOf(task: Pick<DesiredTask, 'origin'>, path: string): string {
  const place = task.origin(path);
  return place === undefined ? '-' : `${place.file}:${place.line}:${place.column}`;
}
