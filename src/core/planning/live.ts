import { type Connection, connect, namingHost, type Session } from '../command/connection.ts';
import { unlessInterrupted } from '../command/interruption.ts';
import type { Io } from '../command/io.ts';
import type { CommonOptions } from '../command/options.ts';
import { showProgress } from '../command/progress.ts';
import type { AccountPin } from '../desired/project.ts';
import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Collection } from '../model/kind.ts';
import type { LiveState, LiveTask } from '../model/resource.ts';
import type { Progress } from '../ports/output.ts';
import { checkPins } from '../service/resources/account.ts';
import { confirmLive } from '../service/view/confirm.ts';
import { type ReadOptions, readLive } from '../service/view/read.ts';

interface Reading extends Pick<ReadOptions, 'compact'> {
  /** Collections without which there is no plan. */
  readonly needed?: ReadonlySet<Collection>;
  readonly pin?: AccountPin | undefined;
  /** Where the pin is set, if not in the project file. */
  readonly pinnedBy?: string;
  readonly begun?: Begun | undefined;
}

/** The live state, and warnings about the reading. */
export interface LiveRead {
  readonly live: LiveState;
  readonly warnings: readonly Diagnostic[];
}

export interface Opened extends LiveRead {
  readonly session: Session;
  /** Reads the live state again if a create or a delete could not rely on it. */
  readonly confirm: (live: LiveState) => Promise<LiveState>;
  readonly readAgain: () => Promise<LiveState>;
}

/** What the manifests decide about a reading. Only then is it known, too, what its progress must hide. */
interface Known extends Required<Pick<ReadOptions, 'compact' | 'progress'>> {
  readonly needed: ReadonlySet<Collection>;
}

/** A reading that goes on while the manifests are compiled. Whoever has it ends it, or hands it to {@link withLive}. */
export interface Begun {
  readonly session: Session;
  readonly reading: ReadOptions;
  readonly first: ReturnType<typeof readLive>;
  readonly tell: (known: Known) => void;
  /** Closes the session. */
  readonly end: () => Promise<void>;
}

/** Begins to read the live state. GET requests only. Signals are handled until its end. */
export function beginReading(
  { concurrency }: CommonOptions,
  { masking, tally, stop }: Io,
  connection: Connection,
): Begun {
  const release = stop.hear?.();
  let known: Known | undefined;
  let resolve = (_known: Known) => {};
  const told = new Promise<Known>((resolved) => {
    resolve = resolved;
  });
  const emit: Progress['emit'] = (event) => {
    if (known === undefined) void told.then(({ progress }) => progress.emit(event));
    else known.progress.emit(event);
  };
  const session = connect(connection, { progress: { emit }, concurrency, masking, tally });
  const { api, clock, pages } = session;
  const reading: ReadOptions = {
    ...{ api, clock, progress: { emit }, limiter: pages },
    needed: told.then(({ needed }) => needed),
    compact: (item) => known?.compact(item) ?? item,
  };
  const tell = (what: Known) => {
    known = what;
    resolve(what);
  };
  const end = async () => {
    await session.close();
    release?.();
  };
  return { session, reading, tell, end, first: readLive(reading) };
}

/**
 * Reads the live state, and runs work on it in the same session, which is closed then. Any account other than the pinned one is
 * refused first (exit 4). GET requests only. One function, because each line relies on the one before, and one `finally` ends all.
 */
export async function withLive<Result>(
  options: CommonOptions,
  io: Io,
  connection: Connection,
  {
    pin,
    pinnedBy,
    begun = beginReading(options, io, connection),
    needed = new Set(),
    compact = (task) => task,
  }: Reading,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const { quiet, verbose } = options;
  const { stop } = io;
  const { session, reading, first } = begun;
  const shows = () => showProgress(io, { quiet, verbose, total: 0 });
  const failed = (code: 1 | 4, diagnostics: readonly Diagnostic[]) =>
    new CommandFailure(code, namingHost(diagnostics, connection.baseUrl));
  try {
    const progress = shows();
    begun.tell({ needed, compact, progress });
    const read = await unlessInterrupted(first, stop.soft).finally(() => progress.close());
    const { account, diagnostics } = read;
    const mismatch = account === undefined ? [] : checkPins(account, options.pinned, pin, pinnedBy);
    if (mismatch.length > 0) throw new CommandFailure(4, mismatch);
    // What came before the manifests were known does not share their configs yet.
    const live = read.live && { ...read.live, tasks: read.live.tasks.map(compact) as LiveTask[] };
    if (live === undefined) {
      // The manifests need a kind that the token cannot read: the view is incomplete, but nothing failed.
      throw failed(diagnostics.some(({ code }) => code === 'kind-not-visible') ? 4 : 1, diagnostics);
    }
    return await work({
      session,
      live,
      warnings: diagnostics,
      async confirm(seen) {
        if (seen.confirmed || !seen.complete) return seen;
        const again = shows();
        const confirming = confirmLive(seen, { ...reading, progress: again });
        const result = await unlessInterrupted(confirming, stop.soft).finally(() => again.close());
        if (result.live === undefined) throw failed(1, [result.failure]);
        return result.live;
      },
      async readAgain() {
        const result = await unlessInterrupted(readLive(reading), stop.soft);
        if (result.live === undefined) throw failed(1, result.diagnostics);
        return result.live;
      },
    });
  } finally {
    await begun.end();
  }
}
