import type { Io } from '../../command/io.ts';
import { knowPlan } from '../../command/masking.ts';
import type { CommonOptions } from '../../command/options.ts';
import { presentAnswer, presentable } from '../../command/output/present.ts';
import { checkReports, writeReport } from '../../command/output/report-files.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { PLAN_FORMAT } from '../../model/generated/plan.ts';
import { pageText } from '../../render/html/layout.ts';
import { paragraph } from '../../render/layout.ts';
import {
  documentsIn,
  invalidDocument,
  NOT_VERIFIED,
  readDocument,
  type SavedDocument,
  withSeal,
} from './saved.ts';

/**
 * `tradeform report DOCUMENT.json --html FILE`: a saved document as a page. Anybody may have written the document. It must match
 * its schema, and a plan also its checksum and digest (exit 3, `document-invalid`). All its content is treated as plain text. The
 * page says what cannot be verified. Sends nothing and reads no project.
 */
export async function runReport(
  file: string,
  { html, output }: CommonOptions & { readonly html: string },
  io: Io,
): Promise<number> {
  const { files, diagnostics } = await checkReports({ report: [`html=${html}`] }, io.cwd, [file]);
  if (diagnostics.length > 0) throw new CommandFailure(3, diagnostics);
  const page = await pageOf(await readDocument(file, io.cwd), file, io);
  for (const target of files) {
    const problem = await writeReport(target, page, io);
    if (problem !== undefined) throw new CommandFailure(1, [problem]);
  }
  return presentAnswer({ command: 'report' }, () => '', { output }, io);
}

async function pageOf({ document, seal }: SavedDocument, file: string, io: Io): Promise<string> {
  try {
    if (seal === 'hidden') io.stderr(paragraph(`${file}: ${NOT_VERIFIED}`, io.columns));
    for (const part of documentsIn(document)) if (part.format === PLAN_FORMAT) knowPlan(part, io);
    const shown = { document, command: 'report', exitCode: 0 };
    const { from } = await presentable(shown, {}, io);
    return pageText(withSeal(await from.page(), seal));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    // The schemas leave some texts open, for example amounts. Documents of tradeform never use that freedom.
    throw invalidDocument(
      `${file} cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
