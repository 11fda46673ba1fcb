// Strangers attack over HTTP/2 with frames made by hand, ignoring SETTINGS: they hold streams, and flood the service with
// frames that are no requests. Everybody else must be served, places and memory are bounded, and attackers lose their
// streams or connections.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { callerOver } from '../../test/e2e/caller.ts';
import { type Pair, verify } from '../../test/e2e/steps.ts';
import type { Order, Orders, Outcome } from './http2/attacker.ts';
import { ATTACKS, type Attack } from './http2/attacks.ts';
import { acknowledged, aftermath, cpuMs, metricOf, openSockets, residentMiB, type Siege, startSiege } from './siege.ts';

const ATTACKER = new URL('http2/attacker.ts', import.meta.url);
const CONNECTIONS = 25;
/** Two addresses of one network, which may hold a quarter of all places. */
const ADDRESSES = ['127.0.9.1', '127.0.9.2'];
const SHARE = 500;
const LIMITS = { requestTimeout: '1s', headersTimeout: '1s', idleTimeout: '1s' };
/** Longer than the time limits above; places are checked once a second. */
const HOLD_MS = 3500;
const FLOOD_MS = 1500;
const LOOK_AFTER_MS = 400;
const PROBE_EVERY_MS = 20;
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
  const broken: string[] = [];
  let memory = 0;
  for (const name of Object.keys(ATTACKS)) {
    broken.push(...(await attackBy({ siege, worker, pairs }, name)));
    memory ||= residentMiB(siege); // after warm-up
  }
  await worker.terminate();
  for (const each of broken) console.error(`broken: ${each}`);
  return broken.length + (await aftermath(siege, pairs, memory)).length;
}

interface Field {
  readonly siege: Siege;
  readonly worker: Worker;
  readonly pairs: readonly Pair[];
}

async function attackBy({ siege, worker, pairs }: Field, name: string): Promise<string[]> {
  const { expected, flood } = ATTACKS[name] as Attack;
  const lastsMs = flood ? FLOOD_MS : HOLD_MS;
  const before = residentMiB(siege);
  const [cpuBefore, socketsBefore] = [cpuMs(siege), openSockets(siege)];
  const order = async (attack: Order['attack']) => {
    worker.postMessage({ attack });
    return (await once(worker, 'message'))[0] as unknown;
  };
  await order(name);
  const [probes, held] = await Promise.all([probe(siege, pairs[0] as Pair, lastsMs), heldAfter(siege, LOOK_AFTER_MS)]);
  const heldAtEnd = await heldAfter(siege, 0);
  const sockets = openSockets(siege) - socketsBefore;
  const outcome = (await order(undefined)) as Outcome;
  const grown = probes.peakMiB - before;
  const busy = (cpuMs(siege) - cpuBefore) / lastsMs;
  console.log(
    `${name}: ${outcome.closed} of ${outcome.opened} connections closed (GOAWAY ${outcome.goAways || 'none'}), ` +
      `${outcome.resets} resets, ${sockets} sockets left; places ${held}, then ${heldAtEnd}; others ${probes.served} of ${probes.asked} served, ` +
      `p50 ${probes.p50} ms, longest ${probes.longest} ms; ${(busy * 100).toFixed(0)} % CPU, +${grown.toFixed(0)} MiB`,
  );
  const isEnded = {
    'every stream ended': heldAtEnd === 0,
    // The attackers keep their side open: the service must not wait for them.
    'every connection closed': outcome.closed === outcome.opened && sockets <= SOCKETS_LEFT,
    nothing: true,
  }[expected];
  return [
    ...(probes.served >= probes.asked * LEAST_SERVED ? [] : [`${name}: others are not served`]),
    ...(Math.max(held, heldAtEnd) <= SHARE ? [] : [`${name}: one network holds ${held} places`]),
    ...(isEnded ? [] : [`${name}: not ${expected}`]),
    ...(grown <= CONNECTIONS * MOST_MIB ? [] : [`${name}: ${grown.toFixed(0)} MiB for ${CONNECTIONS} connections`]),
  ];
}

async function heldAfter({ reach }: Siege, milliseconds: number): Promise<number> {
  await pause(milliseconds);
  return (await metricOf(reach, 'tessera_requests_in_flight')) ?? Number.NaN;
}

/** A caller with a valid token, from another address, during the attack. */
async function probe(siege: Siege, pair: Pair, lastsMs: number) {
  const caller = callerOver('HTTP/1.1', siege.reach);
  const took: number[] = [];
  let [asked, served, peakMiB] = [0, 0, 0];
  for (const began = performance.now(); performance.now() - began < lastsMs; await pause(PROBE_EVERY_MS)) {
    const at = performance.now();
    asked += 1;
    const answer = await verify(caller, pair.access_token).catch(() => undefined);
    if (answer?.status === 200) served += 1;
    took.push(performance.now() - at);
    peakMiB = Math.max(peakMiB, residentMiB(siege));
  }
  caller.close();
  took.sort((a, b) => a - b);
  const at = (share: number) =>
    (took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? Number.NaN).toFixed(1);
  return { asked, served, peakMiB, p50: at(0.5), longest: at(1) };
}
