// Stops the service while good, bad and idle callers are connected: it ends in time with 0 and logs no fault.
import { rmSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { type Home, populatedHome } from '../../test/e2e/service.ts';
import type { Seeded } from '../../test/seeded.ts';
import { Service, serveOf } from './service.ts';

const STOP_TIMEOUT_S = 1;
/** Extra time beyond the callers' timeout: closing the store, and a busy machine. */
const GRACE_MS = 15_000;
const LONGEST_LIFE_MS = 700;

export interface Stop {
  readonly code: number | null;
  readonly milliseconds: number;
  /** The problems found. */
  readonly faults: readonly string[];
}

export interface StopField {
  readonly home: Home;
  remove(): void;
}

export async function stopField(): Promise<StopField> {
  const home = await populatedHome({ settings: { limits: { stopTimeout: STOP_TIMEOUT_S } } });
  return { home, remove: () => rmSync(home.folder, { recursive: true, force: true }) };
}

/** Returns the number of unclean stops. */
export async function stopMany(cycles: number, chance: Seeded): Promise<number> {
  const field = await stopField();
  const stops: Stop[] = [];
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const stop = await stopCycle(field, chance, VISITS[cycle - 1]);
    stops.push(stop);
    for (const fault of stop.faults) console.error(`cycle ${cycle}: ${fault}`);
  }
  field.remove();
  const unclean = stops.filter(({ faults }) => faults.length > 0).length;
  const longest = Math.max(...stops.map(({ milliseconds }) => milliseconds));
  console.log(`${cycles} stops: ${unclean} not clean; the longest took ${longest} ms`);
  return unclean;
}

/** One run of the service with callers of one kind or of all kinds, and its stop. */
export async function stopCycle({ home }: StopField, chance: Seeded, only?: Visit): Promise<Stop> {
  const service = await Service.start(serveOf(home));
  const sockets = visit(service.port, home, chance, only);
  await sleep(chance.below(LONGEST_LIFE_MS));
  // With all kinds of callers, in half of the cycles everybody has left by then.
  if (!only && chance.chance(0.5)) {
    for (const socket of sockets) socket.destroy();
    await sleep(100);
  }
  const asked = chance.chance(0.5) ? 'SIGTERM' : 'SIGINT';
  const { code, signal, tookMs } = await service.stop(asked, STOP_TIMEOUT_S * 1000 + GRACE_MS);
  for (const socket of sockets) socket.destroy();
  const faults = [
    ...(signal ? [`did not end within ${tookMs} ms`] : []),
    ...(code === 0 || signal ? [] : [`ended with ${code}`]),
    ...service.faults(),
  ];
  return { code, milliseconds: tookMs, faults };
}

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
const GET = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n';

type Visit = readonly [protocol: 'http/1.1' | 'h2' | 'tcp', bytes: string];

/** Sent by callers before the stop; all stay connected unless the service closes. */
const VISITS: readonly Visit[] = [
  ['http/1.1', GET],
  ['http/1.1', GET.repeat(50)],
  ['http/1.1', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['http/1.1', `${GET.repeat(20)}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['http/1.1', 'GET /readyz HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n'],
  ['http/1.1', 'POST /authsvc/Authorize/Token HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{'],
  ['http/1.1', '\0\0garbage\r\n\r\n'],
  ['http/1.1', 'GET /rea'],
  ['http/1.1', ''],
  ['h2', PREFACE],
  ['h2', `${PREFACE}\0\0\x10\x07garbage that is no frame`],
  ['h2', 'no preface at all, but long enough to be one'],
  ['h2', ''],
  ['tcp', ''],
  ['tcp', '\x16\x03\x01\x02\0\x01\0\x01'],
  ['tcp', 'GET / HTTP/1.1\r\n\r\n'],
];

/** Callers of one kind first: the service must not hang if it waits only for them. */
function visit(port: number, home: Home, chance: Seeded, only: Visit | undefined): Socket[] {
  return Array.from({ length: 40 }, () => {
    const [protocol, bytes] = only ?? chance.pick(VISITS);
    const options = { port, host: '127.0.0.1', servername: 'localhost', ca: home.authority.pem };
    const socket = protocol === 'tcp' ? connectTcp(options) : connectTls({ ...options, ALPNProtocols: [protocol] });
    socket.on('error', () => undefined).resume();
    socket.write(Buffer.from(bytes, 'latin1'));
    if (chance.chance(0.3)) setTimeout(() => socket.destroy(), chance.below(LONGEST_LIFE_MS));
    return socket;
  });
}
