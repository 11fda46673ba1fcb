// Strangers attack over HTTP/2 with frames made by hand, ignoring SETTINGS: they hold streams, and flood the service with
// frames that are no requests. Everybody else must be served, places and memory are bounded, and attackers lose their
// streams or connections.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Generator, type Tally } from './crowds/generator.ts';
import type { Order, Orders, Outcome } from './http2/attacker.ts';
import { ATTACKS, type Attack } from './http2/attacks.ts';
import { acknowledged, aftermath, cpuMs, metricOf, openSockets, residentMiB, type Siege, startSiege } from './siege.ts';

const ATTACKER = new URL('http2/attacker.ts', import.meta.url);
const CONNECTIONS = 25;
/** Two addresses of one network, which may hold a quarter of all places. */
const ADDRESSES = ['127.0.9.1', '127.0.9.2'];
const SHARE = 500;
const LIMITS = { requestTimeout: '1s', idleTimeout: '1s' };
/** Longer than the time limits above; places are checked once a second. */
const HOLD_MS = 3500;
const FLOOD_MS = 1500;
const LOOK_AFTER_MS = 400;
/** A caller with a valid token, from another address. */
const CALLER = { connections: 1, from: ['127.0.0.1'], isConnected: true, demands: [{ perSecond: 50 }] } as const;
/** Of the callers of this drill. */
const SOCKETS_LEFT = 3;
/** For one connection: its memory limit, and what TLS and the kernel's callers need. */
const MOST_MIB = 4;
/** Of the callers' requests; the rest may be refused as overload. */
const LEAST_SERVED = 0.95;

/** Returns how many promises were broken. */
export async function attackOverHttp2(): Promise<number> {
  const siege = await startSiege({ limits: { ...LIMITS, queueMilliseconds: 1000 } });
  const pairs = await acknowledged(siege.reach);
  const { certificate: _, ...reach } = siege.reach;
  const worker = new Worker(ATTACKER, {
    workerData: { reach, connections: CONNECTIONS, addresses: ADDRESSES } as Orders,
  });
  const callers = new Generator();
  const field = { siege, worker, callers, token: pairs[0]?.access_token ?? '' };
  const broken: string[] = [];
  let memory = 0;
  for (const name of Object.keys(ATTACKS)) {
    broken.push(...(await attackBy(field, name)));
    memory ||= residentMiB(siege); // after warm-up
  }
  await worker.terminate();
  callers.close();
  for (const each of broken) console.error(`broken: ${each}`);
  return broken.length + (await aftermath(siege, pairs, memory)).length;
}

interface Field {
  readonly siege: Siege;
  readonly worker: Worker;
  readonly callers: Generator;
  readonly token: string;
}

async function attackBy({ siege, worker, callers, token }: Field, name: string): Promise<string[]> {
  const { expected, flood } = ATTACKS[name] as Attack;
  const lastsMs = flood ? FLOOD_MS : HOLD_MS;
  const before = residentMiB(siege);
  const [cpuBefore, socketsBefore] = [cpuMs(siege), openSockets(siege)];
  const order = async (attack: Order['attack']) => {
    worker.postMessage({ attack });
    return (await once(worker, 'message'))[0] as unknown;
  };
  await order(name);
  const target = { port: siege.service.port, ca: siege.home.authority.pem, pid: siege.child.pid ?? 0 };
  const load = { ...CALLER, tokens: [token], lastsMs };
  const [[tally], held] = await Promise.all([callers.run(target, { load }), heldAfter(siege, LOOK_AFTER_MS)]);
  const { sent, answers, p50, slowest, memoryMiB } = tally as Tally;
  const served = answers[200] ?? 0;
  const heldAtEnd = await heldAfter(siege, 0);
  const sockets = openSockets(siege) - socketsBefore;
  const outcome = (await order(undefined)) as Outcome;
  const grown = memoryMiB - before;
  const busy = (cpuMs(siege) - cpuBefore) / lastsMs;
  console.log(
    `${name}: ${outcome.closed} of ${outcome.opened} connections closed (GOAWAY ${outcome.goAways || 'none'}), ` +
      `${outcome.resets} resets, ${sockets} sockets left; places ${held}, then ${heldAtEnd}; others ${served} of ${sent} served, ` +
      `p50 ${p50.toFixed(1)} ms, longest ${slowest.toFixed(1)} ms; ${(busy * 100).toFixed(0)} % CPU, +${grown.toFixed(0)} MiB`,
  );
  const isEnded = {
    'every stream ended': heldAtEnd === 0,
    // The attackers keep their side open: the service must not wait for them.
    'every connection closed': outcome.closed === outcome.opened && sockets <= SOCKETS_LEFT,
    nothing: true,
  }[expected];
  return [
    ...(served >= sent * LEAST_SERVED ? [] : [`${name}: others are not served`]),
    ...(Math.max(held, heldAtEnd) <= SHARE ? [] : [`${name}: one network holds ${held} places`]),
    ...(isEnded ? [] : [`${name}: not ${expected}`]),
    ...(grown <= CONNECTIONS * MOST_MIB ? [] : [`${name}: ${grown.toFixed(0)} MiB for ${CONNECTIONS} connections`]),
  ];
}

async function heldAfter({ reach }: Siege, milliseconds: number): Promise<number> {
  await pause(milliseconds);
  return (await metricOf(reach, 'tessera_requests_in_flight')) ?? Number.NaN;
}
