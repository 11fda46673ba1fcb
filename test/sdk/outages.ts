// What stands at the public address of a service that is away, until the service is there.
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { issueServer, type TestService } from '../e2e/service.ts';

type InFront = Pick<TestService, 'port' | 'authority'>;

const secure = ({ authority }: InFront, answer: Parameters<typeof createTlsServer>[1]): Server => {
  const { key, pem } = issueServer(authority);
  return createTlsServer({ key, cert: pem }, answer);
};

/** How a service can be away. */
export const OUTAGES: Readonly<Record<string, (service: InFront) => Server | undefined>> = {
  'refuses connections': () => undefined,
  'accepts connections and never answers': () => createServer(),
  'accepts TLS and never answers': (service) => secure(service, () => undefined),
  'answers 503': (service) => secure(service, (_, response) => void response.writeHead(503).end()),
};

export interface Gate {
  /** The service is there from now on. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function startGate(publicPort: number, away: Server | undefined, { port }: InFront): Promise<Gate> {
  const service = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const [from, to] of [[socket, onward] as const, [onward, socket] as const])
      from.on('error', () => to.destroy()).pipe(to);
  });
  const shut = away && (await standing(publicPort, away));
  let shutService: (() => Promise<void>) | undefined;
  return {
    open: async () => {
      await shut?.();
      shutService = await standing(publicPort, service);
    },
    close: async () => (shutService ?? shut)?.(),
  };
}

/** Listens, and returns what ends the server with its connections. */
async function standing(port: number, server: Server): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
}
