import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { CommandFailure, type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import type { Known } from '../../documents/document.ts';
import { documentKind } from '../../documents/register.ts';
import type { Report } from '../../model/generated/report.ts';
import { replaceFile } from '../../project/replace-file.ts';
import { jsonText } from '../../render/result.ts';
import type { Io } from '../io.ts';
import { maskedDocument } from '../masking.ts';
import { showDiagnostics } from '../show-diagnostics.ts';
import { systemWords } from '../system-words.ts';

export interface JournalOptions {
  /** The folder with a file for each run. Default: `TRADEFORM_JOURNAL`. */
  readonly journal?: string | undefined;
  /** Nothing is written to the service if the journal cannot be written. */
  readonly requireJournal?: boolean | undefined;
}

/** The file of one run. It is never read to decide anything. */
export interface Journal {
  /** Before the first write: the document with what is intended. The file survives a power cut. */
  begin(document: Report, known?: Known): Promise<void>;
  /** The same file, with what was done. Never fails: a file that cannot be written is a warning. */
  end(document: Report, known?: Known): Promise<void>;
  /** For the document that is shown: the journal could not be written. */
  readonly problems: readonly Diagnostic[];
}

const OWNER_ONLY = 0o600;

/** Undefined if no journal is kept. */
export function openJournal(options: JournalOptions, io: Io): Journal | undefined {
  const folder = options.journal ?? (io.env.TRADEFORM_JOURNAL || undefined);
  if (folder === undefined) {
    if (options.requireJournal !== true) return undefined;
    throw CommandFailure.of(
      3,
      'file-unwritable',
      '--require-journal needs --journal DIR or TRADEFORM_JOURNAL',
    );
  }
  const run = randomUUID().slice(0, 8);
  let file: string | undefined;
  const write = async (document: Report, known: Known = {}) => {
    const kind = await documentKind(document);
    const { masked } = maskedDocument(document, kind, known, io);
    file ??= join(resolve(io.cwd, folder), `${document.started_at.replace(/[:.]/g, '-')}-${run}.json`);
    await replaceFile(file, jsonText(masked), { mode: OWNER_ONLY, folders: true });
  };
  const problems: Diagnostic[] = [];
  const failed = (error: unknown) => `the journal in ${folder} could not be written: ${systemWords(error)}`;
  const warn = (error: unknown) => {
    if (problems.length > 0) return;
    problems.push(warning('file-unwritable', failed(error), 'The run goes on without its record.'));
    showDiagnostics(problems, io);
  };
  return {
    begin: (document, known) =>
      write(document, known).catch((error) => {
        if (options.requireJournal !== true) return warn(error);
        const hint = 'Nothing was sent. Without --require-journal this is a warning.';
        throw CommandFailure.of(4, 'file-unwritable', failed(error), hint);
      }),
    end: (document, known) => write(document, known).catch(warn),
    problems,
  };
}
