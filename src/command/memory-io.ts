import { openDoor } from '../render/masking/door.ts';
import { Masking } from '../render/masking/masking.ts';
import type { Io } from './io.ts';

/** What a run in memory has of the outside; nothing else of the process reaches it. */
export interface Surroundings extends Pick<Io, 'cwd' | 'env' | 'stop' | 'tally'> {
  readonly masking?: Masking;
  /** Gets what goes to stderr. */
  readonly onMessage: (text: string) => void;
}

/** An Io without a terminal, at which nobody can be asked. `printed` is what went to stdout; it also lets out the rest of stderr. */
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
