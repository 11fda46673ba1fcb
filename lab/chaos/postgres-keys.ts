// A new key is rolled out over three nodes under load, in the worst order: it mints at one node while two lack it. Callers
// that retry after 503 must never be refused, and nothing that worked before may stop working.

import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../src/core/outcome.ts';
import { addToKeyring, markMinting, mintWithKey } from '../../src/operations/admin/mac-keys.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { NodeReporter } from '../../src/operations/upkeep/report-node.ts';
import { storeOf } from '../../src/store/change.ts';
import { systemClock } from '../../src/system.ts';
import { firstKey, KeyMissing, Keyring, nextKeyId, type StoredKey } from '../../src/tokens/keyring.ts';
import { aNode, anotherNode, check, issue, type Node, refresh } from '../../test/node.ts';
import { OPERATOR } from '../../test/samples.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';

const CALLERS = 24;
/** Time that each node lacks the key. */
const STAGE_MS = 700;
const AGAIN_MS = 20;
const clock = systemClock;

/** Returns the number of wrong answers. */
export async function rollOutKeys(rollouts: number): Promise<number> {
  const server = await PostgresServer.start();
  await server.query('CREATE DATABASE tessera');
  let keys: readonly StoredKey[] = firstKey();
  const open = async () => storeOf(await openAt(server.url('tessera')));
  const first = await aNode(await open(), { keyring: new Keyring(keys), clock });
  const others = [1, 2].map(async () => anotherNode(await open(), { keyring: new Keyring(keys), clock }));
  const nodes = [first, ...(await Promise.all(others))];
  await markMinting(first.keyring.minting, undefined, { store: first.store, by: OPERATOR });
  const load = new Load(nodes);
  for (let n = 0; n < rollouts; n++) keys = await rollOut(keys, nodes, load);
  const wrong = await load.stop();
  await Promise.all(nodes.map(({ store }) => store.close()));
  await server.remove();
  for (const what of wrong.slice(0, 10)) console.error(what);
  return wrong.length;
}

async function rollOut(keys: readonly StoredKey[], nodes: readonly Node[], load: Load): Promise<readonly StoredKey[]> {
  const [first] = nodes as [Node];
  const admin = { store: first.store, by: OPERATOR };
  const added = granted(await addToKeyring(keys, admin));
  const id = nextKeyId(keys, []);
  for (const [n, node] of nodes.entries()) await new NodeReporter(`node ${n + 1}`, node).report(clock.now);
  const early = await mintWithKey(added, { id }, admin);
  if (early.ok) load.wrong.push('mint did not refuse while nodes lacked the key');
  const minting = granted(await mintWithKey(added, { id, force: true }, admin));
  for (const node of nodes) {
    node.keyring.exchange(minting);
    await pause(STAGE_MS);
  }
  console.log(`key ${id}: ${load.takeFigures()}`);
  return minting;
}

/** Callers that refresh and check on the nodes in turn. */
class Load {
  readonly wrong: string[] = [];
  readonly #nodes: readonly Node[];
  readonly #ended: Promise<unknown>;
  #running = true;
  #accepted = 0;
  #notNow = 0;

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
    this.#ended = Promise.all(Array.from({ length: CALLERS }, (_, n) => this.#call(n)));
  }

  takeFigures(): string {
    const figures = `${this.#accepted} accepted, ${this.#notNow} × 503 for a missing key, ${this.wrong.length} wrong`;
    [this.#accepted, this.#notNow] = [0, 0];
    return figures;
  }

  async stop(): Promise<readonly string[]> {
    this.#running = false;
    await this.#ended;
    return this.wrong;
  }

  async #call(caller: number): Promise<void> {
    let pair = await issue(this.#nodes[caller % this.#nodes.length] as Node);
    let turn = caller;
    while (this.#running) {
      const node = this.#nodes[turn++ % this.#nodes.length] as Node;
      await this.#insist(() => check(node, pair));
      const next: TokenPair | undefined = await this.#insist(() => refresh(node, pair));
      if (next) pair = next;
    }
  }

  async #insist<T>(call: () => Promise<Outcome<T>>): Promise<T | undefined> {
    try {
      const outcome = await call();
      if (!outcome.ok) this.wrong.push(outcome.refusal.reason);
      this.#accepted++;
      return outcome.ok ? outcome.value : undefined;
    } catch (fault) {
      if (!(fault instanceof KeyMissing)) this.wrong.push(String(fault));
      this.#notNow++;
      await pause(AGAIN_MS);
      return undefined;
    }
  }
}

function granted<T>(outcome: Outcome<T, { reason: string }>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.refusal.reason);
}
