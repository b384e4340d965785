import type { DesiredState } from '../../src/core/desired/state.ts';
import type { LiveState } from '../../src/core/model/resource.ts';
import { compileProject, type Project } from '../../src/core/project/project.ts';
import { type ExportInput, type ExportResult, makeExport } from '../../src/kit/export/make.ts';
import { EMPTY_TREE, overlaid } from '../../src/kit/export/overlay.ts';

export type Files = ReadonlyMap<string, string>;

const REQUEST = { projectDir: '/', projectFile: 'tradeform.yaml', environment: undefined, env: {} };

/** A project without a manifest. */
export const NEW_PROJECT: Files = new Map([
  ['tradeform.yaml', 'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\n'],
]);

export function compiled(files: Files, env: Readonly<Record<string, string>> = {}): Promise<Project> {
  return compileProject(overlaid(EMPTY_TREE, files), { ...REQUEST, env });
}

export async function stateOf(files: Files): Promise<DesiredState> {
  const { state, diagnostics } = await compiled(files);
  if (state === undefined) throw new Error(JSON.stringify(diagnostics, null, 1));
  return state;
}

export const EVERYTHING: ExportInput['selection'] = {
  names: [],
  kinds: [],
  owners: [],
  status: undefined,
  labels: [],
};

/** Exports into a project in memory. `after` is the project with the exported manifests. */
export async function exported(
  live: LiveState,
  files: Files = NEW_PROJECT,
  options: Partial<ExportInput> = {},
): Promise<ExportResult & { readonly after: Files }> {
  const existing = await compiled(files);
  const result = await makeExport({
    live,
    project: 'core',
    mode: 'update',
    existing,
    tree: overlaid(EMPTY_TREE, files),
    request: REQUEST,
    placement: { folder: 'manifests', grouped: false },
    selection: EVERYTHING,
    environments: [],
    presets: false,
    mayWrite: () => true,
    ...options,
  });
  return { ...result, after: new Map([...files, ...result.files]) };
}
