import { type Connection, namingHost, type Session, withSession } from '../command/connection.ts';
import { unlessInterrupted } from '../command/interruption.ts';
import type { Io } from '../command/io.ts';
import type { CommonOptions } from '../command/options.ts';
import { showProgress } from '../command/progress.ts';
import type { AccountPin } from '../desired/project.ts';
import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { LiveState } from '../model/resource.ts';
import type { EarlyConnection } from '../service/http/transport.ts';
import { checkPins } from '../service/resources/account.ts';
import { confirmLive } from '../service/view/confirm.ts';
import { type ReadOptions, readLive } from '../service/view/read.ts';

interface Reading extends Partial<Pick<ReadOptions, 'needed' | 'compact'>> {
  readonly pin?: AccountPin | undefined;
  /** Where the pin is set, if not in the project file. */
  readonly pinnedBy?: string;
  readonly early?: EarlyConnection | undefined;
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

/** Reads the live state once, as {@link withLive} does. */
export function readOnce(
  options: CommonOptions,
  io: Io,
  connection: Connection,
  reading: Reading,
): Promise<LiveRead> {
  return withLive(options, io, connection, reading, async (opened) => opened);
}

/**
 * Reads the live state, and runs work on it in the same session, which is closed then. Any account other than the pinned one is
 * refused first (exit 4). GET requests only.
 */
export async function withLive<Result>(
  options: CommonOptions,
  io: Io,
  connection: Connection,
  { pin, pinnedBy, early, needed = new Set(), ...what }: Reading,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const { quiet, verbose, concurrency } = options;
  const { masking, stop, tally } = io;
  const shows = () => showProgress(io, { quiet, verbose, total: 0 });
  const failed = (code: 1 | 4, diagnostics: readonly Diagnostic[]) =>
    new CommandFailure(code, namingHost(diagnostics, connection.baseUrl));
  const progress = shows();
  const how = { progress, concurrency, masking, stop, tally, early };
  return withSession(connection, how, async (session) => {
    const { api, clock, pages: limiter } = session;
    const reading = { api, clock, progress, limiter, needed, ...what };
    const read = () => unlessInterrupted(readLive(reading), stop.soft);
    const { account, live, diagnostics } = await read().finally(() => progress.close());
    const mismatch = account === undefined ? [] : checkPins(account, options.pinned, pin, pinnedBy);
    if (mismatch.length > 0) throw new CommandFailure(4, mismatch);
    if (live === undefined) {
      // The manifests need a kind that the token cannot read: the view is incomplete, but nothing failed.
      throw failed(diagnostics.some(({ code }) => code === 'kind-not-visible') ? 4 : 1, diagnostics);
    }
    masking.know(live);
    return work({
      session,
      live,
      warnings: diagnostics,
      async confirm(seen) {
        if (seen.confirmed || !seen.complete) return seen;
        const again = shows();
        const confirming = confirmLive(seen, { ...reading, progress: again });
        const result = await unlessInterrupted(confirming, stop.soft).finally(() => again.close());
        if (result.live === undefined) throw failed(1, [result.failure]);
        masking.know(result.live);
        return result.live;
      },
      async readAgain() {
        const result = await read();
        if (result.live === undefined) throw failed(1, result.diagnostics);
        masking.know(result.live);
        return result.live;
      },
    });
  });
}
