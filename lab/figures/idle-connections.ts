// Holds connections open: reads how many from standard input, opens the missing ones, sends one request on each, and prints
// `open NUMBER`. Fails if a connection is refused or closed.
//   idle-connections.ts JSON
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { createInterface } from 'node:readline';
import { connect, type TLSSocket } from 'node:tls';
import type { ClientTls } from '../bench/generator/generator.ts';

export type IdleProtocol = 'http/1.1' | 'h2';

export interface IdleCaller {
  readonly port: number;
  readonly protocol: IdleProtocol;
  readonly withCertificate: boolean;
  readonly tls: ClientTls;
}

const { port, protocol, withCertificate, tls }: IdleCaller = JSON.parse(process.argv[2] ?? '');
const [AT_A_TIME, TRIES] = [10, 20];
const options = {
  host: '127.0.0.1',
  port,
  servername: 'localhost',
  ca: tls.authority,
  ...(withCertificate && { cert: tls.certificate, key: tls.key }),
};

const open = { 'http/1.1': openHttp1, h2: openHttp2 }[protocol];
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  for (const wanted = Number(line); count < wanted; ) {
    const batch = Math.min(AT_A_TIME, wanted - count);
    await Promise.all(Array.from({ length: batch }, opened));
    count += batch;
  }
  console.log(`open ${count}`);
}

/** A busy machine refuses some handshakes. */
async function opened(): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    try {
      return await open();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}

function failWhenClosed(): never {
  throw new Error('a connection was closed');
}

async function openHttp1(): Promise<TLSSocket> {
  const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  return socket.once('close', failWhenClosed).resume();
}

async function openHttp2(): Promise<void> {
  const session = connectHttp2(`https://localhost:${port}`, options);
  await once(session, 'connect');
  const stream = session.request({ ':path': '/healthz' });
  await once(stream.resume(), 'end');
  session.once('close', failWhenClosed);
}
