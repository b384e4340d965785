import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { compareDiagnostics } from '../diagnostics/order.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { readManifests } from '../manifest/read.ts';
import type { Source } from '../manifest/source.ts';
import { buildLabel, buildTask, buildTemplate } from './build.ts';
import { compose } from './compose.ts';
import type { ProjectSettings } from './project.ts';
import { checkRules } from './rules/index.ts';
import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from './state.ts';

export interface CompileInput {
  readonly settings: ProjectSettings;
  /** The manifest files, in any order. */
  readonly sources: readonly Source[];
  /** False where a file could not be read: rules that ask "is it defined at all" are then left out. */
  readonly allRead: boolean;
}

export interface CompileResult {
  /** Left out where there is an error. */
  readonly state?: DesiredState;
  /** Errors and warnings, in order of file and place. */
  readonly diagnostics: readonly Diagnostic[];
  /** All manifests that could be read, for summaries. */
  readonly manifests: readonly Manifest[];
}

/** Manifest texts → desired state of one environment. Pure; every problem of every file is found in one run. */
export function compile({ settings, sources, allRead }: CompileInput): CompileResult {
  const ordered = [...sources].sort((left, right) =>
    left.file < right.file ? -1 : left.file > right.file ? 1 : 0,
  );
  const read = ordered.map(readManifests);
  const everything = read.flatMap((result) => result.manifests);
  const manifests = compose(everything.filter(({ kind }) => kind !== undefined));
  const whole = allRead && read.every((result) => result.whole);
  const diagnostics = [
    ...read.flatMap((result) => result.diagnostics),
    ...everything.filter(({ kind }) => kind === undefined).map(misplaced),
    ...checkRules({ project: settings.project, manifests, whole }),
  ].sort(compareDiagnostics);
  if (!allRead || diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics, manifests };
  return { state: build(settings, manifests), diagnostics, manifests };
}

function misplaced(manifest: Manifest): Diagnostic {
  return manifest.diagnostic(['kind'], {
    code: 'unknown-kind',
    message: `a ${manifest.kindName} stands only in the project file`,
    hint: 'a project has one tradeform.yaml',
  });
}

function build(settings: ProjectSettings, manifests: readonly Manifest[]): DesiredState {
  const tasks: DesiredTask[] = [];
  const templates: DesiredTemplate[] = [];
  const labels: DesiredLabel[] = [];
  for (const manifest of manifests) {
    const { kind } = manifest;
    if (kind?.family === 'task') tasks.push(buildTask(manifest, kind));
    if (kind?.family === 'template') templates.push(buildTemplate(manifest, kind));
    if (kind?.family === 'label') labels.push(buildLabel(manifest, kind));
  }
  const { project, environment, pruneTasks, stoppedTasks, settle } = settings;
  return {
    project,
    environment,
    tasks: tasks.sort(byAddress),
    templates: templates.sort(byAddress),
    labels: labels.sort(byAddress),
    pruneTasks,
    stoppedTasks,
    settle,
  };
}

function byAddress(left: { readonly address: string }, right: { readonly address: string }): number {
  return left.address < right.address ? -1 : left.address > right.address ? 1 : 0;
}
