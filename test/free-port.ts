// Ports for servers of tests.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral range: a restarted server must find its port free. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
