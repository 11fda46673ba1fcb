// Strangers hold places over HTTP/2: windows of 0 kept alive by PINGs, missing bodies, HEAD with a body, and
// floods of resets. Everybody else must be served, and streams without progress must end.
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { tlsOptionsOf } from '../../test/e2e/caller.ts';
import { TOKEN, VERIFY } from '../../test/e2e/steps.ts';
import { acknowledged, aftermath, askOnce, metricOf, residentMiB, type Siege, startSiege } from './siege.ts';

const SESSIONS = 25;
const STREAMS = 100;
const REQUEST_TIMEOUT_MS = 3000;
/** Places are checked once a second. */
const ENDED_AFTER_MS = REQUEST_TIMEOUT_MS + 3000;
/** One network may hold a quarter of all places. */
const SHARE = 500;
const PATIENCE_MS = 10_000;

interface Attack {
  readonly settings: { readonly initialWindowSize?: number };
  readonly strike: (session: ClientHttp2Session) => void;
}

const POST = { ':method': 'POST', ':path': TOKEN, 'content-type': 'application/json' };

const ATTACKS: Readonly<Record<string, Attack>> = {
  'windows of 0, with PINGs': {
    settings: { initialWindowSize: 0 },
    strike: (session) => ask(session, { ':path': VERIFY }, true),
  },
  'bodies that never come': { settings: {}, strike: (session) => ask(session, POST, false) },
  'HEAD with a body': {
    settings: {},
    strike: (session) => ask(session, { ':method': 'HEAD', ':path': VERIFY }, false),
  },
  resets: { settings: {}, strike: (session) => ask(session, POST, false)?.close() },
};

/** Streams that ended while their session stayed open. */
const counted = { ended: 0 };

/** Returns how many promises were broken. */
export async function attackOverHttp2(): Promise<number> {
  const siege = await startSiege({
    settings: { limits: { requestTimeout: '3s', headersTimeout: '3s', idleTimeout: '5s' } },
  });
  const pairs = await acknowledged(siege.reach);
  const broken: string[] = [];
  let memory = 0;
  for (const [name, attack] of Object.entries(ATTACKS)) {
    broken.push(...(await attackBy(siege, name, attack)));
    memory ||= residentMiB(siege); // after warm-up
  }
  for (const each of broken) console.error(`broken: ${each}`);
  return broken.length + (await aftermath(siege, pairs, memory)).length;
}

async function attackBy(siege: Siege, name: string, { settings, strike }: Attack): Promise<string[]> {
  const sessions = Array.from({ length: SESSIONS }, (_, n) => open(siege, settings, `127.0.9.${1 + (n % 2)}`));
  await pause(500);
  for (const session of sessions) for (let n = 0; n < STREAMS; n++) strike(session);
  await pause(700);
  const held = (await metricOf(siege.reach, 'tessera_requests_in_flight')) ?? Number.NaN;
  const began = performance.now();
  const [health, work] = await Promise.all(['/healthz', VERIFY].map((path) => askOnce(siege.reach, path, PATIENCE_MS)));
  const waitedMs = Math.round(performance.now() - began);
  await pause(ENDED_AFTER_MS);
  const { ended } = counted;
  counted.ended = 0;
  console.log(
    `${name}: ${held} places taken, ${ended} streams ended by the service; others within ${waitedMs} ms: /healthz ${health?.status}, Verify without a token ${work?.status}`,
  );
  for (const session of sessions) session.destroy();
  const isServed = health?.status === 200 && work?.status === 401;
  return [
    ...(isServed ? [] : [`${name}: others are not served`]),
    ...(held <= SHARE ? [] : [`${name}: one network holds ${held} places`]),
    ...(ended > 0 ? [] : [`${name}: no stream was ended`]),
  ];
}

function open({ reach }: Siege, settings: Attack['settings'], localAddress: string): ClientHttp2Session {
  const { cert: _cert, key: _key, ...strange } = tlsOptionsOf(reach) as Record<string, unknown>;
  const session = connect(`https://127.0.0.1:${reach.port}`, { ...strange, settings, localAddress } as object);
  session.on('error', () => undefined);
  const pings = setInterval(() => !session.destroyed && !session.closed && session.ping(() => undefined), 200);
  session.once('close', () => clearInterval(pings));
  return session;
}

function ask(session: ClientHttp2Session, headers: Record<string, string>, endStream: boolean) {
  if (session.destroyed || session.closed) return undefined;
  const stream = session.request(headers, { endStream });
  stream.once('close', () => {
    if (!session.destroyed) counted.ended += 1;
  });
  stream.on('error', () => undefined);
  stream.resume();
  return stream;
}
