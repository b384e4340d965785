import { appendFile, stat } from 'node:fs/promises';
import { CommandFailure, type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { systemWords } from '../../diagnostics/system-words.ts';
import { goalOf } from '../../project/door/straying.ts';
import type { Io } from '../io.ts';

/** GitHub drops the whole summary of a step above this size. */
const MOST_BYTES = 1024 * 1024;
const NO_ROOM = 'the summary has no room for it';

/**
 * Appends the Markdown to the step summary, as far as the step has room. A failure is only a warning, because nobody asked for
 * the summary.
 */
export async function writeSummary(
  markdown: (maxBytes: number) => string | Promise<string>,
  { env, masking }: Pick<Io, 'env' | 'masking'>,
): Promise<readonly Diagnostic[]> {
  const path = env.GITHUB_STEP_SUMMARY ?? '';
  if (path === '') return [];
  try {
    const goal = goalOf(path);
    const standing = await stat(goal).catch(() => undefined);
    if (standing?.isFile() === false) throw new Error('it is not a regular file');
    // Text that others wrote may end without an empty line.
    const lead = (standing?.size ?? 0) > 0 ? '\n\n' : '';
    const room = MOST_BYTES - (standing?.size ?? 0) - lead.length;
    const text = room <= 0 ? '' : await markdown(room);
    const hidden = masking.text(text);
    if (hidden === '' || Buffer.byteLength(hidden) > room) return [unwritten(NO_ROOM)];
    await appendFile(goal, lead + hidden);
    return [];
  } catch (error) {
    return [unwritten(error instanceof CommandFailure ? NO_ROOM : systemWords(error))];
  }
}

function unwritten(why: string): Diagnostic {
  return warning(
    'file-unwritable',
    `nothing was added to the step summary: ${why}`,
    'Turn annotations and summary off with --no-github.',
  );
}
