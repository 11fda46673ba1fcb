// Ends a listener without losing a request. It accepts no new connections; each open one closes after its next response.
import { Server } from 'node:net';
import type { Places } from './places.ts';
import { emptyQueue } from './queued-connections.ts';

/** A server with kept-alive HTTP/1.1 connections. */
interface KeptAlive {
  closeIdleConnections(): void;
}

/** The listener is closed after this time, whoever still connects. */
const PATIENCE_MS = 3000;

export class Drain {
  readonly #server: Server;
  readonly #places: Places;
  readonly #idleMs: number;
  readonly #patienceMs: number;

  /** `idleMs`: how long to wait for the next request on an idle connection. */
  constructor(server: Server, places: Places, idleMs: number, patienceMs = PATIENCE_MS) {
    [this.#server, this.#places, this.#idleMs, this.#patienceMs] = [server, places, idleMs, patienceMs];
  }

  /** Resolves when all connections are closed. `isShared`: other processes listen on the same port. */
  async begin(isShared = false): Promise<void> {
    this.#places.endStreams();
    await emptyQueue(this.#server, isShared, this.#patienceMs);
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
