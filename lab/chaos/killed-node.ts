// kill -9 of one of two nodes on PostgreSQL, which starts again at once: how long each part of the start takes, and how much of it is work.
// What takes as many times longer under load as everything else waits for a processor, and not for locks or leases of the dead node.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../src/open-store.ts';
import { makeHome, populate } from '../../test/e2e/service.ts';
import { anotherNode, issue } from '../../test/node.ts';
import { CLIENT } from '../../test/samples.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { quantile } from '../quantiles.ts';

const ENTRY = fileURLToPath(new URL('timed-start.ts', import.meta.url));
/** At each node. */
const CALLERS = 16;
const BETWEEN_MS = 2_000;
const LOOK_MS = 5;

/** When each part of a start was done, and how much processor time the process had used by then. */
type Times = ReadonlyMap<string, { readonly at: number; readonly busyMs: number }>;

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly times: Times;
}

export async function killNode(cycles: number): Promise<number> {
  const server = await PostgresServer.start({ durable: true });
  const home = makeHome({ listeners: [{}], settings: { store: server.url() } });
  const store = await openStore(home.config, 'command');
  await populate(store, home.authority);
  const node = await anotherNode(store, { keyring: home.keyring });
  const nodes = [await start(home.configFile), await start(home.configFile)] as [Started, Started];
  const load = { isOver: false, refreshed: 0 };
  const call = async (which: 0 | 1) => {
    let token = (await issue(node)).refreshToken?.reveal() ?? '';
    while (!load.isOver) {
      const next = await refreshed(nodes[which].url, token).catch(() => undefined);
      if (next === undefined) await pause(LOOK_MS);
      else [token, load.refreshed] = [next, load.refreshed + 1];
    }
  };
  const restarts = async () => {
    const starts: Times[] = [];
    for (let n = 0; n < cycles; n++) {
      await pause(BETWEEN_MS);
      await kill(nodes[0]);
      nodes[0] = await start(home.configFile);
      starts.push(nodes[0].times);
    }
    return starts;
  };
  const atRest = await restarts();
  const calls = Array.from({ length: 2 * CALLERS }, (_, n) => call(n % 2 ? 1 : 0));
  const waits = lockWaits(server);
  const underLoad = await restarts();
  const waited = await waits.end();
  load.isOver = true;
  await Promise.all(calls);
  await Promise.all(nodes.map(kill));
  await store.close();
  await server.remove();
  rmSync(home.folder, { recursive: true });
  show(`${cycles} kills of one of two nodes without callers, in milliseconds`, atRest);
  show(`${cycles} under load, with ${load.refreshed} refreshes meanwhile`, underLoad);
  console.log(`sessions seen waiting for a lock for a second: ${waited}`);
  return waited;
}

const LONG_WAITS = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND now() - state_change > interval '1 second'`;

/** Counts sessions that wait for a lock for long, such as one that a dead node held. */
function lockWaits(server: PostgresServer) {
  const state = { isOver: false, seen: 0 };
  const looking = (async () => {
    for (; !state.isOver; await pause(50)) {
      const [row] = await server.query(LONG_WAITS);
      state.seen += Number(row?.['count']);
    }
  })();
  const end = async () => {
    state.isOver = true;
    await looking;
    return state.seen;
  };
  return { end };
}

async function start(configFile: string): Promise<Started> {
  const times = new Map([['spawn', { at: Date.now(), busyMs: 0 }]]);
  const child = spawn(process.execPath, [ENTRY, configFile], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as { part?: string; at: number; busyMs: number; url?: string };
      if (said.part !== undefined) times.set(said.part, said);
      if (said.url !== undefined) resolve(said.url);
    });
  });
  while ((await fetch(`${url}/readyz`)).status !== 200) await pause(LOOK_MS);
  times.set('ready', { at: Date.now(), busyMs: times.get('listening')?.busyMs ?? 0 });
  return { child, url, times };
}

async function kill({ child }: Started): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** The next refresh token. */
async function refreshed(url: string, token: string): Promise<string> {
  const response = await fetch(`${url}/authsvc/Authorize/Token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: CLIENT, refresh_token: token }),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { refresh_token: string }).refresh_token;
}

function show(title: string, starts: readonly Times[]): void {
  const parts = [...(starts[0]?.keys() ?? [])];
  const between = (from: string | undefined, to: string | undefined, what: 'at' | 'busyMs') =>
    starts.map((times) => (times.get(to ?? '')?.[what] ?? Number.NaN) - (times.get(from ?? '')?.[what] ?? Number.NaN));
  const row = (name: string, from: string | undefined, to: string | undefined) => {
    const [passed, busy] = [between(from, to, 'at'), between(from, to, 'busyMs')];
    const numbers = [quantile(passed, 0.5), Math.max(...passed), quantile(busy, 0.5)];
    console.log(`  ${name.padEnd(18)}${numbers.map((number) => number.toFixed(0).padStart(10)).join('')}`);
  };
  console.log(`${title}:\n  ${'part of the start'.padEnd(18)}       p50       max  processor, p50`);
  for (const [n, part] of parts.entries()) if (n > 0) row(part, parts[n - 1], part);
  row('all of it', parts[0], parts.at(-1));
}
