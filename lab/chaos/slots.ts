// Callers without credentials take slots and try to keep them: pipelined requests with a final CONNECT,
// upgrades, and connections cut during a pipeline. Everybody else must be served, during and after.
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { rawConnection } from '../../test/e2e/caller.ts';
import { TOKEN, VERIFY } from '../../test/e2e/steps.ts';
import { acknowledged, aftermath, askOnce, residentMiB, type Siege, startSiege } from './siege.ts';

const CONNECTIONS = 30;
const PIPELINED = 100;
/** Long enough that responses are still pending when the last line arrives. */
const LOOK_AFTER_MS = 500;

const GET = `GET ${VERIFY} HTTP/1.1\r\nHost: x\r\n\r\n`;
export const HALF_POST = `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;

export const PIPELINES: Readonly<Record<string, string>> = {
  'pipelined requests, then CONNECT': `${GET.repeat(PIPELINED)}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
  'pipelined requests, then an Upgrade': `${GET.repeat(PIPELINED)}GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n`,
  'pipelined requests behind half a body': `${HALF_POST}${' '.repeat(98)}}${GET.repeat(PIPELINED)}`,
  'pipelined requests, then bad HTTP': `${GET.repeat(PIPELINED)}NONSENSE\r\n\r\n`,
};

/** Returns how many promises were broken. */
export async function attackSlots(): Promise<number> {
  const siege = await startSiege();
  const pairs = await acknowledged(siege.reach);
  for (let n = 0; n < 50; n++) await askOnce(siege.reach, VERIFY); // warm
  const memory = residentMiB(siege);
  const broken: string[] = [];
  for (const [what, bytes] of Object.entries(PIPELINES))
    for (const keepsOpen of [true, false]) broken.push(...(await attack(siege, what, bytes, keepsOpen)));
  for (const each of broken) console.error(`broken: ${each}`);
  return broken.length + (await aftermath(siege, pairs, memory)).length;
}

async function attack(siege: Siege, what: string, bytes: string, keepsOpen: boolean): Promise<string[]> {
  const struck = await Promise.allSettled(Array.from({ length: CONNECTIONS }, () => strike(siege, bytes)));
  const sockets = struck.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])); // the rest was refused
  if (!keepsOpen) for (const socket of sockets) socket.destroy();
  await pause(LOOK_AFTER_MS);
  const [health, work] = await Promise.all([askOnce(siege.reach, '/healthz'), askOnce(siege.reach, VERIFY)]);
  const name = `${what}, ${keepsOpen ? 'kept open' : 'cut off'}`;
  console.log(`${name}: /healthz ${health?.status ?? 'none'}, Verify without a token ${work?.status ?? 'none'}`);
  for (const socket of sockets) socket.destroy();
  return health?.status === 200 && work?.status === 401 ? [] : [`${name}: others are not served`];
}

async function strike({ reach }: Siege, bytes: string): Promise<TLSSocket> {
  const socket = await rawConnection(reach);
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(bytes);
  return socket;
}
