import { CommandFailure, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { projectRoot } from '../../project/project-root.ts';
import type { FindingsDocument } from '../../render/formats/finding.ts';
import { type Format, isFormat } from '../../render/formats/format.ts';
import type { Io } from '../io.ts';
import { shown } from '../masking.ts';
import type { CommonOptions } from '../options.ts';
import { showDiagnostics } from '../show-diagnostics.ts';
import { VERSION } from '../version.ts';
import type { MonitorOptions } from './monitors.ts';
import type { ReportFile } from './report-files.ts';

/** Where a rendering goes to: text depends on it, and Markdown on the room there is. */
export interface Medium {
  readonly columns: number;
  readonly color: boolean;
  /** A file: what else goes to stderr belongs into it. */
  readonly file: boolean;
  /** `--verbose`: text with all details. */
  readonly verbose?: boolean;
  /** UTF-8 bytes that there is room for: `--max-bytes`, or what the place takes. */
  readonly maxBytes?: number;
}

/** What a command has to show: one function for each format, called after the work is done. */
export type Renderings = Readonly<Record<Format, (view: Medium) => string | Promise<string>>>;

/** The options that say what is shown where. */
export interface PresentOptions extends MonitorOptions {
  readonly output?: string | undefined;
  /** `FORMAT=FILE` each, relative to the working directory. */
  readonly report?: readonly string[] | undefined;
  readonly maxBytes?: number | undefined;
  readonly verbose?: boolean | undefined;
  /** `--no-github`: no annotations and no step summary in GitHub Actions. */
  readonly github?: boolean | undefined;
}

/** As wide as a file is read; a terminal's width means nothing to it. */
const FILE_COLUMNS = 100;

/**
 * Prints the chosen format to stdout and writes the `--report` files; in GitHub Actions also annotations, to stderr, and
 * the step summary. Returns the code to end with: the command's own, or 1 where that says that nothing is wrong and a file
 * could not be written.
 */
export async function present(
  renderings: Renderings,
  options: PresentOptions,
  io: Io,
  { command, exitCode }: { readonly command: string; readonly exitCode: number },
): Promise<number> {
  const problems = await printAndWrite(renderings, options, io);
  if (io.env.GITHUB_ACTIONS === 'true' && options.github !== false) {
    if (options.output !== 'github') await annotate(renderings, io);
    problems.push(...(await summarize(renderings, io)));
  }
  if (hasMonitors(options)) {
    const { tellMonitors } = await import('./monitors.ts');
    const json = () => renderings.json({ columns: FILE_COLUMNS, color: false, file: true });
    const code = (more: readonly Diagnostic[]) => endingWith([...problems, ...more], exitCode);
    problems.push(...(await tellMonitors(json, options, io, { command, code })));
  }
  showDiagnostics(problems, io);
  return endingWith(problems, exitCode);
}

/** What a command that has no findings shows. */
export type PlainRenderings = Pick<Renderings, 'text' | 'json' | 'html'>;

/** The same for a command that says nothing to a forge. */
export async function presentPlain(
  renderings: PlainRenderings,
  options: PresentOptions,
  io: Io,
  exitCode: number,
): Promise<number> {
  const problems = await printAndWrite(renderings, options, io);
  showDiagnostics(problems, io);
  return endingWith(problems, exitCode);
}

async function printAndWrite(
  renderings: Partial<Renderings> & PlainRenderings,
  { output = 'text', report = [], maxBytes, verbose }: PresentOptions,
  io: Io,
): Promise<Diagnostic[]> {
  const room = {
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(verbose === undefined ? {} : { verbose }),
  };
  const print = (isFormat(output) ? renderings[output] : undefined) ?? renderings.text;
  io.stdout(await print({ columns: io.columns, color: io.color.stdout, file: false, ...room }));
  return writeReports(renderings, report, io, room);
}

/** Monitors are loaded where one is named. */
function hasMonitors({ metrics, heartbeat, notify = [] }: MonitorOptions): boolean {
  return metrics !== undefined || heartbeat !== undefined || notify.length > 0;
}

function endingWith(problems: readonly Diagnostic[], exitCode: number): number {
  const failed = problems.some(({ severity }) => severity === 'error');
  return failed && (exitCode === 0 || exitCode === 2) ? 1 : exitCode;
}

/** Fails (exit 3) where `--report`, `--metrics`, `--heartbeat` or `--notify` cannot be what was meant; to be called before anything is sent. */
export async function requireOutputs(
  options: PresentOptions,
  io: Pick<Io, 'cwd' | 'env' | 'masking'>,
  taken: readonly string[],
): Promise<void> {
  const { report = [], metrics, heartbeat, notify = [] } = options;
  const { checkReports } = await import('./report-files.ts');
  const { diagnostics } = await checkReports({ report, metrics }, io.cwd, taken);
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  if (heartbeat !== undefined) (await import('./heartbeat.ts')).requireHeartbeat(heartbeat);
  if (notify.length > 0) {
    const { reviewedOf } = await import('./monitors.ts');
    (await import('../notify/settings.ts')).readNotifySettings(notify, reviewedOf(options, io), io);
  }
}

async function writeReports(
  renderings: Partial<Renderings>,
  values: readonly string[],
  io: Io,
  room: Pick<Medium, 'maxBytes' | 'verbose'>,
): Promise<Diagnostic[]> {
  if (values.length === 0) return [];
  // Loaded where files are written: Node's asynchronous files take as long to load as a small project to validate.
  const { checkReports, TEXT_MARK, writeReport } = await import('./report-files.ts');
  const { files, diagnostics } = await checkReports({ report: values }, io.cwd, []);
  const problems = [...diagnostics];
  for (const file of files) {
    const text = await reportText(renderings, file, room, TEXT_MARK);
    const problem = await writeReport(file, io.masking.text(text));
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function reportText(
  renderings: Partial<Renderings>,
  { format }: ReportFile,
  room: Pick<Medium, 'maxBytes' | 'verbose'>,
  mark: string,
): Promise<string> {
  const text =
    (await renderings[format]?.({ columns: FILE_COLUMNS, color: false, file: true, ...room })) ?? '';
  return format === 'text' ? `${mark}, tradeform ${VERSION}\n\n${text}` : text;
}

async function annotate(renderings: Renderings, io: Io): Promise<void> {
  const text = await renderings.github({ columns: io.columns, color: false, file: false });
  if (text !== '') (io.command ?? io.stderr)(text);
}

async function summarize({ markdown }: Renderings, io: Io): Promise<readonly Diagnostic[]> {
  const view = { columns: FILE_COLUMNS, color: false, file: true };
  const { writeSummary } = await import('./step-summary.ts');
  return writeSummary((maxBytes) => markdown({ ...view, maxBytes }), io);
}

/** What `findingsFormats` adds to a document by itself. */
type Bare = Omit<FindingsDocument, 'version' | 'root'>;

/**
 * The formats that are made of findings; each module is loaded when it is asked for. What is secret is hidden before it is
 * written in a format, where it could not be found any more.
 */
export function findingsFormats(
  document: Bare | (() => Bare | Promise<Bare>),
  options: Pick<CommonOptions, 'project'>,
  io: Pick<Io, 'cwd' | 'env' | 'masking'>,
): Pick<Renderings, 'sarif' | 'junit' | 'github' | 'gitlab'> {
  let made: Promise<FindingsDocument> | undefined;
  const complete = async (): Promise<FindingsDocument> => ({
    ...shown(await (typeof document === 'function' ? document() : document), io),
    version: VERSION,
    root: projectRoot({ cwd: io.cwd, projectFile: options.project, env: io.env }),
  });
  const whole = () => {
    made ??= complete();
    return made;
  };
  return {
    sarif: async () => (await import('../../render/formats/sarif.ts')).sarifText(await whole()),
    junit: async () => (await import('../../render/formats/junit.ts')).junitText(await whole()),
    github: async () => (await import('../../render/formats/github.ts')).githubText(await whole()),
    gitlab: async () => (await import('../../render/formats/gitlab.ts')).gitlabText(await whole()),
  };
}
