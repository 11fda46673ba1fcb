// Strangers that only open connections: full TLS handshakes, or a ClientHello and then nothing.
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { writePem } from '../../../src/pki/der/pem.ts';
import { makeAuthority } from '../../../test/authority.ts';
import { ecKeys } from '../../../test/signed-der.ts';

interface Flood {
  /** Handshakes stop half-way. */
  readonly isHalf?: true;
  /** From one address, rather than from 50 addresses of five networks. */
  readonly isOfOne?: true;
  readonly hasLongChain?: true;
  /** 60 KB of protocols, among which OpenSSL searches. */
  readonly hasLongHello?: true;
}

export const FLOODS: Readonly<Record<string, Flood>> = {
  'new TLS connections': {},
  'new TLS connections with long chains': { hasLongChain: true },
  'new TLS connections with long hellos': { hasLongHello: true },
  'handshakes that stop half-way': { isHalf: true },
  'handshakes of one address that stop half-way': { isHalf: true, isOfOne: true },
};

const HALF_OPEN_MS = 2000;
/** Limits of new connections a second and of open ones, ignored ones included. */
const PER_TICK = 12;
const TICK_MS = 10;
const MOST_OPEN = 3000;
const LONG_CHAIN_BYTES = 9 * 1024;
const LONG_HELLO = Array.from({ length: 600 }, (_, n) => `${n}`.padEnd(99, 'x'));

/** Returns a function that begins, and calls `opened` for each connection. */
export async function prepareFlood(flood: Flood, port: number, opened: () => void): Promise<() => void> {
  const secureContext = createSecureContext(flood.hasLongChain ? longChain() : {});
  const hello = flood.hasLongHello ? { ALPNProtocols: LONG_HELLO } : {};
  const clientHello = await overhearClientHello();
  const open = new Set<Socket>();
  const place = { port, host: '127.0.0.1' };
  const whole = (localAddress: string) => {
    const options = { ...place, localAddress, servername: 'localhost', rejectUnauthorized: false, secureContext };
    const socket = connectTls({ ...options, ...hello }, () => socket.destroy());
    return socket.setTimeout(HALF_OPEN_MS, () => socket.destroy());
  };
  const half = (localAddress: string) => {
    const socket = connectTcp({ ...place, localAddress }, () => socket.write(clientHello)).resume();
    setTimeout(() => socket.destroy(), HALF_OPEN_MS);
    return socket;
  };
  let at = 0;
  const openMore = () => {
    for (let n = 0; n < PER_TICK && open.size < MOST_OPEN; n++) {
      opened();
      const from = flood.isOfOne ? '127.0.20.1' : `127.0.${10 + (++at % 5)}.${1 + (at % 10)}`;
      const socket = flood.isHalf ? half(from) : whole(from);
      open.add(socket);
      socket.on('error', () => undefined).once('close', () => open.delete(socket));
    }
  };
  return () => void setInterval(openMore, TICK_MS);
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
async function overhearClientHello(): Promise<Buffer> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connectTls({ port, host: '127.0.0.1', servername: 'localhost' }).on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  for (const end of [socket, client]) end.destroy();
  server.close();
  return hello;
}
