import type { Io } from '../command/io.ts';
import { shown } from '../command/masking.ts';
import { type CommonOptions, chosenEnvironment } from '../command/options.ts';
import {
  findingsFormats,
  type Medium,
  type PresentOptions,
  present,
  type Renderings,
} from '../command/output/present.ts';
import { readProjectOf } from '../command/read-project.ts';
import { diagnosticsText, showDiagnostics } from '../command/show-diagnostics.ts';
import { roomForNote } from '../desired/rules/remark.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { compareTexts } from '../model/compare-texts.ts';
import { KINDS } from '../model/kind.ts';
import type { Project } from '../project/project.ts';
import { findingsOf } from '../render/formats/finding.ts';
import { count, padEnd } from '../render/layout.ts';
import { jsonText, resultDocument } from '../render/result.ts';
import { painter } from '../render/style.ts';
import { checkBaseUrl } from '../service/http/base-url.ts';

const OK = 0;
const INVALID = 3;

export type ValidateOptions = CommonOptions & PresentOptions;

/** `tradeform validate`: reads and checks the project offline. Exit 0, or 3 with an error (DESIGN 1). */
export async function runValidate(options: ValidateOptions, io: Io): Promise<number> {
  const project = await readProjectOf(options, chosenEnvironment(options.environment, io.env), io, {
    partial: true,
  });
  const found = [...project.diagnostics, ...checkService(project)];
  const diagnostics = shown(found, io);
  const exitCode = diagnostics.some(({ severity }) => severity === 'error') ? INVALID : OK;
  // Formats for machines contain the diagnostics themselves.
  if (options.output === undefined || options.output === 'text')
    showDiagnostics(diagnostics, io, project.sources);
  const verdict = { exitCode, diagnostics };
  const renderings: Renderings = {
    ...findingsFormats(
      { command: 'validate', exitCode, findings: findingsOf(found), rules: new Map(), completed: true },
      options,
      io,
    ),
    text: (view) =>
      (view.file ? diagnosticsText(diagnostics, io, project.sources, view) : '') +
      (exitCode === OK ? summary(project, options, view) : ''),
    json: () => validateJson(project, options, verdict),
    html: async () => {
      const { subjectOf } = await import('../command/subject.ts');
      const { diagnosticsView } = await import('../render/diagnostics-view.ts');
      const view = diagnosticsView('validate', diagnostics, subjectOf(project.settings, options, io));
      return (await import('../render/html/page.ts')).pageText({ view });
    },
    markdown: async ({ maxBytes }) => {
      const { subjectOf } = await import('../command/subject.ts');
      const { fittedMarkdown } = await import('../command/output/fitted-markdown.ts');
      const { diagnosticsView } = await import('../render/diagnostics-view.ts');
      const subject = subjectOf(project.settings, options, io);
      return fittedMarkdown(diagnosticsView('validate', diagnostics, subject), maxBytes);
    },
  };
  return present(renderings, options, io, { command: 'validate', exitCode });
}

interface Verdict {
  readonly exitCode: number;
  readonly diagnostics: readonly Diagnostic[];
}

async function validateJson(
  project: Project,
  options: ValidateOptions,
  { exitCode, diagnostics }: Verdict,
): Promise<string> {
  const { settings, state } = project;
  const { manifestsDigest } = await import('../desired/digest.ts');
  return jsonText({
    ...resultDocument('validate', exitCode, diagnostics),
    project: settings?.project ?? null,
    environment: settings?.environment ?? null,
    manifests: Object.fromEntries(counts(project).map(({ kind, number }) => [kind, number])),
    manifests_digest: state === undefined ? null : manifestsDigest(state),
    ...(options.verbose === true ? { notes: notes(project) } : {}),
  });
}

/** Checks that no schema can make on the base URL. The connection makes the same check. */
function checkService({ settings }: Project): readonly Diagnostic[] {
  if (settings?.baseUrl === undefined) return [];
  const check = checkBaseUrl(settings.baseUrl);
  if (check.ok) return [];
  return [
    {
      severity: 'error',
      code: 'base-url-invalid',
      message: `the base URL cannot be used: ${check.problem}`,
      ...(settings.baseUrlLocation === undefined ? {} : { location: settings.baseUrlLocation }),
    },
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
