// Strangers who only open connections: whole TLS handshakes, or a first message and then nothing.
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export const FLOODS = ['new TLS connections', 'handshakes that stop half-way'] as const;
export type FloodKind = (typeof FLOODS)[number];

const HALF_OPEN_MS = 2000;
/** Connections opened a second at most, and at once. */
const PER_TICK = 12;
const TICK_MS = 10;
const MOST_OPEN = 600;

export interface Flood {
  readonly opened: () => number;
  stop(): void;
}

/** From 50 addresses of five networks. */
export function startFlood(kind: FloodKind, port: number, clientHello: Buffer): Flood {
  const open = new Set<Socket>();
  let opened = 0;
  const timer = setInterval(() => {
    for (let n = 0; n < PER_TICK && open.size < MOST_OPEN; n++) {
      opened += 1;
      const from = `127.0.${10 + (opened % 5)}.${1 + (opened % 10)}`;
      const socket = kind === 'new TLS connections' ? whole(port, from) : half(port, from, clientHello);
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
    }
  }, TICK_MS);
  return {
    opened: () => opened,
    stop: () => {
      clearInterval(timer);
      for (const socket of open) socket.destroy();
    },
  };
}

function whole(port: number, localAddress: string): Socket {
  const options = { port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false, localAddress };
  const socket = connectTls(options, () => socket.destroy());
  socket.setTimeout(HALF_OPEN_MS, () => socket.destroy());
  return socket;
}

function half(port: number, localAddress: string, clientHello: Buffer): Socket {
  const socket = connectTcp({ port, host: '127.0.0.1', localAddress }, () => socket.write(clientHello));
  socket.resume();
  setTimeout(() => socket.destroy(), HALF_OPEN_MS);
  return socket;
}

/** What a TLS client says first, overheard from one. */
export function overhearClientHello(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const server = new (process.getBuiltinModule('node:net').Server)((socket) => {
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
