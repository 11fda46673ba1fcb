// What this Node can do for callers with certificates. Versions differ: docs/dependencies.md.
import type { TLSSocket } from 'node:tls';
import { chainOf } from '../doors/caller/presented-certificate.ts';
import { canInspect, connectToSelf, selfTestServer } from '../front/certificate-inspection.ts';
import { makeDevelopmentAuthority } from '../pki/development-authority.ts';
import { systemClock, systemRandom } from '../system.ts';

/** For log and doctor: what is missing, and what to do. */
export const NODE_LACKS = {
  inspection: {
    says: `client certificates are not inspected with Node ${process.version}: one hostile certificate can stall the service for seconds`,
    todo: 'Use Node 26.10.0; if it is that, the self-test failed: start again. Or clientCertificates: off on this listener, with certificates on a second one that the internet cannot reach, or Caddy in front (docs/proxies.md).',
  },
  intermediates: {
    says: `Node ${process.version} does not show the intermediates that callers send: callers that need them are refused`,
    todo: 'Use Node 26.10 or newer, or register them: tessera issuer change LABEL --certificate FILE, with the intermediates behind the certificate.',
  },
};

let asked: Promise<boolean> | undefined;

/** Whether Node shows the certificates above the leaf that a client sends. A handshake of the process with itself finds out, once: 20 ms. */
export function seesIntermediates(): Promise<boolean> {
  // A self-test that fails by itself says nothing about callers.
  asked ??= trySelf().catch(() => true);
  return asked;
}

export async function trySelf(chain = chainOf): Promise<boolean> {
  const authority = makeDevelopmentAuthority(new Date(systemClock.milliseconds()), systemRandom);
  const look = (socket: TLSSocket) => chain(socket).length > 1;
  return connectToSelf(selfTestServer(authority), authority.issueClient('self'), authority.certificate, look);
}

export const THIS_NODE = { canInspect, seesIntermediates };
