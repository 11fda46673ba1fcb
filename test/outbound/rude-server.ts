// A misbehaving server.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

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

/** Sends the same part without end. */
function flood(socket: Socket | null, start: string, part: string): void {
  if (!socket) return;
  const parts = Buffer.from(part.repeat(10_000));
  const more = () => {
    if (!socket.destroyed) socket.write(parts, more);
  };
  socket.on('error', () => undefined);
  socket.write(start, more);
}

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
  pieces: ({ socket }) => flood(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n0\r\n'),
  interim: ({ socket }) => flood(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  silent: () => undefined,
  headers: (response) => {
    const timer = setInterval(() => response.writeEarlyHints({ link: '</a>; rel=preload' }), 20);
    response.once('close', () => clearInterval(timer));
  },
  bomb: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
  gzip: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
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
