import { CommandFailure, type Diagnostic, type Texts } from '../diagnostics/diagnostic.ts';
import { findingsOf } from '../render/formats/finding.ts';
import { jsonText, resultDocument } from '../render/result.ts';
import type { Io } from './io.ts';
import { shown } from './masking.ts';
import { readNotifySettings } from './notify/settings.ts';
import { reviewedOf } from './output/monitors.ts';
import { findingsFormats, type PresentOptions, present, type Renderings } from './output/present.ts';
import { checkReports } from './output/report-files.ts';
import { diagnosticsText, showDiagnostics } from './show-diagnostics.ts';

/** How a command ended that could not go on. */
export interface Ending {
  readonly exitCode: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Text of the files that the diagnostics point into. */
  readonly sources: Texts;
  /** Further fields of the JSON document. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface FailureOptions extends PresentOptions {
  readonly command: string;
  readonly project?: string;
  readonly environment?: string;
  readonly baseUrl?: string;
  /** The command has printed something: a second document would make it none. */
  readonly printed: boolean;
  /** Other words of the command line, which may name files. */
  readonly taken: readonly string[];
}

/**
 * Says why a command ended: for people on stderr or, where a format of machines was asked for, as the one document on
 * stdout. The reports are written as well, whatever stood in them: what failed must not look as if it went well.
 */
export async function presentFailure(ending: Ending, options: FailureOptions, io: Io): Promise<void> {
  const { exitCode, sources, details } = ending;
  const diagnostics = shown(ending.diagnostics, io);
  const { command, output = 'text', report = [], printed, taken, ...rest } = options;
  const renderings = failureRenderings(
    { exitCode, diagnostics, sources, details: shown(details ?? {}, io) },
    options,
    io,
  );
  const machine = !printed && output !== 'text' && Object.hasOwn(renderings, output);
  if (!machine) showDiagnostics(diagnostics, io, sources);
  // What is wrong with the others is among the diagnostics already.
  const { files } = await checkReports({ report }, io.cwd, taken);
  const { diagnostics: unusable } = await checkReports(
    { report: [], metrics: options.metrics },
    io.cwd,
    taken,
  );
  const usable = files.map(({ format, file }) => `${format}=${file}`);
  const shownAs = { ...rest, output: machine ? output : 'text', report: usable };
  // A file that is no metrics file stays as it is.
  if (unusable.length > 0) delete shownAs.metrics;
  if (!canNotify(options, io)) delete shownAs.notify;
  const monitored = command === 'fleet' ? `fleet ${taken[0] ?? ''}`.trim() : command;
  await present(renderings, shownAs, io, { command: monitored, exitCode });
}

/** Settings that cannot be used are told where they are why the command ended, and where that is mended. */
function canNotify(options: PresentOptions, io: Io): boolean {
  const { notify = [] } = options;
  try {
    if (notify.length > 0) readNotifySettings(notify, reviewedOf(options, io), io);
    return true;
  } catch (error) {
    if (error instanceof CommandFailure) return false;
    throw error;
  }
}

function failureRenderings(
  { exitCode, diagnostics, sources, details }: Ending,
  options: FailureOptions,
  io: Io,
): Renderings {
  const { command } = options;
  const found = () => ({ command, exitCode, findings: findingsOf(diagnostics), rules: new Map() });
  return {
    ...findingsFormats(found, options, io),
    text: (view) => (view.file ? diagnosticsText(diagnostics, io, sources, view) : ''),
    json: () => jsonText({ ...resultDocument(command, exitCode, diagnostics), ...details }),
    html: async () => {
      const { diagnosticsView } = await import('../render/diagnostics-view.ts');
      const { subjectOfFailure } = await import('./subject.ts');
      const view = diagnosticsView(command, diagnostics, shown(subjectOfFailure(options, io), io));
      return (await import('../render/html/page.ts')).pageText({ view });
    },
    markdown: async ({ maxBytes }) => {
      const { diagnosticsView } = await import('../render/diagnostics-view.ts');
      const { fittedMarkdown } = await import('./output/fitted-markdown.ts');
      const { subjectOfFailure } = await import('./subject.ts');
      const subject = shown(subjectOfFailure(options, io), io);
      const digest = typeof details?.digest === 'string' ? details.digest : null;
      return fittedMarkdown(diagnosticsView(command, diagnostics, subject, digest), maxBytes);
    },
  };
}
