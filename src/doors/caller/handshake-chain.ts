// The chain that a client sent in the handshake, read from the socket before Node drops it.
import type { X509Certificate } from 'node:crypto';
import type { Server, TLSSocket } from 'node:tls';
import { MAX_PRESENTED } from '../../pki/judge/judge.ts';

// Stored on the socket, not in a WeakMap: HTTP/2 wraps sockets in a proxy object, which passes properties through.
const CHAIN = Symbol('chain of the handshake');
type RememberingSocket = TLSSocket & { [CHAIN]?: readonly Uint8Array[] };

/**
 * Once a handshake is done, servers of some Node versions (24.21, 26.8) ask the socket for the peer's certificate in a
 * way that drops the rest of its chain (nodejs/node#65579). So we read the chain in a `secure` listener that runs before
 * Node's. `keylog` is the only public server event early enough to get the socket; its secrets are ignored. Resumed
 * sessions hold only the leaf: resumption must be off on such a server.
 */
export function rememberChains(server: Server): (socket: TLSSocket) => readonly Uint8Array[] {
  server.on('keylog', (_secrets: Buffer, socket: RememberingSocket) => {
    socket.removeAllListeners('keylog'); // four more would follow
    socket.prependOnceListener('secure', () => {
      socket[CHAIN] = chainOf(socket.getPeerX509Certificate());
    });
  });
  return (socket: RememberingSocket) => socket[CHAIN] ?? [];
}

// One more than the judge allows, so that it can refuse a chain that is too long.
const MOST_KEPT = MAX_PRESENTED + 1;

/** In the order sent: `issuerCertificate` is the next certificate sent, not necessarily the issuer's. */
function chainOf(leaf: X509Certificate | undefined): Uint8Array[] {
  const sent = new Set<X509Certificate>();
  const isNew = (next: X509Certificate) => sent.size < MOST_KEPT && !sent.has(next);
  for (let next = leaf; next && isNew(next); next = next.issuerCertificate) sent.add(next);
  return Array.from(sent, ({ raw }) => raw);
}
