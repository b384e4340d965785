import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { presentAnswer, presentable } from '../../core/command/output/present.ts';
import { checkReports, writeReport } from '../../core/command/output/report-files.ts';
import { CommandFailure } from '../../core/diagnostics/diagnostic.ts';
import type { AnyDocument } from '../../core/documents/register.ts';
import { pageText } from '../html/layout.ts';
import { invalidDocument, readDocument } from './saved.ts';

/**
 * `tradeform report DOCUMENT.json --html FILE`: a saved document as a page. Anybody may have written the document. It must match
 * its schema (exit 3, `document-invalid`). All its content is treated as plain text, and the page says that nothing proves it. Sends nothing and reads no project.
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

/** At the head of the page: whoever has a file can edit it. So its digest, which nothing proves, is not shown. */
const NOT_VERIFIED =
  'Made from a saved document, which anybody may have edited: no digest is shown. Approve only what `tradeform plan` shows.';

async function pageOf(document: AnyDocument, file: string, io: Io): Promise<string> {
  try {
    const shown = { document, command: 'report', exitCode: 0 };
    const { from } = await presentable(shown, {}, io);
    const view = await from.page();
    return pageText({ ...view, notes: [NOT_VERIFIED, ...(view.notes ?? [])], footer: [] });
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    // The schemas leave some texts open, for example amounts. Documents of tradeform never use that freedom.
    throw invalidDocument(
      `${file} cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
