// The chain that a client sent in the handshake.
import type { X509Certificate } from 'node:crypto';
import type { Server, TLSSocket } from 'node:tls';
import { MAX_PRESENTED } from '../../core/certificate.ts';

// Stored on the socket, not in a WeakMap: HTTP/2 wraps sockets in a proxy object, which passes properties through.
const CHAIN = Symbol('chain of the handshake');
type RememberingSocket = TLSSocket & { [CHAIN]?: readonly Uint8Array[]; _requestCert?: boolean };

/**
 * Reads the chain once, when it is first needed. Up to Node 24.21 and 26.8, reading takes it from the connection
 * (nodejs/node#65579) and never frees the certificates above the leaf. So it is not read for callers who ask for nothing by
 * certificate, and Node is kept from reading it after every handshake: it does so only if a certificate was requested, and
 * nothing that it then finds out is used here. `keylog` is the only public server event early enough to get the socket; its
 * secrets are ignored. Resumed sessions hold only the leaf: resumption must be off on such a server.
 */
export function rememberChains(server: Server): (socket: TLSSocket) => readonly Uint8Array[] {
  server.on('keylog', (_secrets: Buffer, socket: RememberingSocket) => {
    socket.removeAllListeners('keylog'); // four more would follow, for the server
    boundKeyChanges(socket);
    socket.prependOnceListener('secure', () => {
      socket._requestCert = false;
    });
  });
  return (socket: RememberingSocket) => {
    socket[CHAIN] ??= chainOf(socket.getPeerX509Certificate());
    return socket[CHAIN];
  };
}

/** Clients change their keys after millions of records. Each change costs as much as ten of them. */
const MOST_KEY_CHANGES = 64;
/** Of a handshake with TLS 1.3. */
const FIRST_KEYS = 5;

/** Nothing else tells of new keys (RFC 8446 4.6.3): a stranger who does nothing but change them took a third of a core with 158 KB/s. */
function boundKeyChanges(socket: TLSSocket): void {
  let keys = 1;
  socket.on('keylog', () => {
    keys += 1;
    if (keys > FIRST_KEYS + 2 * MOST_KEY_CHANGES) socket.destroy();
  });
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
