// The chain that a client sent in the handshake, taken from the socket before Node loses it.
import type { X509Certificate } from 'node:crypto';
import type { Server, TLSSocket } from 'node:tls';
import { MAX_PRESENTED } from '../../pki/judge/judge.ts';

// On the socket itself rather than beside it: HTTP/2 hands out sockets behind a proxy object, which passes this through.
const CHAIN = Symbol('chain of the handshake');
type RememberingSocket = TLSSocket & { [CHAIN]?: readonly Uint8Array[] };

/**
 * Once a handshake is done, servers of some Node versions (24.21, 26.8) ask the socket for the peer's certificate in a
 * way that drops the rest of its chain (nodejs/node#65579). So the chain is read in a `secure` listener of ours that runs
 * before Node's. The socket is first seen through `keylog`, the one public event of a server that comes earlier; the
 * secrets it carries are not looked at. Resumed sessions hold the leaf alone: resumption must be off on such a server.
 */
export function rememberChains(server: Server): (socket: TLSSocket) => readonly Uint8Array[] {
  server.on('keylog', (_secrets: Buffer, socket: RememberingSocket) => {
    socket.removeAllListeners('keylog'); // once is enough, and four more would follow
    socket.prependOnceListener('secure', () => {
      socket[CHAIN] = chainOf(socket.getPeerX509Certificate());
    });
  });
  return (socket: RememberingSocket) => socket[CHAIN] ?? [];
}

// One more than a verdict looks at, so that it can say that there were too many.
const MOST_KEPT = MAX_PRESENTED + 1;

/** What was sent, in its order: `issuerCertificate` is the certificate sent next, whoever issued it. */
function chainOf(leaf: X509Certificate | undefined): Uint8Array[] {
  const sent = new Set<X509Certificate>();
  const isNew = (next: X509Certificate) => sent.size < MOST_KEPT && !sent.has(next);
  for (let next = leaf; next && isNew(next); next = next.issuerCertificate) sent.add(next);
  return Array.from(sent, ({ raw }) => raw);
}
