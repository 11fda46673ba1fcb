// Strangers that only open connections: full TLS handshakes, with certificates or without, or a ClientHello and then nothing. Runs as its own process (KIND PORT)
// with the lowest priority: strangers have machines of their own, so they must not slow down the honest callers on this core.
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { writePem } from '../../../src/pki/der/pem.ts';
import { makeAuthority } from '../../../test/authority.ts';
import { ecKeys } from '../../../test/signed-der.ts';
import { slowChain } from '../sieges/slow-keys.ts';
import { type FloodKind, LONG_HELLOS, SLOW_KEYS } from './flood.ts';

const HALF_OPEN_MS = 2000;
/** Limits of new connections a second and of open ones, ignored ones included. */
const PER_TICK = 12;
const TICK_MS = 10;
/** Each makes a service without defence load ten keys. */
const SLOW_CHAINS_TICK_MS = 240;
const SLOW_KEYS_EACH = 10;
const LONG_CHAIN_BYTES = 9 * 1024;
const MOST_OPEN = 3000;

const open = new Set<Socket>();

function openMore(kind: FloodKind, port: number, clientHello: Buffer): void {
  for (let n = 0; n < PER_TICK && open.size < MOST_OPEN; n++) {
    opened += 1;
    const from = addressOf(kind, opened);
    const socket = kind.startsWith('new') ? whole(port, from) : half(port, from, clientHello);
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  }
}

/** From one address, or from 50 addresses of five networks. */
function addressOf(kind: FloodKind, at: number): string {
  return kind.includes('of one address') ? '127.0.20.1' : `127.0.${10 + (at % 5)}.${1 + (at % 10)}`;
}

function whole(port: number, localAddress: string): Socket {
  const options = { port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false, localAddress };
  const socket = connectTls({ ...options, ...hello, secureContext }, () => socket.destroy());
  socket.setTimeout(HALF_OPEN_MS, () => socket.destroy());
  return socket;
}

function half(port: number, localAddress: string, clientHello: Buffer): Socket {
  const socket = connectTcp({ port, host: '127.0.0.1', localAddress }, () => socket.write(clientHello));
  socket.resume();
  setTimeout(() => socket.destroy(), HALF_OPEN_MS);
  return socket;
}

/** Many times the certificates that callers present, each signed with a key that makes checking it expensive. */
function longChain(): { readonly cert: string; readonly key: string } {
  const keys = ecKeys('P-521');
  let authority = makeAuthority({ keys });
  for (let octets = 0; octets < LONG_CHAIN_BYTES; octets += authority.certificate.length)
    authority = authority.makeIntermediate({ keys, name: `Stranger ${octets}` });
  const { chain, key } = authority.issue();
  return { cert: chain.map(writePem).join(''), key };
}

/** A ClientHello, recorded from a real client. */
function overhearClientHello(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.once('data', (chunk: Buffer) => {
        resolve(chunk);
        socket.destroy();
        server.close();
      });
    });
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no port'));
      connectTls({ port: address.port, host: '127.0.0.1', servername: 'localhost' }).on('error', () => undefined);
    });
  });
}

let opened = 0;
setPriority(constants.priority.PRIORITY_LOW);
const [kind, port] = process.argv.slice(2) as [FloodKind, string];
const isSlow = kind === SLOW_KEYS;
const secureContext = createSecureContext(
  isSlow ? slowChain(SLOW_KEYS_EACH) : kind.includes('chains') ? longChain() : {},
);
const hello =
  kind === LONG_HELLOS ? { ALPNProtocols: Array.from({ length: 600 }, (_, n) => `${n}`.padEnd(99, 'x')) } : {};
const clientHello = await overhearClientHello();
process.on('message', (what) => {
  if (what === 'begin')
    setInterval(() => openMore(kind, Number(port), clientHello), isSlow ? SLOW_CHAINS_TICK_MS : TICK_MS);
  process.send?.(opened);
});
