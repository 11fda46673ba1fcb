// What a listener and this Node cannot do for callers with certificates. Versions of Node differ: docs/dependencies.md.
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { chainOf } from '../doors/caller/presented-certificate.ts';
import { makeDevelopmentAuthority } from '../pki/development-authority.ts';
import { systemClock, systemRandom } from '../system.ts';

// For log and doctor: what is missing, and what to do.

/** OpenSSL loads the keys of all presented certificates before Node calls us (docs/decisions.md). */
export const ASKS_ANYBODY = {
  says: 'a listener without a proxy requests client certificates: one hostile certificate can stall the service for seconds',
  todo: 'Put Caddy in front (docs/proxies.md), or let only your own networks reach this listener. clientCertificates: off if nobody needs them there.',
};

export const LACKS_INTERMEDIATES = {
  says: `Node ${process.version} does not show the intermediates that callers send: callers that need them are refused`,
  todo: 'Use Node 26.10 or newer, or register them: tessera issuer change LABEL --certificate FILE, with the intermediates behind the certificate.',
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
  const { certificate: cert, key } = authority.issueServer(['localhost']);
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false });
  const [near, far] = duplexPair();
  const secured = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  const ended = once(server, 'tlsClientError').then(([fault]) => Promise.reject(fault));
  server.emit('connection', far);
  const own = authority.issueClient('self');
  const chained = { cert: `${own.certificate}${authority.certificate}`, key: own.key };
  const caller = connect({ socket: near, ...chained, rejectUnauthorized: false }).on('error', () => undefined);
  try {
    const [socket] = await Promise.race([secured, ended]);
    return chain(socket).length > 1;
  } finally {
    caller.destroy();
    far.destroy();
  }
}
