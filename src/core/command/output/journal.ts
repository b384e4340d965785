import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { CommandFailure, type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { systemWords } from '../../diagnostics/system-words.ts';
import type { Known } from '../../documents/document.ts';
import { documentKind } from '../../documents/register.ts';
import type { Report } from '../../model/generated/report.ts';
import { makeFolders, replaceFile } from '../../project/replace-file.ts';
import { jsonText } from '../../render/result.ts';
import { isInJob } from '../event.ts';
import type { Io } from '../io.ts';
import { maskedDocument } from '../masking.ts';
import { showDiagnostics } from '../show-diagnostics.ts';

export interface JournalOptions {
  /** The folder with a file for each run. Default: `TRADEFORM_JOURNAL`, then the user's own. Empty: none is kept. */
  readonly journal?: string | undefined;
  /** Nothing is written to the service if the journal cannot be written. */
  readonly requireJournal?: boolean | undefined;
}

/** The file of one run. Only `resume --from` reads it to choose, and looks at the tasks as they are then. */
export interface Journal {
  /** The end of its name. */
  readonly run: string;
  /** Before the first write: the document with what is intended. The file survives a power cut. */
  begin(document: Report, known?: Known): Promise<void>;
  /** The same file, with what was done. Never fails: a file that cannot be written is a warning. */
  end(document: Report, known?: Known): Promise<void>;
  /** For the document that is shown: the journal could not be written. */
  readonly problems: readonly Diagnostic[];
}

export interface JournalPlace {
  readonly folder: string;
  /** The user's own: a folder for each project, and in it one for each account. The oldest files go by themselves. */
  readonly own: boolean;
}

/** Undefined if no journal is kept: none is wanted, there is no home, or a job of a forge names none. */
export function journalPlace({ journal }: JournalOptions, { env }: Io): JournalPlace | undefined {
  const named = journal ?? env.TRADEFORM_JOURNAL;
  if (named !== undefined) return named === '' ? undefined : { folder: named, own: false };
  const { XDG_STATE_HOME: given = '', HOME, USERPROFILE } = env;
  const state = isAbsolute(given) ? given : join(HOME || USERPROFILE || '.', '.local', 'state');
  return isInJob(env) || !isAbsolute(state)
    ? undefined
    : { folder: join(state, 'tradeform', 'journal'), own: true };
}

/** A name that a file or the service chose, as that of a folder: never a way out of the one above, and never hidden. */
export function folderName(text: string | null): string {
  return (text ?? '')
    .replace(/[^\w.@-]/g, '_')
    .replace(/^\.|^$/, '_')
    .slice(0, 100);
}

/** Below the user's own: a folder for each project, and in it one for each account. */
function ownFolders(project: string | null, login: string | null, baseUrl: string): readonly string[] {
  return [folderName(project), folderName(`${login ?? ''}@${new URL(baseUrl).host}`)];
}

const OWNER_ONLY = { file: 0o600, folder: 0o700 };
/** Of a project and an account, in the user's own folder. */
const MOST = { files: 1_000, bytes: 100e6 };

/** Undefined if no journal is kept. */
export function openJournal(options: JournalOptions, io: Io): Journal | undefined {
  const place = journalPlace(options, io);
  if (place === undefined) {
    if (options.requireJournal !== true) return undefined;
    throw CommandFailure.of(
      3,
      'file-unwritable',
      '--require-journal needs --journal DIR or TRADEFORM_JOURNAL',
    );
  }
  const { folder, own } = place;
  const run = randomUUID().slice(0, 8);
  let file: string | undefined;
  const write = async (document: Report, known: Known = {}) => {
    const kind = await documentKind(document);
    const { masked } = maskedDocument(document, kind, known, io);
    const { project, service, started_at } = masked;
    const inside = own ? ownFolders(project, service.login_username, service.base_url) : [];
    file ??= join(resolve(io.cwd, folder, ...inside), `${started_at.replace(/[:.]/g, '-')}-${run}.json`);
    if (own) await makeFolders(dirname(file), OWNER_ONLY.folder);
    await replaceFile(file, jsonText(masked), { mode: OWNER_ONLY.file, folders: true });
    if (own) await removeOldest(file);
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
    run,
    problems,
  };
}

/** The names begin with the time. `written` stays, whatever a clock says. */
async function removeOldest(written: string): Promise<void> {
  const names = (await readdir(dirname(written))).filter((name) => /^\d.*\.json$/.test(name)).sort();
  let bytes = 0;
  for (const [at, name] of names.reverse().entries()) {
    const path = join(dirname(written), name);
    // Another run may have removed it.
    bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
    if (path !== written && (at >= MOST.files || bytes > MOST.bytes)) await rm(path, { force: true });
  }
}
