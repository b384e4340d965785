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

/** Where a rendering goes. The layout of text depends on it, and Markdown depends on the available room. */
export interface Medium {
  readonly columns: number;
  readonly color: boolean;
  /** True for a file: text that would go to stderr belongs into the file. */
  readonly file: boolean;
  /** `--verbose`: text with all details. */
  readonly verbose?: boolean;
  /** Available room in UTF-8 bytes: `--max-bytes`, or the limit of the place. */
  readonly maxBytes?: number;
}

/** How a command presents its result: one function for each format, called after the work is done. */
export type Renderings = Readonly<Record<Format, (view: Medium) => string | Promise<string>>>;

/** The options that decide what is shown where. */
export interface PresentOptions extends MonitorOptions {
  readonly output?: string | undefined;
  /** One `FORMAT=FILE` each, relative to the working directory. */
  readonly report?: readonly string[] | undefined;
  readonly maxBytes?: number | undefined;
  readonly verbose?: boolean | undefined;
  /** `--no-github`: no annotations and no step summary in GitHub Actions. */
  readonly github?: boolean | undefined;
}

/** The width for people who read a file. The width of a terminal means nothing there. */
const FILE_COLUMNS = 100;

/**
 * Prints the chosen format to stdout and writes the `--report` files. In GitHub Actions it also writes annotations to stderr
 * and the step summary. Returns the exit code: the command's own, or 1 if the command's own means success and a file could not
 * be written.
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

/** The output of a command that has no findings. */
export type PlainRenderings = Pick<Renderings, 'text' | 'json' | 'html'>;

/** Like `present`, for a command without annotations and step summary. */
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

/** The code for monitors is loaded only if one is named. */
function hasMonitors({ metrics, heartbeat, notify = [] }: MonitorOptions): boolean {
  return metrics !== undefined || heartbeat !== undefined || notify.length > 0;
}

function endingWith(problems: readonly Diagnostic[], exitCode: number): number {
  const failed = problems.some(({ severity }) => severity === 'error');
  return failed && (exitCode === 0 || exitCode === 2) ? 1 : exitCode;
}

/** Fails (exit 3) if `--report`, `--metrics`, `--heartbeat` or `--notify` cannot work. Call it before anything is sent. */
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
  // Loaded only to write files: loading Node's asynchronous files takes as long as validating a small project.
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

/** The fields of a document that `findingsFormats` adds. */
type Bare = Omit<FindingsDocument, 'version' | 'root'>;

/**
 * The formats that are made from findings. Each module is loaded on demand. Secrets are hidden before a format is written,
 * because the format could encode them beyond recognition.
 */
export function findingsFormats(
  document: Bare | (() => Bare | Promise<Bare>),
  options: Pick<CommonOptions, 'project'>,
  io: Pick<Io, 'cwd' | 'env' | 'masking'>,
): Pick<Renderings, 'sarif' | 'github' | 'gitlab'> {
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
    github: async () => (await import('../../render/formats/github.ts')).githubText(await whole()),
    gitlab: async () => (await import('../../render/formats/gitlab.ts')).gitlabText(await whole()),
  };
}
