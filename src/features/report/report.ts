import type { Io } from '../../command/io.ts';
import { knowPlan, shown, shownPlan } from '../../command/masking.ts';
import type { CommonOptions } from '../../command/options.ts';
import { checkReports, writeReport } from '../../command/output/report-files.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { isObject } from '../../model/json.ts';
import { pageText } from '../../render/html/page.ts';
import { paragraph } from '../../render/layout.ts';
import { jsonText, resultDocument } from '../../render/result.ts';
import { PAGES, type PagedFormat } from './pages.ts';
import { invalidDocument, readDocument, type SavedDocument } from './saved.ts';
import { NOT_VERIFIED, withSeal } from './seal.ts';

export interface ReportOptions extends CommonOptions {
  /** The page, relative to the working directory. */
  readonly html: string;
}

/**
 * `tradeform report DOCUMENT.json --html FILE`: a saved document as a page. Anybody may have written the document. It must match
 * its schema, and a plan also its checksum and digest (exit 3, `document-invalid`). All its content is treated as plain text. The
 * page says what cannot be verified. Sends nothing and reads no project.
 */
export async function runReport(file: string, { html, output }: ReportOptions, io: Io): Promise<number> {
  const { files, diagnostics } = await checkReports({ report: [`html=${html}`] }, io.cwd, [file]);
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  const page = io.masking.text(pageOf(await readDocument(file, io.cwd), file, io));
  for (const target of files) {
    const problem = await writeReport(target, page);
    if (problem !== undefined) throw new CommandFailure(1, [problem]);
  }
  io.stdout(output === 'json' ? jsonText(resultDocument('report', 0, [])) : '');
  return 0;
}

function pageOf({ document, format, seal }: SavedDocument, file: string, io: Io): string {
  try {
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
    // The schemas leave some texts open, for example amounts. Documents of tradeform never use that freedom.
    throw invalidDocument(
      `${file} cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
