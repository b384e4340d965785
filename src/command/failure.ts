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

/** How a failed command ended. */
export interface Ending {
  readonly exitCode: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of the files that the diagnostics point into. */
  readonly sources: Texts;
  /** Further fields of the JSON document. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface FailureOptions extends PresentOptions {
  readonly command: string;
  readonly project?: string;
  readonly environment?: string;
  readonly baseUrl?: string;
  /** The command has already printed something. A second document would make the output unreadable. */
  readonly printed: boolean;
  /** Other words of the command line that may name files. */
  readonly taken: readonly string[];
}

/**
 * Reports why a command ended: to people on stderr, or as the only document on stdout in a format for machines. The report
 * files are overwritten too, so that no report of an earlier run makes the failure look like a success.
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
  // The diagnostics already report what is wrong with the other files.
  const { files } = await checkReports({ report }, io.cwd, taken);
  const { diagnostics: unusable } = await checkReports(
    { report: [], metrics: options.metrics },
    io.cwd,
    taken,
  );
  const usable = files.map(({ format, file }) => `${format}=${file}`);
  const shownAs = { ...rest, output: machine ? output : 'text', report: usable };
  // A file that does not hold metrics stays unchanged.
  if (unusable.length > 0) delete shownAs.metrics;
  if (!canNotify(options, io)) delete shownAs.notify;
  const monitored = command === 'fleet' ? `fleet ${taken[0] ?? ''}`.trim() : command;
  await present(renderings, shownAs, io, { command: monitored, exitCode });
}

/** False if the notification settings are unusable and the diagnostics of the failure already say so. */
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
