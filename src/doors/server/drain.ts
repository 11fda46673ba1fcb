// Ends a listener without losing a request. It accepts no new connections; each open one closes after its next response.
import { Server } from 'node:net';
import type { Places } from './places.ts';
import { emptyQueue } from './queued-connections.ts';

/** A server with kept-alive HTTP/1.1 connections. */
interface KeptAlive {
  closeIdleConnections(): void;
}

export class Drain {
  readonly #server: Server;
  readonly #places: Places;
  readonly #idleMs: number;

  /** `idleMs`: how long to wait for the next request on an idle connection. */
  constructor(server: Server, places: Places, idleMs: number) {
    [this.#server, this.#places, this.#idleMs] = [server, places, idleMs];
  }

  /** Resolves when all connections are closed. `isShared`: other processes listen on the same port. */
  async begin(isShared = false): Promise<void> {
    this.#places.endStreams();
    await emptyQueue(this.#server, isShared);
    await new Promise<void>((resolve) => {
      const idle = setTimeout(() => this.#closeIdle(), this.#idleMs);
      // Not the HTTP server's own close: it also closes idle connections, on which a request may be on its way.
      Server.prototype.close.call(this.#server, () => {
        clearTimeout(idle);
        resolve();
      });
      if (this.#idleMs === 0) this.#closeIdle();
    });
  }

  #closeIdle(): void {
    (this.#server as unknown as KeptAlive).closeIdleConnections();
    this.#places.closeIdleSessions();
  }
}
