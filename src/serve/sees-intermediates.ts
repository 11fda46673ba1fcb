// Whether this Node shows the certificates above the leaf that a client sends. Versions of Node differ, so a handshake of the process with
// itself finds out: about 20 ms of processor time, after the service listens.
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { Config } from '../config/schema.ts';
import { rememberChains } from '../doors/caller/handshake-chain.ts';
import { makeDevelopmentAuthority } from '../pki/development-authority.ts';
import { systemClock, systemRandom } from '../system.ts';

/** For log and doctor. */
export const INTERMEDIATES_UNSEEN = `Node ${process.version} does not show the intermediates that callers send: callers that need them are refused`;
export const TO_SEE_INTERMEDIATES =
  'Use Node 26.10 or newer, or register them: tessera issuer change LABEL --certificate FILE, with the intermediates behind the certificate.';

/** Whether some listener asks callers for a certificate. */
export function requestsCertificates({ listeners }: Pick<Config, 'listeners'>): boolean {
  return listeners.some(({ tls, clientCertificates }) => tls !== undefined && clientCertificates !== 'off');
}

let asked: Promise<boolean> | undefined;

/** The answer is the same for the life of the process. */
export function seesIntermediates(): Promise<boolean> {
  asked ??= trySelf();
  return asked;
}

/** `remember`: how chains are read. */
export async function trySelf(remember = rememberChains): Promise<boolean> {
  const authority = makeDevelopmentAuthority(new Date(systemClock.milliseconds()), systemRandom);
  const [own, client] = [authority.issueServer(['localhost']), authority.issueClient('self')];
  const options = { cert: own.certificate, key: own.key, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options);
  const chainOf = remember(server);
  const [near, far] = duplexPair();
  const secured = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  server.emit('connection', far);
  const chain = `${client.certificate}${authority.certificate}`;
  const caller = connect({
    socket: near,
    cert: chain,
    key: client.key,
    ca: authority.certificate,
    servername: 'localhost',
  });
  try {
    const [[socket]] = await Promise.all([secured, once(caller, 'secureConnect')]);
    return chainOf(socket).length > 1;
  } finally {
    caller.destroy();
    far.destroy();
  }
}
