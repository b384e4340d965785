import { join } from 'node:path';
import type { Io } from '../command/io.ts';
import type { CommonOptions } from '../command/options.ts';
import { type PresentOptions, present } from '../command/output/present.ts';
import { readProjectOf } from '../command/read-project.ts';
import { diagnosticsText, showDiagnostics } from '../command/show-diagnostics.ts';
import { roomForNote } from '../desired/rules/tasks.ts';
import { type Diagnostic, problem } from '../diagnostics/diagnostic.ts';
import { checkBaseUrl } from '../model/base-url.ts';
import { compareTexts } from '../model/compare-texts.ts';
import { KINDS } from '../model/kind.ts';
import { count } from '../model/named.ts';
import { isThere } from '../project/door/location.ts';
import type { Project, ProjectRequest } from '../project/project.ts';
import { findRepository } from '../project/repository.ts';
import type { Medium } from '../render/format.ts';
import { padEnd, painter } from '../render/layout.ts';
import { resultDocument } from '../render/result.ts';

const OK = 0;
const INVALID = 3;

export type ValidateOptions = CommonOptions & PresentOptions;

/** `tradeform validate`: reads and checks the project offline. Exit 0, or 3 with an error (DESIGN 1). */
export async function runValidate(options: ValidateOptions, io: Io): Promise<number> {
  const project = await readProjectOf(options, io, { partial: true, checkout: sparse });
  const moved = await movedManifests(project, io);
  const isMoved = ({ code, location }: Diagnostic) =>
    code === 'file-passed-over' && moved.some((one) => one.location?.file === location?.file);
  const found = project.diagnostics.filter((one) => one.severity !== 'info' || !isMoved(one));
  const diagnostics = [...found, ...moved, ...checkService(project)];
  const exitCode = diagnostics.some(({ severity }) => severity === 'error') ? INVALID : OK;
  // Formats for machines contain the diagnostics themselves.
  if (options.output === undefined || options.output === 'text')
    showDiagnostics(diagnostics, io, project.sources);
  return present(
    {
      document: resultDocument('validate', exitCode, diagnostics),
      known: {
        subject: async () => (await import('../command/subject.ts')).subjectOf(project.settings, options, io),
      },
      text: (medium) =>
        (medium.file ? diagnosticsText(diagnostics, io, project.sources, medium) : '') +
        (exitCode === OK ? summary(project, options, medium) : ''),
      more: () => resultOf(project, options),
      command: 'validate',
      exitCode,
      completed: true,
    },
    options,
    io,
  );
}

/** A sparse checkout lacks files on purpose: what is here is checked, and what is not is named. No other checkout is looked at. */
const sparse: NonNullable<ProjectRequest['checkout']> = (place, env) => ({
  async lacks(request) {
    const found = findRepository(place.projectDir);
    if (found.type !== 'found' || !isThere(join(found.place.gitDir, 'info/sparse-checkout'))) return [];
    const { openCheckout } = await import('../project/checkout.ts');
    const lacking = await openCheckout(place, env).lacks(request);
    return lacking.map((each) => ({ ...each, severity: 'warning' }));
  },
});

/** The manifests of the last commits that are now in files which nothing reads. git is asked only if there are such files. */
async function movedManifests({ state, settings, sources }: Project, io: Io): Promise<readonly Diagnostic[]> {
  if (state === undefined || settings === undefined || findRepository(settings.projectDir).type !== 'found')
    return [];
  const { passedOverSince } = await import('../planning/passed-over.ts');
  return passedOverSince({ desired: state, settings, sources }, io);
}

/** What the JSON document says besides. */
async function resultOf(project: Project, { verbose }: ValidateOptions): Promise<object> {
  const { settings, state } = project;
  const { manifestsDigest } = await import('../desired/digest.ts');
  return {
    project: settings?.project ?? null,
    environment: settings?.environment ?? null,
    manifests: Object.fromEntries(counts(project).map(({ kind, number }) => [kind, number])),
    manifests_digest: state === undefined ? null : manifestsDigest(state),
    ...(verbose === true ? { notes: notes(project) } : {}),
  };
}

/** Checks that no schema can make on the base URL. The connection makes the same check. */
function checkService({ settings }: Project): readonly Diagnostic[] {
  if (settings?.baseUrl === undefined) return [];
  const check = checkBaseUrl(settings.baseUrl);
  if (check.ok) return [];
  const location = settings.baseUrlLocation;
  return [
    problem('base-url-invalid', `the base URL cannot be used: ${check.problem}`, undefined, { location }),
  ];
}

function counts({ kinds }: Project): readonly { kind: string; number: number }[] {
  return [...KINDS.map(({ manifestKind }) => manifestKind), 'Removal']
    .map((kind) => ({ kind, number: kinds.get(kind) ?? 0 }))
    .filter(({ number }) => number > 0);
}

/** How many characters are left for the note of each task, sorted by address. */
function notes({ settings, manifests }: Project): readonly { address: string; used: number; left: number }[] {
  if (settings === undefined) return [];
  return manifests()
    .flatMap((manifest) => {
      const room = manifest.kind?.family === 'task' ? roomForNote(manifest, settings.project) : undefined;
      const used = manifest.text('spec', 'remark')?.length ?? 0;
      return room === undefined ? [] : [{ address: manifest.address ?? '', used, left: room - used }];
    })
    .sort((a, b) => compareTexts(a.address, b.address));
}

function summary(project: Project, options: CommonOptions, view: Medium): string {
  if (options.quiet === true && !view.file) return '';
  const paint = painter(view.color);
  const lines = counts(project).map(({ kind, number }) => `${padEnd(kind, 20)}${String(number).padStart(5)}`);
  if (options.verbose === true) {
    const rows = notes(project).map(
      ({ address, used, left }) => `  ${padEnd(address, 46)} ${used} used, ${left} left`,
    );
    if (rows.length > 0) lines.push('', 'Characters of each remark:', ...rows);
  }
  const environment = project.settings?.environment == null ? '' : ` for ${project.settings.environment}`;
  const total = [...project.kinds.values()].reduce((sum, each) => sum + each, 0);
  const words = count(total, 'manifest');
  return `${[...lines, '', `${paint('add', 'OK')}  ${words}${environment}`].join('\n')}\n`;
}
