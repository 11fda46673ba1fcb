// What this Node can do for callers with certificates. Versions differ: docs/small-print.md.
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { chainOf } from '../doors/caller/handshake-chain.ts';
import { canInspect } from '../front/certificate-inspection.ts';
import { makeDevelopmentAuthority } from '../pki/development-authority.ts';
import { systemClock, systemRandom } from '../system.ts';

/** For log and doctor: what is missing, and what to do. */
export const UNINSPECTED = `client certificates are not inspected with Node ${process.version}: one hostile certificate can stall the service for seconds`;
export const TO_INSPECT =
  'Use Node 26.10.0; or clientCertificates: off on this listener, with certificates on a second one that the internet cannot reach; or Caddy in front (docs/proxies.md).';
export const INTERMEDIATES_UNSEEN = `Node ${process.version} does not show the intermediates that callers send: callers that need them are refused`;
export const TO_SEE_INTERMEDIATES =
  'Use Node 26.10 or newer, or register them: tessera issuer change LABEL --certificate FILE, with the intermediates behind the certificate.';

let asked: Promise<boolean> | undefined;

/** Whether Node shows the certificates above the leaf that a client sends. A handshake of the process with itself finds out, once: 20 ms. */
export function seesIntermediates(): Promise<boolean> {
  // A self-test that fails by itself says nothing about callers.
  asked ??= trySelf().catch(() => true);
  return asked;
}

/** `chain`: how chains are read. */
export async function trySelf(chain = chainOf): Promise<boolean> {
  const authority = makeDevelopmentAuthority(new Date(systemClock.milliseconds()), systemRandom);
  const [own, client] = [authority.issueServer(['localhost']), authority.issueClient('self')];
  const options = { cert: own.certificate, key: own.key, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options);
  const [near, far] = duplexPair();
  const secured = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  server.emit('connection', far);
  const caller = connect({
    socket: near,
    cert: `${client.certificate}${authority.certificate}`,
    key: client.key,
    ca: authority.certificate,
    servername: 'localhost',
  });
  try {
    const [[socket]] = await Promise.all([secured, once(caller, 'secureConnect')]);
    return chain(socket).length > 1;
  } finally {
    caller.destroy();
    far.destroy();
  }
}

export const THIS_NODE = { canInspect, seesIntermediates };
