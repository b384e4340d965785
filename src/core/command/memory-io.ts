import { CommandFailure } from '../diagnostics/diagnostic.ts';
import { Masking, openDoor } from '../render/masking/masking.ts';
import type { Io } from './io.ts';
import { shown } from './masking.ts';

/** The surroundings of a run in memory. Nothing else of the process reaches the run. */
interface Surroundings extends Pick<Io, 'cwd' | 'env' | 'stop' | 'tally' | 'outlets'> {
  readonly masking?: Masking;
  /** Receives the text for stderr. */
  readonly onMessage: (text: string) => void;
}

/**
 * Runs a command that prints one JSON document, without a terminal, so nobody can be asked. Returns its exit code and the document,
 * and fails as the command fails. Secrets are hidden in the document, in the failure and in all messages.
 */
export async function runInMemory<Document>(
  { masking = new Masking(), onMessage, ...outside }: Surroundings,
  command: (io: Io) => Promise<number>,
): Promise<{ readonly exitCode: number; readonly document: Document }> {
  const result: string[] = [];
  const stdout = openDoor(masking, (text) => void result.push(text));
  const stderr = openDoor(masking, onMessage);
  const io: Io = {
    ...outside,
    stdout: stdout.write,
    stderr: stderr.write,
    stderrIsTTY: false,
    stdinIsTTY: false,
    columns: 80,
    color: { stdout: false, stderr: false },
    masking,
    ask: async () => '',
  };
  try {
    const exitCode = await command(io);
    stdout.flush();
    return { exitCode, document: JSON.parse(result.join('')) as Document };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const { exitCode, diagnostics, details } = error;
    throw new CommandFailure(exitCode, shown(diagnostics, io), new Map(), shown(details, io));
  } finally {
    stderr.flush();
  }
}
