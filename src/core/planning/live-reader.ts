import {
  type Connection,
  type ConnectionResult,
  connect,
  namingHost,
  requireConnection,
  resolveConnection,
  type ServicePlace,
  type Session,
} from '../command/connection.ts';
import { unlessInterrupted } from '../command/interruption.ts';
import type { Io } from '../command/io.ts';
import type { CommonOptions } from '../command/options.ts';
import { showProgress } from '../command/progress.ts';
import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Collection } from '../model/kind.ts';
import type { AccountPin, LiveState, LiveTask } from '../model/resource.ts';
import type { Progress } from '../ports/output.ts';
import { checkPins } from '../service/resources/account.ts';
import { confirmLive } from '../service/view/confirm.ts';
import { type ReadOptions, readLive } from '../service/view/read.ts';

interface ReadingNeeds extends Partial<Pick<ReadOptions, 'compact'>> {
  readonly place: ServicePlace | undefined;
  /** Collections without which there is no plan. */
  readonly needed?: ReadonlySet<Collection>;
  readonly pin?: AccountPin | undefined;
  /** Where the pin is set, if not in the project file. */
  readonly pinnedBy?: string;
}

export interface LiveRead {
  readonly live: LiveState;
  readonly baseUrl: string;
  readonly warnings: readonly Diagnostic[];
}

export interface ProvenRead extends LiveRead {
  readonly session: Session;
  /** Reads the live state again if a create or a delete could not rely on it. Undefined: it can. */
  readonly confirm: () => Promise<LiveState | undefined>;
  readonly readAgain: () => Promise<LiveState>;
}

/** Known with the manifests; only then it is known, too, what progress must hide. */
interface Decided extends Required<Pick<ReadOptions, 'compact' | 'progress'>> {
  readonly needed: ReadonlySet<Collection>;
}

/**
 * The one owner of a session, of what is read in it, and of the signals that are handled meanwhile. GET requests only. Whoever makes
 * it calls `end`.
 */
export class LiveReader {
  #resolved: ConnectionResult | undefined;
  #begun: ReturnType<typeof begin> | undefined;

  constructor(
    private readonly options: CommonOptions,
    private readonly io: Io,
  ) {}

  /** Begins to read. What is wrong with the connection is reported by `proven`. */
  async start(place: ServicePlace): Promise<void> {
    this.#resolved = await resolveConnection(this.options, this.io, place);
    const { connection } = this.#resolved;
    if (connection !== undefined) this.#begun = begin(this.options, this.io, connection);
  }

  /** The live state, of the pinned account (exit 4) and as far as it could be read (exit 4 or 1). */
  async proven({ place, pin, pinnedBy, ...needs }: ReadingNeeds): Promise<ProvenRead> {
    const [options, io] = [this.options, this.io];
    const { connection, diagnostics: said } = await requireConnection(options, io, place, this.#resolved);
    const { baseUrl } = connection;
    this.#begun ??= begin(options, io, connection);
    const { session, first, reading, tell } = this.#begun;
    const { needed = new Set(), compact = (task) => task } = needs;
    const failed = (code: 1 | 4, diagnostics: readonly Diagnostic[]) =>
      new CommandFailure(code, namingHost(diagnostics, baseUrl));
    const { account, diagnostics, ...read } = await this.#showing((progress) => {
      tell({ needed, compact, progress });
      return first;
    });
    const mismatch = account === undefined ? [] : checkPins(account, options.pinned, pin, pinnedBy);
    if (mismatch.length > 0) throw new CommandFailure(4, mismatch);
    // Where the token cannot read a kind that the manifests need, the view is incomplete, but nothing failed.
    if (read.live === undefined)
      throw failed(diagnostics.some(({ code }) => code === 'kind-not-visible') ? 4 : 1, diagnostics);
    // What came before the manifests were known does not share their configs yet.
    const live = { ...read.live, tasks: read.live.tasks.map(compact) as LiveTask[] };
    return {
      ...{ live, baseUrl, session, warnings: [...said, ...diagnostics] },
      confirm: async () => {
        if (live.confirmed || !live.complete) return undefined;
        const result = await this.#showing((progress) => confirmLive(live, { ...reading, progress }));
        if (result.live === undefined) throw failed(1, [result.failure]);
        return result.live;
      },
      readAgain: async () => {
        const result = await unlessInterrupted(readLive(reading), io.stop.soft);
        if (result.live === undefined) throw failed(1, result.diagnostics);
        return result.live;
      },
    };
  }

  async end(): Promise<void> {
    await this.#begun?.end();
  }

  #showing<Result>(work: (progress: Progress) => Promise<Result>): Promise<Result> {
    const { quiet, verbose } = this.options;
    const progress = showProgress(this.io, { quiet, verbose, total: 0 });
    return unlessInterrupted(work(progress), this.io.stop.soft).finally(() => progress.close());
  }
}

export async function readOnce(options: CommonOptions, io: Io, needs: ReadingNeeds): Promise<ProvenRead> {
  const reading = new LiveReader(options, io);
  try {
    return await reading.proven(needs);
  } finally {
    await reading.end();
  }
}

function begin({ concurrency }: CommonOptions, { masking, tally, stop }: Io, connection: Connection) {
  const release = stop.hear?.();
  let known: Decided | undefined;
  let tell = (_told: Decided) => {};
  const told = new Promise<Decided>((resolve) => {
    tell = (what) => {
      known = what;
      resolve(what);
    };
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
  const end = async () => {
    await session.close();
    release?.();
  };
  return { session, reading, first: readLive(reading), tell, end };
}
