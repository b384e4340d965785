import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { ResultDocument } from '../model/generated/result.ts';
import type { PlanDifference } from '../plan/review/plan-difference.ts';
import { isFormat } from '../render/format.ts';
import { planDifferenceView } from '../render/plan-difference-view.ts';
import { resultDocument } from '../render/result.ts';
import { viewText } from '../render/text-layout.ts';
import type { Io } from './io.ts';
import { type PresentOptions, present, presentedText, type Shown } from './output/present.ts';
import { checkReports } from './output/report-files.ts';
import { diagnosticsText, showDiagnostics } from './show-diagnostics.ts';

type CommandEnd = Pick<CommandFailure, 'exitCode' | 'diagnostics' | 'sources' | 'details'>;

export interface FailureOptions extends PresentOptions {
  readonly command: string;
  /** The command has already printed something. A second document would make the output unreadable. */
  readonly printed: boolean;
  /** Other words of the command line that may name files. */
  readonly taken: readonly string[];
}

/**
 * Reports why a command ended: to people on stderr, or as the only document on stdout in a format for machines. The report
 * files are overwritten too, so that no report of an earlier run makes the failure look like a success.
 */
export async function presentFailure(ending: CommandEnd, options: FailureOptions, io: Io): Promise<void> {
  const { exitCode, diagnostics, sources, details } = ending;
  const { command, output = 'text', report = [], printed, taken, ...rest } = options;
  const machine = !printed && output !== 'text' && isFormat(output);
  const shown = {
    document: { ...resultDocument(command, exitCode, diagnostics), ...details },
    command,
    exitCode,
  };
  if (output !== 'json' && details.difference !== undefined) {
    // Shown beside the failure, and in the document of `-o json`.
    const text: Shown<ResultDocument>['text'] = (medium, _view, { difference }) =>
      viewText(planDifferenceView(difference as unknown as PlanDifference), medium);
    io.stderr(await presentedText({ ...shown, text }, {}, io));
  }
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
  if (!(await canNotify(options, io))) delete shownAs.notify;
  await present(
    {
      ...shown,
      known: { subject: async () => (await import('./subject.ts')).subjectOfFailure(options, io) },
      text: (medium) => (medium.file ? diagnosticsText(diagnostics, io, sources, medium) : ''),
    },
    shownAs,
    io,
  );
}

/** False if the notification settings are unusable and the diagnostics of the failure already say so. */
async function canNotify(options: PresentOptions, io: Io): Promise<boolean> {
  const { notify = [] } = options;
  try {
    if (notify.length > 0) (await io.outlets.monitors()).check({ ...options, heartbeat: undefined }, io);
    return true;
  } catch (error) {
    if (error instanceof CommandFailure) return false;
    throw error;
  }
}
