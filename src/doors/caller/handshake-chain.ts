// The chain that a client sent in the handshake.
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { MAX_PRESENTED } from '../../core/certificate.ts';

// Stored on the socket, not in a WeakMap: HTTP/2 wraps sockets in a proxy object, which passes properties through.
const CHAIN = Symbol('chain of the handshake');

/** Read when it is first needed. Node before 26.10 may show the leaf only (src/serve/this-node.ts), and so do resumed sessions: resumption must be off. */
export function chainOf(socket: TLSSocket & { [CHAIN]?: readonly Uint8Array[] }): readonly Uint8Array[] {
  socket[CHAIN] ??= sentBy(socket.getPeerX509Certificate());
  return socket[CHAIN];
}

// One more than the judge allows, so that it can refuse a chain that is too long.
const MOST_KEPT = MAX_PRESENTED + 1;

/** In the order sent: `issuerCertificate` is the next certificate sent, not necessarily the issuer's. */
function sentBy(leaf: X509Certificate | undefined): Uint8Array[] {
  const sent = new Set<X509Certificate>();
  const isNew = (next: X509Certificate) => sent.size < MOST_KEPT && !sent.has(next);
  for (let next = leaf; next && isNew(next); next = next.issuerCertificate) sent.add(next);
  return Array.from(sent, ({ raw }) => raw);
}
