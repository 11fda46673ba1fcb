// An asynchronous standby that lacks the last commits is promoted under load. Every node must notice it, no revoked token may be accepted
// in between or afterwards, and callers whose refresh was lost go on, unless somebody used an older token first.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { acceptRollback, heardHistory } from '../../src/operations/admin/after-restore.ts';
import { endAgain, endingsFromActs } from '../../src/operations/admin/lost-endings.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { NodeReporter } from '../../src/operations/upkeep/report-node.ts';
import { resumeAfter } from '../../src/operations/upkeep/resume.ts';
import { storeOf } from '../../src/store/change.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { readHistory } from '../../src/store/tables/store-history.ts';
import { systemClock } from '../../src/system.ts';
import { makeHome } from '../../test/e2e/service.ts';
import { accepted, aNode, answer, check, issue, refresh, revoke } from '../../test/node.ts';
import { watchedNode } from '../../test/nodes/put-back.ts';
import { OPERATOR } from '../../test/samples.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer, silenceSenders } from '../../test/store/postgres-server.ts';
import { makeStandby, promote, REPLICATING, stopWaiting } from '../../test/store/postgres-standby.ts';
import { entryOf, Service } from './service.ts';

/** How far the standby is behind, in seconds. */
const BEHIND = [0.2, 0.6, 2, 5];
/** Grants that are on the standby, and are ended and refreshed just before the primary dies. */
const ENDED = 30;
const TURNED = 10;
/** Newest token first, then an older one; then of another grant, an older one first. */
const TOLD = ['accepted', 'refresh-token-reused', 'accepted', 'store-rolled-back'];
const LAST_MS = 150;
const LOOK_MS = 1_000;
const GLANCE_MS = 400;
const PATIENCE_MS = 60_000;

type Mode = 'wait' | 'resume';
type WatchedNode = Awaited<ReturnType<typeof watchedNode>>;

/** `cycles`: failovers for each distance. Returns how many promises were broken. */
export async function failoverWithLoss(cycles: number): Promise<number> {
  let broken = 0;
  for (const behind of BEHIND)
    for (const mode of ['wait', 'resume'] as const) {
      const failovers = mode === 'wait' ? Math.ceil(cycles / 2) : Math.floor(cycles / 2);
      if (failovers > 0) broken += await onField(mode, failovers, behind);
    }
  return broken;
}

async function onField(mode: Mode, failovers: number, behind: number): Promise<number> {
  const field = await Field.make(mode);
  let broken = 0;
  try {
    for (let n = 1; n <= failovers; n++) {
      const found = await field.failover(behind * 1000);
      for (const what of found.broken) console.error(`  ${what}`);
      console.log(`${behind} s behind, ${mode} ${n}: ${found.summary}; ${found.broken.length} broken`);
      broken += found.broken.length;
    }
  } finally {
    await field.remove();
  }
  return broken;
}

class Field {
  readonly #mode: Mode;
  readonly #servers: readonly [PostgresServer, PostgresServer];
  readonly #nodes: readonly [WatchedNode, WatchedNode];
  readonly #service: Service;
  readonly #removeHome: () => void;
  #primary: PostgresServer;
  #standby: PostgresServer;
  #running = true;
  readonly #watching: Promise<unknown>;

  static async make(mode: Mode): Promise<Field> {
    const servers = [
      await PostgresServer.start({ durable: true, settings: REPLICATING }),
      await PostgresServer.prepare(),
    ] as const;
    await servers[0].query('CREATE DATABASE tessera');
    const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const url = `postgres://postgres@${hosts}/tessera?statement_timeout=2000`;
    const home = makeHome({ listeners: [{}], settings: { store: url, onRollback: mode }, log: { level: 'silent' } });
    const watched = async (node: string) => {
      const store = storeOf(await openAt(url));
      if (node === 'first') await aNode(store);
      await new NodeReporter(node, { keyring: home.keyring, store }).report(systemClock.now);
      const resume: Parameters<typeof watchedNode>[1]['resume'] = (rollback) => resumeAfter(rollback, store);
      return watchedNode(store, { node, resume: mode === 'resume' ? resume : undefined }, home.keyring);
    };
    const nodes = [await watched('first'), await watched('second')] as const;
    const service = await Service.start(entryOf(home));
    return new Field(mode, servers, nodes, service, () => rmSync(home.folder, { recursive: true }));
  }

  private constructor(
    mode: Mode,
    servers: readonly [PostgresServer, PostgresServer],
    nodes: readonly [WatchedNode, WatchedNode],
    service: Service,
    removeHome: () => void,
  ) {
    this.#mode = mode;
    this.#servers = servers;
    [this.#primary, this.#standby] = servers;
    this.#nodes = nodes;
    this.#service = service;
    this.#removeHome = removeHome;
    this.#watching = Promise.all(
      nodes.flatMap(({ watch }) => [
        this.#whileRunning(() => watch.look(), LOOK_MS),
        this.#whileRunning(() => watch.glance(), GLANCE_MS),
      ]),
    );
  }

  async remove(): Promise<void> {
    this.#running = false;
    await this.#watching;
    await this.#service.kill();
    for (const { open } of this.#nodes) await open.close();
    await Promise.all(this.#servers.map((server) => server.remove()));
    this.#removeHome();
  }

  async failover(behindMs: number) {
    const [first, second] = this.#nodes;
    await makeStandby(this.#standby, this.#primary);
    const ended = await Promise.all(Array.from({ length: ENDED }, () => issue(first)));
    const turned = await Promise.all(Array.from({ length: TURNED }, () => issue(second)));
    const { epoch } = await readHistory(first.open);
    const noticedBefore = this.#nodes.map(({ noticed }) => noticed.length);
    await stopWaiting(this.#primary);
    const load = new Load(this.#nodes, (pair) => this.#ask('Revoke/Token', pair));
    await pause(500);
    silenceSenders(this.#primary.pid ?? 0);
    await pause(behindMs - LAST_MS);
    const newer = await Promise.all(turned.map(async (pair) => accepted(await refresh(second, pair))));
    await Promise.all(ended.map((pair, n) => this.#end(pair, n)));
    await this.#primary.kill();
    await promote(this.#standby);
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
    const promotedAt = performance.now();
    let isHandled = false;
    const accepting = this.#countAccepted(ended, () => isHandled);
    const lacking = await this.#missedBy(noticedBefore, epoch);
    const noticedMs = performance.now() - promotedAt;
    const listed = this.#mode === 'wait' ? await acceptAgain(first) : ENDED;
    const unready = await until(async () => (await readHistory(first.open)).epoch > epoch && this.#areReady());
    const readyMs = performance.now() - promotedAt;
    isHandled = true;
    const revoked = await load.stop();
    const works = [...(await this.#accepted(ended)), ...(await this.#accepted(revoked.slice(-300)))].length;
    const told: string[] = [];
    // One half is presented by its newest token first, the other by an older one, as a thief would.
    for (const [n, older] of turned.entries()) {
      const pairs = [newer[n] as TokenPair, older];
      for (const pair of n % 2 === 0 ? pairs : pairs.reverse()) told.push(await answer(refresh(first, pair)));
    }
    const between = await accepting;
    const isTold = told.every((each, at) => each === TOLD[at % TOLD.length]);
    const broken = [
      ...lacking,
      ...(between > 0 ? [`a revoked token was accepted ${between} times before it was handled`] : []),
      ...(works > 0 ? [`${works} revoked tokens are accepted after it was handled`] : []),
      ...(listed < ENDED ? [`only ${listed} of ${ENDED} ended grants were listed`] : []),
      ...(unready ? ['a node is not ready after it was handled'] : []),
      ...(isTold ? [] : [`lost refreshes were answered ${[...new Set(told)].join(', ')}`]),
    ];
    const times = `noticed after ${Math.round(noticedMs)} ms, ready after ${Math.round(readyMs)} ms`;
    return { broken, summary: `${times}; ${revoked.length + ENDED} revocations, ${TURNED} lost refreshes` };
  }

  /** A third of them at each node. */
  async #end(pair: TokenPair, n: number): Promise<void> {
    const node = this.#nodes[n % 3];
    if (node) accepted(await revoke(node, pair));
    else if ((await this.#ask('Revoke/Token', pair)) !== 200) throw new Error('the service did not revoke');
  }

  async #ask(operation: string, { accessToken }: TokenPair): Promise<number> {
    const headers = { authorization: `Bearer ${accessToken.reveal()}` };
    return (await fetch(`http://127.0.0.1:${this.#service.port}/authsvc/${operation}`, { headers })).status;
  }

  async #readiness(): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#service.port}/readyz`);
  }

  async #areReady(): Promise<boolean> {
    return this.#nodes.every(({ watch }) => !watch.problem) && (await this.#readiness()).status === 200;
  }

  /** The nodes that do not notice it. A service that resumed has. */
  async #missedBy(before: readonly number[], epoch: number): Promise<string[]> {
    let isNoticedByService = false;
    const notNoticed = () => this.#nodes.filter(({ noticed }, n) => noticed.length === before[n]).length;
    await until(async () => {
      const hasResumed = this.#mode === 'resume' && (await readHistory(this.#nodes[0].open)).epoch > epoch;
      isNoticedByService ||= hasResumed || /older state/.test(await (await this.#readiness()).text());
      return isNoticedByService && notNoticed() === 0;
    });
    const nodes = notNoticed();
    return [
      ...(nodes > 0 ? [`${nodes} nodes did not notice it`] : []),
      ...(isNoticedByService ? [] : ['the service did not notice it']),
    ];
  }

  /** How often a node accepted one of these tokens, until that is over. */
  async #countAccepted(pairs: readonly TokenPair[], isOver: () => boolean): Promise<number> {
    let count = 0;
    while (!isOver()) {
      count += (await this.#accepted(pairs.slice(0, 6))).length;
      await pause(5);
    }
    return count;
  }

  async #accepted(pairs: readonly TokenPair[]): Promise<string[]> {
    const answers: string[] = [];
    for (const pair of pairs) {
      for (const node of this.#nodes) answers.push(await answer(check(node, pair)).catch(unlessUnavailable));
      answers.push((await this.#ask('Authorize/Verify', pair)) === 200 ? 'accepted' : 'refused');
    }
    return answers.filter((each) => each === 'accepted');
  }

  async #whileRunning(work: () => Promise<void>, everyMs: number): Promise<void> {
    while (this.#running) {
      await work().catch(unlessUnavailable);
      await pause(everyMs);
    }
  }
}

/** Issues and revokes on all nodes, and refreshes; remembers which revocations were acknowledged. */
class Load {
  readonly #revoked: TokenPair[] = [];
  readonly #ended: Promise<unknown>;
  #running = true;

  constructor(nodes: readonly [WatchedNode, WatchedNode], revokeByHttp: (pair: TokenPair) => Promise<number>) {
    const revoking = [0, 1, 2, 3].map((n) =>
      this.#repeat(async () => {
        const pair = await issue(nodes[n % 2] as WatchedNode);
        const node = nodes[n % 3];
        const isRevoked = node ? (await revoke(node, pair)).ok : (await revokeByHttp(pair)) === 200;
        if (isRevoked) this.#revoked.push(pair);
      }),
    );
    this.#ended = Promise.all([...revoking, ...nodes.map((node) => this.#refreshOn(node))]);
  }

  async stop(): Promise<readonly TokenPair[]> {
    this.#running = false;
    await this.#ended;
    return this.#revoked;
  }

  async #refreshOn(node: WatchedNode): Promise<void> {
    let pair: TokenPair | undefined;
    await this.#repeat(async () => {
      const turned: Awaited<ReturnType<typeof refresh>> | undefined = pair && (await refresh(node, pair));
      pair = turned?.ok ? turned.value : await issue(node);
      await pause(5);
    });
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (this.#running) if (!(await succeeds(work()))) await pause(50);
  }
}

/** What an operator does: `tessera store accept-rollback --end-again`. Returns how many grants were listed. */
async function acceptAgain({ open: store }: WatchedNode): Promise<number> {
  const ports = { store, by: OPERATOR };
  const back = await endingsFromActs((await heardHistory(ports)).rollback?.lost ?? [], ports);
  await endAgain(back, ports);
  await acceptRollback(ports);
  return back.length;
}

function unlessUnavailable(fault: unknown): string {
  if (!(fault instanceof StoreUnavailable)) throw fault;
  return 'unavailable';
}

async function succeeds(work: Promise<void>): Promise<boolean> {
  return (await work.catch(unlessUnavailable)) === undefined;
}

/** Whether it does not hold even after some time. */
async function until(holds: () => Promise<boolean>): Promise<boolean> {
  const latest = performance.now() + PATIENCE_MS;
  while (performance.now() < latest) {
    if (await holds().catch(() => false)) return false;
    await pause(50);
  }
  return true;
}
