import type { Socket } from 'node:net';

/** A connection that is opened before it is known whether a request will go over it. Nothing is sent on it until then. */
export interface EarlyConnection {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The connection, to the first who asks; undefined where there is none that can be used. */
  take(): Promise<Socket | undefined>;
  /** Ends it where nobody took it. */
  close(): void;
}

/**
 * `opened` never rejects: who finds no connection makes one, and says then what is wrong. `end` ends it, also while it is made:
 * a host that does not answer would hold the process for as long as connecting may take.
 */
export function earlyConnection(
  origin: string,
  opened: Promise<Socket | undefined>,
  end: () => void,
): EarlyConnection {
  let first = true;
  return {
    origin,
    async take() {
      if (!first) return undefined;
      first = false;
      const socket = await opened;
      // That the other side has closed it meanwhile is noticed in a turn of the loop.
      for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      if (socket?.readyState === 'open') return socket.ref();
      socket?.destroy();
      return undefined;
    },
    close() {
      if (first) end();
      first = false;
    },
  };
}
