import { SYSTEM_CLOCK } from '../api/clock.ts';
import { CommandFailure } from '../diagnostics/diagnostic.ts';
import type { Io } from './io.ts';
import { showDiagnostics } from './show-diagnostics.ts';

/** Clears the terminal, what has scrolled out of it stays. */
const CLEAR = '\x1b[H\x1b[J';

/**
 * Draws anew every so many seconds until the first stop signal; returns 130. A frame is drawn whole: what `draw` writes is
 * kept until it is done. A frame that fails says why and is tried again; invalid input (exit 3) ends it.
 */
export async function watch(draw: (io: Io) => Promise<void>, seconds: number, io: Io): Promise<number> {
  const { soft } = io.stop;
  while (!soft.aborted) {
    let text = '';
    const write = (more: string) => {
      text += more;
    };
    const frame = Object.assign(Object.create(io) as Io, { stdout: write, stderr: write });
    try {
      await draw(frame);
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.exitCode === 3) throw error;
      if (soft.aborted) break;
      showDiagnostics(error.diagnostics, frame, error.sources);
    }
    const time = new Date(SYSTEM_CLOCK.now()).toISOString().slice(11, 19);
    io.stdout(`${CLEAR}${text}\n${time} UTC, every ${seconds} s; Ctrl-C ends.\n`);
    await SYSTEM_CLOCK.sleep(seconds * 1_000, soft);
  }
  return 130;
}
