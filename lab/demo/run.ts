// One run: 50 clients refresh through the losing proxy while the server is killed and restarted; then all sign out, and every
// token that the server ever gave out is tried.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Seeded } from '../../test/seeded.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { Client } from './clients.ts';
import { CLIENT_ID, type Contestant, type StartContestant } from './contestants.ts';
import { type Fate, LosingProxy, send } from './proxy.ts';

export interface Conditions {
  readonly seed: number;
  readonly clients: number;
  readonly seconds: number;
}

/** What the terminal shows while it runs. */
export interface Progress {
  readonly name: string;
  readonly clients: readonly Client[];
  readonly counts: Readonly<Record<Fate, number>>;
  restarts: number;
  /** Clients not logged out, once per quarter of a second. */
  readonly history: number[];
}

export interface Result extends Progress {
  readonly loggedOut: number;
  /** Pairs given out beyond the first for the same refresh token. */
  readonly forked: number;
  readonly tried: number;
  readonly workedAfterRevocation: number;
}

export const SAMPLE_MS = 250;
const BETWEEN_RESTARTS_MS = 5000;
const AT_ONCE = 16;

export async function runOne(
  start: StartContestant,
  conditions: Conditions,
  follow: (progress: Progress) => void,
): Promise<Result> {
  const folder = temporaryFolder('demo');
  try {
    const contestant = await start(folder, conditions.clients);
    const ending = new AbortController();
    try {
      // Without their server, the clients would try again for ever.
      return await Promise.race([contestant.failed, runAgainst(contestant, conditions, follow, ending.signal)]);
    } finally {
      ending.abort();
      await contestant.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAgainst(
  contestant: Contestant,
  conditions: Conditions,
  follow: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Result> {
  const proxy = new LosingProxy(conditions.seed, () => contestant.port);
  signal.addEventListener('abort', () => proxy.close());
  const port = await proxy.listen();
  const clients = contestant.tokens.map((token, index) => new Client(index, conditions.seed, token, signal));
  const progress: Progress = { name: contestant.name, clients, counts: proxy.counts, restarts: 0, history: [] };
  follow(progress);
  await refreshAll(contestant, port, { conditions, progress, signal });
  const loggedOut = clients.length - signedIn(clients);
  await signOutAll(contestant, port, clients);
  proxy.isCalm = true;
  return { ...progress, loggedOut, forked: forksOf(proxy), ...(await tryAll(contestant, proxy)) };
}

interface Refreshing {
  readonly conditions: Conditions;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function refreshAll(contestant: Contestant, port: number, { conditions, progress, signal }: Refreshing) {
  const { clients, history } = progress;
  const end = performance.now() + conditions.seconds * 1000;
  const isOver = () => signal.aborted || performance.now() >= end;
  const sampler = setInterval(() => !isOver() && history.push(signedIn(clients)), SAMPLE_MS);
  const work = Promise.all([
    restartUntil(isOver, contestant, new Seeded(conditions.seed), progress),
    ...clients.map((client) => client.refreshUntil(isOver, port, contestant)),
  ]);
  await work.finally(() => clearInterval(sampler));
}

async function restartUntil(isOver: () => boolean, contestant: Contestant, chance: Seeded, progress: Progress) {
  for (;;) {
    for (let waited = 0, wait = BETWEEN_RESTARTS_MS + chance.below(BETWEEN_RESTARTS_MS); waited < wait; waited += 100) {
      if (isOver()) return;
      await pause(100);
    }
    await contestant.restart();
    progress.restarts++;
  }
}

export function signedIn(clients: readonly Client[]): number {
  return clients.filter(({ standing }) => standing !== 'logged out').length;
}

/** Half of the clients sign out while they refresh. */
async function signOutAll(contestant: Contestant, port: number, clients: readonly Client[]): Promise<void> {
  const remaining = clients.filter(({ standing }) => standing !== 'logged out');
  await Promise.all(
    remaining.map(async (client, index) => {
      if (index % 2 !== 0) return client.signOut(port, contestant);
      await Promise.all([
        client.refreshUntil(once(), port, contestant),
        pause(400).then(() => client.signOut(port, contestant)),
      ]);
    }),
  );
}

/** False the first time, then true. */
function once(): () => boolean {
  let calls = 0;
  return () => calls++ > 0;
}

function forksOf({ successors }: LosingProxy): number {
  return [...successors.values()].reduce((sum, known) => sum + known.size - 1, 0);
}

async function tryAll(contestant: Contestant, { successors }: LosingProxy) {
  const pairs = [...successors.values()].flatMap((known) => [...known]);
  const tries = pairs.flatMap(([refresh, access]) => [
    () => contestant.works(access),
    async () => {
      const form = { grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: refresh };
      const { status } = await send(contestant.port, contestant.paths.token, new URLSearchParams(form).toString(), {
        patienceMs: 30_000,
      });
      return status === 200;
    },
  ]);
  const workers = Array.from({ length: AT_ONCE }, async (_, worker) => {
    let worked = 0;
    for (let at = worker; at < tries.length; at += AT_ONCE) if (await tries[at]?.()) worked++;
    return worked;
  });
  const worked = (await Promise.all(workers)).reduce((sum, count) => sum + count, 0);
  return { tried: tries.length, workedAfterRevocation: worked };
}
