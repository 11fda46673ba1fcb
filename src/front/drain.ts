// Ends a listener without losing a request. It accepts no new connections; each open one closes after its next response.
import { Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Admission } from './admission.ts';
import type { Connections } from './connections.ts';

/** The listener is closed after this time, even if callers still connect. */
const PATIENCE_MS = 1_000;

/** Resolves when all connections are closed. `idleMs`: how long to wait for the next request on an idle connection. */
export async function drain(
  server: Server,
  connections: Connections,
  admission: Admission,
  idleMs: number,
): Promise<void> {
  admission.stop();
  await emptyQueue(server, performance.now() + PATIENCE_MS);
  const closeIdle = () => {
    (server as unknown as { closeIdleConnections(): void }).closeIdleConnections();
    connections.closeSessions();
  };
  await new Promise<void>((resolve) => {
    const idle = setTimeout(closeIdle, idleMs);
    // Not the HTTP server's own close: it also closes idle connections, on which a request may be on its way.
    Server.prototype.close.call(server, () => {
      clearTimeout(idle);
      resolve();
    });
  });
}

/** Closing a listener resets the connections that the kernel has accepted and we have not: libuv takes one in each turn. */
async function emptyQueue(server: Server, until: number): Promise<void> {
  for (let isEmpty = false; !isEmpty && performance.now() < until; ) {
    isEmpty = true;
    const notice = () => {
      isEmpty = false;
    };
    server.on('connection', notice).on('drop', notice);
    await setImmediate(); // the end of the turn that we are in
    await setImmediate(); // after the next look at all sockets
    server.off('connection', notice).off('drop', notice);
  }
}
