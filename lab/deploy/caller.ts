// Gets a token by certificate, then refreshes it over a new connection each time until standard input ends, and counts
// what failed.
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallerFiles } from './calls.ts';

const [HOST, NAME, CALLERS] = ['127.0.0.1', 'tokens.example.com', 4];
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { certificate, key, ca, port = 8443 } = JSON.parse((await lines.next()).value ?? '') as CallerFiles;
let isStopping = false;
void lines.next().then(() => {
  isStopping = true;
});

async function readAnswer(response: IncomingMessage): Promise<Record<string, unknown>> {
  const text = Buffer.concat(await response.toArray()).toString();
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

function ask(path: string, body: object): Promise<Record<string, unknown>> {
  const agent = new Agent({ keepAlive: false, cert: certificate, key, ca, servername: NAME });
  const headers = { host: NAME, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request({ host: HOST, port, path, method: 'POST', agent, headers }, (response) => {
      readAnswer(response).then(resolve, reject);
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
  });
}

async function refreshUntilStopped(): Promise<{ refreshes: number; failures: string[] }> {
  let pair = await ask('/authsvc/Authorize/Certificate', { client_id: 'orders-sync', scope: 'orders:read' });
  console.log(`token for ${pair['identity']}, scope ${pair['scope']}`);
  const failures: string[] = [];
  let refreshes = 0;
  while (!isStopping) {
    try {
      pair = await ask('/authsvc/Authorize/Token', { client_id: 'orders-sync', refresh_token: pair['refresh_token'] });
      refreshes++;
    } catch (error) {
      failures.push((error as Error).message);
      await pause(20);
    }
  }
  return { refreshes, failures };
}

const done = await Promise.all(Array.from({ length: CALLERS }, refreshUntilStopped));
const failures = done.flatMap((one) => one.failures);
const refreshes = done.reduce((sum, one) => sum + one.refreshes, 0);
console.log(`${refreshes} refreshes over new connections, ${failures.length} failed ${failures.slice(0, 3)}`);
process.exitCode = failures.length > 0 ? 1 : 0;
