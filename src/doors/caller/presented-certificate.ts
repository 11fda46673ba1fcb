import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import type { CertificateHeader, Presented, PresentedChain } from '../../core/certificate.ts';
import { type ReadConnection, tlsSocketOf } from './connection.ts';

export interface PresentedOptions {
  readonly readConnection: ReadConnection;
  readonly header: CertificateHeader | 'off';
  readonly headerName?: string | undefined;
  readonly chainOf: (socket: TLSSocket) => PresentedChain;
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
export function presentedReader({ readConnection, header, headerName, chainOf }: PresentedOptions): ReadPresented {
  const name = (headerName ?? DEFAULT_NAMES[header]).toLowerCase();
  return (request) => {
    if (readConnection(request).isProxied) return header === 'off' ? NOTHING : fromHeader(request, header, name);
    return new ByHandshake(tlsSocketOf(request), chainOf, request.headers[name] !== undefined);
  };
}

/** A class, since an object literal with a getter takes microseconds to make. */
class ByHandshake {
  readonly by = 'handshake';
  readonly #socket: TLSSocket | undefined;
  readonly #chainOf: PresentedOptions['chainOf'];
  readonly hasIgnoredHeader: boolean;

  constructor(socket: TLSSocket | undefined, chainOf: PresentedOptions['chainOf'], hasIgnoredHeader: boolean) {
    this.#socket = socket;
    this.#chainOf = chainOf;
    this.hasIgnoredHeader = hasIgnoredHeader;
  }

  /** Read only where it is needed: handshake-chain.ts says why. */
  get chain(): PresentedChain {
    return this.#socket ? this.#chainOf(this.#socket) : [];
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
