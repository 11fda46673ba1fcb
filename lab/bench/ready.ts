import { connect, createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/** Milliseconds until `path` returns 200. */
export async function readyAfter(port: number, path: string, began: number): Promise<number> {
  while (performance.now() - began < PATIENCE_MS) {
    if (await answers(port, path)) return performance.now() - began;
    await sleep(5);
  }
  throw new Error(`nothing answers on port ${port}`);
}

function answers(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    );
    socket.once('data', (answer) => resolve(answer.includes('HTTP/1.1 200'))).once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
