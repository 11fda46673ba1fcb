// Needs: openssl
import { spawn } from 'node:child_process';
import type { TestService } from './service.ts';

/** What `openssl s_client` prints until the server has answered a request and closed: session tickets come before that. */
export function sClient(service: Pick<TestService, 'port'>, ...args: string[]): Promise<string> {
  const client = spawn('openssl', [
    's_client',
    '-connect',
    `127.0.0.1:${service.port}`,
    '-servername',
    'localhost',
    ...args,
  ]);
  const chunks: Buffer[] = [];
  client.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  client.stderr.resume();
  client.stdin.on('error', () => undefined); // it may have exited already
  client.stdin.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  return new Promise((resolve, reject) => {
    client.once('error', reject);
    client.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}
