import { openDoor } from '../render/masking/door.ts';
import { Masking } from '../render/masking/masking.ts';
import type { Io } from './io.ts';

/** The surroundings of a run in memory. Nothing else of the process reaches the run. */
interface Surroundings extends Pick<Io, 'cwd' | 'env' | 'stop' | 'tally'> {
  readonly masking?: Masking;
  /** Receives the text for stderr. */
  readonly onMessage: (text: string) => void;
}

/** An Io without a terminal, so nobody can be asked. `printed` returns the text of stdout and flushes the rest of stderr. */
export function memoryIo({ masking = new Masking(), onMessage, ...outside }: Surroundings): {
  readonly io: Io;
  printed(): string;
} {
  const result: string[] = [];
  const stdout = openDoor(masking, (text) => void result.push(text));
  const stderr = openDoor(masking, onMessage);
  const io: Io = {
    ...outside,
    stdout: stdout.write,
    stderr: stderr.write,
    stdoutIsTTY: false,
    stderrIsTTY: false,
    stdinIsTTY: false,
    columns: 80,
    color: { stdout: false, stderr: false },
    masking,
    ask: async () => '',
  };
  const printed = () => {
    stdout.flush();
    stderr.flush();
    return result.join('');
  };
  return { io, printed };
}
