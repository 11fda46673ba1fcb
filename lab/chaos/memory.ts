// Strangers open thousands of connections, send as much as the limits allow, or read nothing of what they get, and go away: what they take
// is bounded, and comes back.
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { tlsOptionsOf } from '../../test/e2e/caller.ts';
import {
  END_HEADERS,
  fieldBlock,
  headersFrame,
  INITIAL_WINDOW_SIZE,
  requestFields,
  resetFrame,
  windowFrame,
} from '../../test/e2e/http2-frames.ts';
import { RawHttp2 } from '../../test/e2e/raw-http2.ts';
import { TOKEN, VERIFY } from '../../test/e2e/steps.ts';
import { acknowledged, aftermath, askOnce, metricOf, residentMiB, type Siege, startSiege } from './siege.ts';

const AT_A_TIME = 50;
const ROUNDS = 2;
const WARM_UP = 300;
const AFTER_MS = 30_000;
const STREAMS = 16;
const LARGE_WINDOW = 2 ** 31 - 1;
/** The largest page, made and encrypted, for each place; connections. */
const UNREAD_MIB = 900;
/** In networks of their own, so that no share is reached. */
const addressOf = (n: number) => `127.0.${20 + (n % 20)}.1`;

const LARGE_HEADER = `X-Large: ${'y'.repeat(12_000)}\r\n`;
const HALF_REQUEST = `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\n${LARGE_HEADER}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n${' '.repeat(50_000)}`;
const PIPELINE = `GET ${VERIFY} HTTP/1.1\r\nHost: x\r\n${LARGE_HEADER}\r\n`.repeat(16);
const LARGE_FIELDS = fieldBlock([['x-large', 'y'.repeat(12_000)]]);

/** Returns how many promises were broken. `cycles`: connections. */
export async function floodMemory(cycles: number): Promise<number> {
  const siege = await startSiege({ settings: { limits: { queueMilliseconds: 10_000 } } });
  const pairs = await acknowledged(siege.reach);
  for (let n = 0; n < WARM_UP; n++) await askOnce(siege.reach, VERIFY);
  const before = await figures(siege, 'before');
  for (let round = 1; round <= ROUNDS; round++) {
    const close = await flood(siege, cycles, connection);
    await pause(1000);
    await figures(siege, `flood ${round}`);
    close();
    await pause(2000);
    await figures(siege, `2 s after flood ${round}`);
  }
  const broken = await floodUnread(siege, cycles, before);
  await pause(AFTER_MS - 2000);
  await figures(siege, '30 s after');
  return broken + (await aftermath(siege, pairs, before)).length;
}

async function floodUnread(siege: Siege, count: number, before: number): Promise<number> {
  const close = await flood(siege, count, unreadConnection);
  const resident = await figures(siege, 'answers unread, half of them cancelled');
  close();
  await pause(2000);
  if (resident <= before + UNREAD_MIB) return 0;
  console.error(`broken: unread answers take more than ${UNREAD_MIB} MiB`);
  return 1;
}

/** Returns a function that closes the connections. */
async function flood(siege: Siege, count: number, connect: typeof connection): Promise<() => void> {
  const closers: (() => void)[] = [];
  for (let n = 0; n < count; n += AT_A_TIME) {
    const opened = await Promise.allSettled(Array.from({ length: AT_A_TIME }, (_, m) => connect(siege, n + m)));
    for (const each of opened) if (each.status === 'fulfilled') closers.push(each.value);
  }
  console.log(`${closers.length} of ${count} connections opened`);
  return () => {
    for (const close of closers) close();
  };
}

async function connection(siege: Siege, n: number): Promise<() => void> {
  const localAddress = addressOf(n);
  if (n % 3 === 0) {
    const session = await RawHttp2.open(siege.reach, { localAddress });
    const fields = Buffer.concat([requestFields('POST', TOKEN, [['content-type', 'application/json']]), LARGE_FIELDS]);
    for (let stream = 0; stream < STREAMS; stream++)
      session.send(headersFrame(session.nextStream(), fields, END_HEADERS));
    return () => session.close();
  }
  const socket = await tls(siege, localAddress);
  socket.write(n % 3 === 1 ? HALF_REQUEST : PIPELINE);
  return () => socket.destroy();
}

/** Reads nothing. Every second one cancels its requests once their answers were written. */
async function unreadConnection(siege: Siege, n: number): Promise<() => void> {
  const settings = [[INITIAL_WINDOW_SIZE, LARGE_WINDOW]] as const;
  const session = await RawHttp2.open(siege.reach, { localAddress: addressOf(n), settings, reads: false });
  session.send(windowFrame(0, LARGE_WINDOW - 65_535));
  const streams = Array.from({ length: STREAMS }, () => session.nextStream());
  for (const stream of streams) session.send(headersFrame(stream, requestFields('GET', '/docs/api')));
  await pause(1000);
  if (n % 2 === 0) for (const stream of streams) session.send(resetFrame(stream));
  return () => session.close();
}

function tls({ reach }: Siege, localAddress: string): Promise<TLSSocket> {
  const { cert: _cert, key: _key, ...strange } = tlsOptionsOf(reach) as Record<string, unknown>;
  return new Promise((resolve, reject) => {
    const socket = connectTls({ ...strange, localAddress, ALPNProtocols: ['http/1.1'] } as object, () =>
      resolve(socket),
    );
    socket.on('error', reject).resume();
    socket.once('close', () => reject(new Error('closed')));
  });
}

async function figures(siege: Siege, when: string): Promise<number> {
  const resident = residentMiB(siege);
  const names = ['nodejs_heap_size_total_bytes', 'nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes'];
  const sizes = await Promise.all(names.map((name) => metricOf(siege.reach, name)));
  const [total, used, external] = sizes.map((bytes) => ((bytes ?? 0) / 2 ** 20).toFixed(0));
  console.log(`${when}: ${resident.toFixed(0)} MiB resident; heap ${used} of ${total} MiB, buffers ${external} MiB`);
  return resident;
}
