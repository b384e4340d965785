import { type Ending, presentFailure } from '../src/command/failure.ts';
import type { Io } from '../src/command/io.ts';
import { askedFor } from './asked.ts';
import type { Terminal } from './terminal.ts';

/** Says why a command ended, in the format and in the reports that the command line asks for. */
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

/** undefined where the directory itself is what is wrong: then nobody knows where reports belong. */
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
