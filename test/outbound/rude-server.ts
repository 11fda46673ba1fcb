// A misbehaving server.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

export interface RudeServer {
  readonly url: string;
  readonly port: number;
  /** Requested paths, in order. */
  readonly asked: string[];
  /** Body bytes sent. */
  sent: number;
  close(): void;
}

/** Made before any request, since callers wait for headers for a limited time. */
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 1 });

type Behaviour = (response: ServerResponse, request: IncomingMessage, server: RudeServer) => void;

const MEGABYTE = Buffer.alloc(1024 * 1024);

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const CHUNKS = '1\r\n0\r\n'.repeat(3000);
const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n';
/** Whole replies, each in one write, so that all of it can come in one read. */
export const BROKEN: Readonly<Record<string, string>> = {
  pieces: CHUNKED + CHUNKS,
  'pieces-and-garbage': `${CHUNKED + CHUNKS}garbage\r\n`,
  'pieces-of-an-error': CHUNKED.replace('200 OK', '404 Not Found') + CHUNKS,
  'compressed-pieces': CHUNKED.replace('\r\n', '\r\ncontent-encoding: gzip\r\n') + CHUNKS,
  interim: INTERIM.repeat(200),
  'interim-and-garbage': `${INTERIM.repeat(101)}garbage\r\n\r\n`,
  'interim-and-reply': `${INTERIM.repeat(101)}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello`,
  'interim-and-nothing': `${INTERIM.repeat(101)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`,
  upgrade: 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhello',
  zeros: `${CHUNKED}${'0'.repeat(200_000)}`,
};

/** Sends the same part without end. */
function flood(socket: Socket | null, start: string, part: string): void {
  if (!socket) return;
  const parts = Buffer.from(part);
  const more = () => {
    if (!socket.destroyed) socket.write(parts, more);
  };
  socket.on('error', () => undefined);
  socket.write(start, more);
}

const CODERS: Readonly<Record<string, (text: string) => Buffer>> = {
  'x-gzip': (text) => gzipSync(text),
  deflate: (text) => deflateSync(text),
  br: (text) => brotliCompressSync(text),
};

/** By the first segment of the path. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  endless: (response, _, server) => {
    const more = () => {
      while (!response.destroyed) {
        server.sent += MEGABYTE.length;
        if (!response.write(MEGABYTE)) return response.once('drain', more);
      }
      return undefined;
    };
    more();
  },
  dribble: (response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.once('close', () => clearInterval(timer));
  },
  pieces: ({ socket }) => flood(socket, CHUNKED, CHUNKS),
  interim: ({ socket }) => flood(socket, '', INTERIM.repeat(1000)),
  broken: ({ socket }, { url }) => socket?.on('error', () => undefined).write(BROKEN[url?.split('/')[2] ?? ''] ?? ''),
  silent: () => undefined,
  headers: (response) => {
    const timer = setInterval(() => response.writeEarlyHints({ link: '</a>; rel=preload' }), 20);
    response.once('close', () => clearInterval(timer));
  },
  bomb: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
  gzip: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
  coded: (response, { url }) => {
    const name = url?.split('/')[2] ?? '';
    response.writeHead(200, { 'content-encoding': name.toUpperCase() }).end(CODERS[name]?.('hello') ?? 'hello');
  },
  empty: (response) => response.writeHead(204).end(),
  status: (response, { url }) => response.writeHead(Number(url?.split('/')[2])).end(),
  zstd: (response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('?'),
  large: (response) => response.writeHead(200, { 'content-length': 10_000_000_000 }).write('x'),
  redirect: (response, { headers }) => response.writeHead(302, { location: `http://${headers.host}/hello` }).end(),
  missing: (response) => response.writeHead(404).end('no'),
  hello: (response) => response.end('hello'),
};

export async function rudeServer(more: Readonly<Record<string, Behaviour>> = {}): Promise<RudeServer> {
  const http: Server = createServer((request, response) => {
    server.asked.push(request.url ?? '');
    const [, name = ''] = new URL(request.url ?? '/', 'http://localhost').pathname.split('/');
    const behave = more[name] ?? BEHAVIOURS[name];
    if (behave) behave(response, request, server);
    else response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const server: RudeServer = {
    ...{ url: `http://127.0.0.1:${port}`, port, asked: [], sent: 0 },
    close: () => {
      http.closeAllConnections();
      http.close();
    },
  };
  return server;
}
