// The certificate that a caller presents: in the handshake, or in a header of a listed proxy.
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { type CertificateHeader, MAX_PRESENTED, type Presented, type PresentedChain } from '../../core/certificate.ts';
import { type ReadConnection, tlsSocketOf } from './connection.ts';

export interface PresentedOptions {
  readonly readConnection: ReadConnection;
  readonly header: CertificateHeader | 'off';
  readonly headerName?: string | undefined;
}

export type ReadPresented = (request: FastifyRequest) => Presented;

const DEFAULT_NAMES: Readonly<Record<PresentedOptions['header'], string>> = {
  off: 'client-cert',
  rfc9440: 'client-cert',
  'url-encoded-pem': 'x-client-cert',
  xfcc: 'x-forwarded-client-cert',
};

const CHAIN_HEADER = 'client-cert-chain';

/** From a listed proxy only the header counts: the proxy's own certificate never gives an identity. */
export function presentedReader({ readConnection, header, headerName }: PresentedOptions): ReadPresented {
  const name = (headerName ?? DEFAULT_NAMES[header]).toLowerCase();
  return (request) => {
    if (readConnection(request).isProxied) return header === 'off' ? NOTHING : fromHeader(request, header, name);
    return new ByHandshake(tlsSocketOf(request), request.headers[name] !== undefined);
  };
}

/** A class, since an object literal with a getter takes microseconds to make. */
class ByHandshake {
  readonly by = 'handshake';
  readonly #socket: TLSSocket | undefined;
  readonly hasIgnoredHeader: boolean;

  constructor(socket: TLSSocket | undefined, hasIgnoredHeader: boolean) {
    this.#socket = socket;
    this.hasIgnoredHeader = hasIgnoredHeader;
  }

  get chain(): PresentedChain {
    return this.#socket ? chainOf(this.#socket) : [];
  }
}

const NOTHING: Presented = { by: 'nothing' };

function fromHeader(request: FastifyRequest, header: CertificateHeader, name: string): Presented {
  const chainLines = header === 'rfc9440' ? linesOf(request, CHAIN_HEADER) : [];
  return { by: 'header', header, lines: linesOf(request, name), chainLines };
}

/** Every line of a header, unjoined: Node joins repeated headers, and a repeated certificate header is refused. */
function linesOf(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

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
