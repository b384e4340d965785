import { CommandFailure, type Diagnostic, problem } from '../diagnostics/diagnostic.ts';
import { StrayingLink } from '../project/door/straying.ts';
import { systemWords } from './system-words.ts';

/**
 * The diagnostic about a file that could not be written: `file-outside-project` if a link leads out of the project, else
 * `file-unwritable`.
 */
export function unwritten(what: string, error: unknown, hint: string): Diagnostic {
  const message = `${what}: ${systemWords(error)}`;
  return error instanceof StrayingLink
    ? problem(
        'file-outside-project',
        message,
        'tradeform does not write through links; to write there, name the target of the link.',
      )
    : problem('file-unwritable', message, hint);
}

/** The same as a command failure: exit 3 for a link, because the user can name another path, else exit 1. */
export function notWritten(what: string, error: unknown, hint: string): CommandFailure {
  const diagnostic = unwritten(what, error, hint);
  return new CommandFailure(diagnostic.code === 'file-outside-project' ? 3 : 1, [diagnostic]);
}
