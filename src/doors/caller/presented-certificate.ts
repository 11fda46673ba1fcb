import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import { type ReadConnection, tlsSocketOf } from './connection.ts';
import { readClientCert, readForwardedClientCert, readPemHeader } from './presented-header.ts';

/** What a caller presented: DER, leaf first. */
export type PresentedChain = readonly Uint8Array[];

export type CertificateHeader = 'off' | 'rfc9440' | 'url-encoded-pem' | 'xfcc';

export interface PresentedOptions {
  readonly readConnection: ReadConnection;
  readonly header: CertificateHeader;
  readonly headerName?: string | undefined;
  readonly chainOf: (socket: TLSSocket) => readonly Uint8Array[];
  /** Somebody who is no listed proxy sent a certificate header. It is ignored, and worth knowing. */
  readonly onIgnoredHeader: () => void;
}

const USUAL_NAMES: Readonly<Record<CertificateHeader, string>> = {
  off: 'client-cert',
  rfc9440: 'client-cert',
  'url-encoded-pem': 'x-client-cert',
  xfcc: 'x-forwarded-client-cert',
};

/** From a listed proxy only the header counts: the proxy's own certificate never gives an identity. */
export function presentedReader(options: PresentedOptions): (request: FastifyRequest) => Outcome<PresentedChain> {
  const name = (options.headerName ?? USUAL_NAMES[options.header]).toLowerCase();
  return (request) => {
    if (options.readConnection(request).isProxied) return fromHeader(request, options.header, name);
    if (request.headers[name] !== undefined) options.onIgnoredHeader();
    return fromHandshake(request, options.chainOf);
  };
}

function fromHandshake(request: FastifyRequest, chainOf: PresentedOptions['chainOf']): Outcome<PresentedChain> {
  const socket = tlsSocketOf(request);
  const chain = socket ? chainOf(socket) : [];
  if (!socket || chain.length === 0) return refuse('certificate-missing');
  return accept(chain);
}

function fromHeader(request: FastifyRequest, header: CertificateHeader, name: string): Outcome<PresentedChain> {
  switch (header) {
    case 'off':
      return refuse('certificate-missing');
    case 'rfc9440':
      return readClientCert(linesOf(request, name), linesOf(request, 'client-cert-chain'));
    case 'url-encoded-pem':
      return readPemHeader(linesOf(request, name));
    case 'xfcc':
      return readForwardedClientCert(linesOf(request, name));
  }
}

/** Every line of a header as it came: Node joins repeated ones, and one that was repeated is refused. */
function linesOf(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
