import { type Ending, presentFailure } from '../src/command/failure.ts';
import type { Io } from '../src/command/io.ts';
import { askedFor } from './asked.ts';
import type { Terminal } from './terminal.ts';

/** Reports why a command ended, in the format and the report files of the command line. */
export async function report(
  terminal: Pick<Terminal, 'inDirectory' | 'printed'>,
  args: readonly string[],
  ending: Ending,
): Promise<void> {
  const here = terminal.inDirectory(undefined);
  const { chdir, ...options } = askedFor(args, here);
  const io = directory(terminal, chdir);
  await presentFailure(
    ending,
    { ...options, ...(io === undefined ? { report: [] } : {}), printed: terminal.printed() },
    io ?? here,
  );
}

/** undefined if the directory itself is the problem, because the place of reports is unknown then. */
function directory(
  { inDirectory }: Pick<Terminal, 'inDirectory'>,
  chdir: string | undefined,
): Io | undefined {
  try {
    return inDirectory(chdir);
  } catch {
    return undefined;
  }
}
