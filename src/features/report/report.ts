import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Io } from '../../command/io.ts';
import { knowPlan, shown, shownPlan } from '../../command/masking.ts';
import type { CommonOptions } from '../../command/options.ts';
import { checkReports, writeReport } from '../../command/output/report-files.ts';
import { systemWords } from '../../command/system-words.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { goalOf } from '../../project/door/straying.ts';
import { pageText } from '../../render/html/page.ts';
import { paragraph } from '../../render/layout.ts';
import { jsonText, resultDocument } from '../../render/result.ts';
import { isPaged, PAGES, type PagedFormat } from './pages.ts';
import { NOT_VERIFIED, sealOf, withSeal } from './seal.ts';

export interface ReportOptions extends CommonOptions {
  /** The page, relative to the working directory. */
  readonly html: string;
}

/** Larger than any document of ours. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * `tradeform report DOCUMENT.json --html FILE`: a saved document as a page. The document may be anybody's: it must be what its
 * schema says, and a plan what its checksum and digest say (exit 3, `document-invalid`), and nothing in it is more than text. What
 * cannot be verified is said on the page. Sends nothing, reads no project.
 */
export async function runReport(file: string, { html, output }: ReportOptions, io: Io): Promise<number> {
  const { files, diagnostics } = await checkReports({ report: [`html=${html}`] }, io.cwd, [file]);
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  const { document, format } = await readDocument(file, io.cwd);
  const page = io.masking.text(pageOf(document, format, file, io));
  for (const target of files) {
    const problem = await writeReport(target, page);
    if (problem !== undefined) throw new CommandFailure(1, [problem]);
  }
  io.stdout(output === 'json' ? jsonText(resultDocument('report', 0, [])) : '');
  return 0;
}

interface Saved {
  readonly document: JsonObject;
  readonly format: PagedFormat;
}

async function readDocument(file: string, cwd: string): Promise<Saved> {
  const document = await readJson(file, cwd);
  const format = isObject(document) ? document.format : undefined;
  if (!isObject(document) || !isPaged(format)) {
    const found =
      typeof format === 'string'
        ? `has the format ${JSON.stringify(format)}`
        : 'is not a document of tradeform';
    throw invalid(
      `${file} ${found}`,
      `Pass what \`-o json\` printed; the formats are ${Object.keys(PAGES).join(', ')}.`,
    );
  }
  const { problemWith } = await import('./documents.ts');
  const units = format === 'tradeform.fleet/1' && Array.isArray(document.units) ? document.units : [];
  const parts = [
    document,
    ...units.flatMap((unit) => (isObject(unit) && isObject(unit.document) ? [unit.document] : [])),
  ];
  for (const part of parts) {
    const problem = isPaged(part.format) ? problemWith(part, part.format) : ' (an unknown format)';
    if (problem !== undefined) throw invalid(`${file} is not valid${problem}`);
  }
  return { document, format };
}

async function readJson(file: string, cwd: string): Promise<unknown> {
  try {
    const path = goalOf(resolve(cwd, file));
    const found = await stat(path);
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > MAX_BYTES) throw new Error('it is larger than any document of tradeform');
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // Of what is not JSON the message would quote a part.
    const why = error instanceof SyntaxError ? 'it is not JSON' : systemWords(error);
    throw invalid(`${file} cannot be read: ${why}`);
  }
}

function pageOf(document: JsonObject, format: PagedFormat, file: string, io: Io): string {
  try {
    const seal = sealOf(document);
    if (seal === 'broken') {
      throw invalid(
        `${file} was changed after it was written: its content does not match its checksum or digest`,
        'Plan again with this version of tradeform.',
      );
    }
    if (seal === 'hidden') io.stderr(paragraph(`${file}: ${NOT_VERIFIED}`, io.columns));
    const plans = [
      document,
      ...(Array.isArray(document.units)
        ? document.units.map((unit) => (isObject(unit) ? unit.document : null))
        : []),
    ];
    for (const plan of plans)
      if (isObject(plan) && plan.format === 'tradeform.plan/1') knowPlan(plan as unknown as Plan, io);
    const seen =
      format === 'tradeform.plan/1' ? shownPlan(document as unknown as Plan, io) : shown(document, io);
    const page = (PAGES[format] as (document: unknown) => ReturnType<(typeof PAGES)[PagedFormat]>)(seen);
    return pageText(withSeal(page, seal));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    // The schemas leave some texts open, amounts among them, which no document of ours has otherwise.
    throw invalid(`${file} cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function invalid(
  message: string,
  hint = 'Run the command again with -o json or --report json=FILE.',
): CommandFailure {
  return CommandFailure.of(3, 'document-invalid', message, hint);
}
