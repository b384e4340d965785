import { CommandFailure, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Known } from '../../documents/document.ts';
import { type AnyDocument, documentKind } from '../../documents/register.ts';
import { isGood } from '../../model/exit-codes.ts';
import type { ResultDocument } from '../../model/generated/result.ts';
import { given } from '../../model/given.ts';
import { projectRoot } from '../../project/find-project.ts';
import type { FindingsDocument } from '../../render/finding.ts';
import { formatRow, isFormat, type Medium, type Presentable, TEXT_MARK } from '../../render/format.ts';
import { resultDocument } from '../../render/result.ts';
import { hostIn } from '../event.ts';
import type { Io, MonitorOptions } from '../io.ts';
import { maskedDocument, shown } from '../masking.ts';
import { showDiagnostics } from '../show-diagnostics.ts';
import { VERSION } from '../version.ts';

/** What a command shows: its document, and what it knows besides. */
export interface Shown<Document extends AnyDocument> {
  readonly document: Document;
  readonly known?: Known;
  readonly command: string;
  readonly exitCode: number;
  /** The text, if it is not the view alone. The document and what is known besides are masked. */
  readonly text?: (
    medium: Medium,
    view: () => Promise<string>,
    document: Document,
    known: Known,
  ) => string | Promise<string>;
  /** Further fields of the JSON. */
  readonly more?: () => object | Promise<object>;
  /** See {@link FindingsDocument.completed}. */
  readonly completed?: boolean;
}

/** The options that decide what is shown where. */
export interface PresentOptions extends MonitorOptions {
  /** One `FORMAT=FILE` each, relative to the working directory. */
  readonly report?: readonly string[] | undefined;
  readonly maxBytes?: number | undefined;
  /** `--no-github`: no annotations and no step summary in GitHub Actions. */
  readonly github?: boolean | undefined;
}

/** The width for people who read a file. The width of a terminal means nothing there. */
const FILE_COLUMNS = 100;

/**
 * Prints the chosen format to stdout and writes the `--report` files. In GitHub Actions it also writes annotations to stderr
 * and the step summary. Returns the exit code: the command's own, or 1 if the command's own means success and a file could not
 * be written. The document is masked here.
 */
export async function present<Document extends AnyDocument>(
  shown: Shown<Document>,
  options: PresentOptions,
  io: Io,
): Promise<number> {
  const { output = 'text', report = [], maxBytes, verbose } = options;
  const { command, exitCode } = shown;
  const { kind, masked, from } = await presentable(shown, options, io);
  const room = given({ maxBytes, verbose });
  const { write } = formatRow(isFormat(output) ? output : 'text');
  io.stdout(
    await write(
      from,
      { columns: io.columns, color: io.color.stdout, file: false, ...room },
      io.outlets.layouts,
    ),
  );
  const problems = await writeReports(from, report, io, room);
  if (kind.findings !== undefined && hostIn(io.env)?.readsOutput && options.github !== false) {
    const medium = { columns: FILE_COLUMNS, color: false, file: true };
    const annotations = output === 'github' ? '' : await io.outlets.layouts.github(from);
    if (annotations !== '') (io.command ?? io.stderr)(annotations);
    const { writeSummary } = await import('./step-summary.ts');
    const markdown = (bytes: number) =>
      formatRow('markdown').write(from, { ...medium, maxBytes: bytes }, io.outlets.layouts);
    problems.push(...(await writeSummary(markdown, io)));
  }
  if (hasMonitors(options)) {
    const { tell } = await io.outlets.monitors();
    const code = (more: readonly Diagnostic[]) => endingWith([...problems, ...more], exitCode);
    problems.push(...(await tell(masked, kind, options, io, { command, code })));
  }
  showDiagnostics(problems, io);
  return endingWith(problems, exitCode);
}

/** The answer of a command that checks nothing, with further fields of its JSON. */
interface Answer {
  readonly command: string;
  readonly exitCode?: number;
  readonly diagnostics?: readonly Diagnostic[];
}

/** Prints an answer: as JSON, or as this text of the masked document. Returns the exit code. */
export function presentAnswer<More extends Answer>(
  { command, exitCode = 0, diagnostics = [], ...more }: More,
  text: (document: ResultDocument & Omit<More, keyof Answer>, medium: Medium) => string,
  { output }: PresentOptions,
  io: Io,
): Promise<number> {
  const document = { ...resultDocument(command, exitCode, diagnostics), ...more };
  return present(
    { document, command, exitCode, text: (medium, _view, masked) => text(masked, medium) },
    { output, github: false },
    io,
  );
}

/** The text for a terminal, beside the document of the command: for a question. */
export async function presentedText<Document extends AnyDocument>(
  shown: Shown<Document>,
  options: PresentOptions,
  io: Io,
  medium: Pick<Medium, 'color' | 'verbose'> = { color: io.color.stderr },
): Promise<string> {
  const { from } = await presentable(shown, options, io);
  return from.text({ columns: io.columns, file: false, ...medium });
}

/** The document of a command in each form, masked. */
export async function presentable<Document extends AnyDocument>(
  { document, known: besides = {}, command, exitCode, text, more, completed }: Shown<Document>,
  options: PresentOptions,
  io: Io,
) {
  const kind = await documentKind(document);
  const { masked, known } = maskedDocument(document, kind, besides, io);
  const view = once(async () => kind.view(masked, known));
  const viewed = async (medium: Medium) =>
    (await import('../../render/text-layout.ts')).viewText(await view(), medium);
  const from: Presentable = {
    document: async () => ({ ...masked, ...shown((await more?.()) ?? {}, io) }),
    view,
    text: async (medium) =>
      text === undefined ? viewed(medium) : text(medium, () => viewed(medium), masked, known),
    page: async () => (kind.page === undefined ? view() : kind.page(masked, known)),
    findings: once(async () => {
      const found = kind.findings?.(masked, known) ?? NOTHING;
      const root = projectRoot({ cwd: io.cwd, projectFile: options.project, env: io.env });
      // Secrets are hidden before a format is written, because the format could encode them beyond recognition.
      return { command, exitCode, ...given({ completed }), ...shown(found, io), version: VERSION, root };
    }),
    essence: kind.essence,
  };
  return { kind, masked, from };
}

const NOTHING = { findings: [], rules: new Map() };

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The code for monitors is loaded only if one is named. */
function hasMonitors({ metrics, heartbeat, notify = [] }: MonitorOptions): boolean {
  return metrics !== undefined || heartbeat !== undefined || notify.length > 0;
}

function endingWith(problems: readonly Diagnostic[], exitCode: number): number {
  const failed = problems.some(({ severity }) => severity === 'error');
  return failed && isGood(exitCode) ? 1 : exitCode;
}

/** Fails (exit 3) if `--report`, `--metrics`, `--heartbeat` or `--notify` cannot work. Call it before anything is sent. */
export async function requireOutputs(
  options: PresentOptions,
  io: Pick<Io, 'cwd' | 'env' | 'masking' | 'outlets'>,
  taken: readonly string[],
): Promise<void> {
  const { report = [], metrics } = options;
  const { checkReports } = await import('./report-files.ts');
  const { diagnostics } = await checkReports({ report, metrics }, io.cwd, taken);
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  if (hasMonitors(options)) (await io.outlets.monitors()).check(options, io);
}

async function writeReports(
  from: Presentable,
  values: readonly string[],
  io: Io,
  room: Pick<Medium, 'maxBytes' | 'verbose'>,
): Promise<Diagnostic[]> {
  if (values.length === 0) return [];
  // Loaded only to write files: loading Node's asynchronous files takes as long as validating a small project.
  const { checkReports, writeReport } = await import('./report-files.ts');
  const { files, diagnostics } = await checkReports({ report: values }, io.cwd, []);
  const problems = [...diagnostics];
  for (const file of files) {
    const medium = { columns: FILE_COLUMNS, color: false, file: true, ...room };
    const text = await formatRow(file.format).write(from, medium, io.outlets.layouts);
    const head = file.format === 'text' ? `${TEXT_MARK}, tradeform ${VERSION}\n\n` : '';
    const problem = await writeReport(file, head + text, io);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}
