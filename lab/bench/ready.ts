import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000;
/** Another program that has the port may accept a connection and send nothing. */
const ANSWER_MS = 5_000;

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
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
  });
}

/** The first message of a child, which prints its faults itself. */
export async function firstMessage(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`a server ended with ${signal ?? `code ${code}`} before it was ready`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
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
