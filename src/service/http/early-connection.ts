import type { Socket } from 'node:net';

/** A connection that is opened before it is known whether a request will use it. Nothing is sent on it until then. */
export interface EarlyConnection {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Returns the connection to the first caller; undefined if there is no usable one. */
  take(): Promise<Socket | undefined>;
  /** Closes the connection if nobody took it. */
  close(): void;
}

/**
 * `opened` never rejects: a caller without a connection makes one, and reports its errors. `end` closes the connection,
 * also while it is being made: otherwise a host that does not answer would keep the process alive until the connect
 * timeout.
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
      // Whether the other side has closed it shows in the next turn of the event loop.
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
