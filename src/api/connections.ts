import type { Client } from 'undici';

/** One connection after another, with one request at a time on it. */
export interface Connection {
  client: Client;
  /** The service has kept it open after an answer. */
  proven: boolean;
}

/** Something that a connection is needed for. It ends with `answered` or `failed`. */
export type Use = (connection: Connection) => void;

/**
 * Up to `most` connections; whoever finds none free waits, first come first served.
 *
 * undici has a pool for that, which takes a connection for busy until the turn after an answer, always: whoever sends the
 * next request at once would open another connection. That wait is for a service that closes a connection although it
 * said that it would not, and loses what was sent meanwhile. Here a connection that was kept open once needs none.
 */
export class Connections {
  private most: number;
  private readonly open: () => Client;
  private readonly all: Connection[] = [];
  private readonly free: Connection[] = [];
  private readonly waiting = new Set<Use>();
  /** A connection that was kept open is not closed after a later answer, as far as is known. */
  private kept = true;

  constructor(most: number, open: () => Client) {
    this.most = Math.max(1, most);
    this.open = open;
  }

  take(use: Use): void {
    // The one that was last in use: the others may have been closed meanwhile.
    const connection = this.free.pop() ?? this.another();
    if (connection === undefined) this.waiting.add(use);
    else use(connection);
  }

  /** Takes back the wish for a connection; who has one already keeps it. */
  leave(use: Use): void {
    this.waiting.delete(use);
  }

  /** `then` is called once the connection is free: whoever goes on from there finds it so. */
  answered(connection: Connection, then: () => void): void {
    const wait = !connection.proven || !this.kept;
    connection.proven = true;
    const goOn = () => {
      this.giveBack(connection);
      then();
    };
    if (wait) setImmediate(goOn);
    else goOn();
  }

  /** `begun`: an answer had begun to come in. */
  failed(connection: Connection, begun: boolean): void {
    if (connection.proven && !begun) this.kept = false;
    this.giveBack(connection);
  }

  /** Ends what is in flight; nothing is sent afterwards. */
  async close(): Promise<void> {
    // Whoever comes later gets one of those that are closed.
    if (this.all.length === 0) this.take((connection) => this.free.push(connection));
    this.most = this.all.length;
    await Promise.all(this.all.map(({ client }) => client.destroy()));
  }

  private giveBack(connection: Connection): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free.push(connection);
      return;
    }
    this.waiting.delete(next);
    // The library is in the middle of its work on this connection.
    queueMicrotask(() => next(connection));
  }

  private another(): Connection | undefined {
    if (this.all.length >= this.most) return undefined;
    const connection: Connection = { client: this.open(), proven: false };
    this.watch(connection);
    this.all.push(connection);
    return connection;
  }

  private watch(connection: Connection): void {
    const { client } = connection;
    client.on('connect', () => {
      connection.proven = false;
    });
    // A client that could not connect may count the request that failed as running, and then sends no other.
    client.on('connectionError', () => {
      connection.client = this.open();
      this.watch(connection);
    });
  }
}
