// Another session locks one row. Changes of that row wait; refreshes of other rows must not be delayed.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { answer, type Node, refresh } from '../../test/node.ts';
import { quantile } from '../quantiles.ts';
import { drillNode, issueMany } from './drill-nodes.ts';

const CALLERS = 32;
const LOCKED_MS = 600;
const FREE_MS = 200;
const P99_MS = 100;
/** A node learns of a locked row by splitting one batch. */
const SLOWER = 3;

interface Refresh {
  readonly phase: 'free' | 'locked';
  readonly ms: number;
}

/** Returns how many promises were broken. Each lock is held for less than a second. */
export async function lockRows(locks: number): Promise<number> {
  const { server, node, remove } = await drillNode([], 'statement_timeout=2000');
  const pairs = await issueMany(node, CALLERS + 1);
  const operator = new pg.Client({ connectionString: server.url('tessera') });
  await operator.connect();
  const others = new Others(node, pairs.slice(1));
  let answered = 0;
  for (let n = 0; n < locks; n++) {
    const locked = pairs[0] as TokenPair;
    await pause(FREE_MS);
    others.phase = 'locked';
    await operator.query('BEGIN');
    await operator.query("SELECT 1 FROM grants WHERE id = decode($1, 'hex') FOR UPDATE", [locked.grantId]);
    const waiting = refresh(node, locked);
    await pause(LOCKED_MS);
    others.phase = 'free';
    await operator.query('COMMIT');
    const outcome = await waiting;
    if (outcome.ok) pairs[0] = outcome.value;
    answered += Number(outcome.ok);
  }
  const { refreshes, faults } = await others.stop();
  await operator.end();
  await remove();
  return verdict(refreshes, faults, locks - answered);
}

function verdict(refreshes: readonly Refresh[], faults: readonly string[], unanswered: number): number {
  const of = (phase: Refresh['phase']) => refreshes.filter((each) => each.phase === phase).map(({ ms }) => ms);
  const [free, locked] = [of('free'), of('locked')];
  for (const [name, each] of [
    ['no lock', free],
    ['one row locked', locked],
  ] as const) {
    const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => quantile(each, share).toFixed(1));
    console.log(`${name}: ${each.length} refreshes of others, p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms`);
  }
  for (const fault of faults.slice(0, 5)) console.error(fault);
  const isSlow = quantile(locked, 0.99) > Math.max(P99_MS, SLOWER * quantile(free, 0.99));
  console.log(`${faults.length} faults of others; ${unanswered} refreshes of the locked row had no answer after it`);
  return faults.length + unanswered + Number(isSlow);
}

class Others {
  readonly #refreshes: Refresh[] = [];
  readonly #faults: string[] = [];
  readonly #ended: Promise<unknown>;
  #running = true;
  phase: Refresh['phase'] = 'free';

  constructor(node: Node, pairs: readonly TokenPair[]) {
    this.#ended = Promise.all(pairs.map((pair) => this.#refreshOn(node, pair)));
  }

  async stop() {
    this.#running = false;
    await this.#ended;
    return { refreshes: this.#refreshes, faults: this.#faults };
  }

  async #refreshOn(node: Node, first: TokenPair): Promise<void> {
    let pair = first;
    while (this.#running) {
      const began = performance.now();
      const { phase } = this;
      const outcome = await refresh(node, pair).catch((fault: unknown) => String(fault));
      if (typeof outcome === 'string' || !outcome.ok) {
        this.#faults.push(typeof outcome === 'string' ? outcome : await answer(outcome));
        continue;
      }
      pair = outcome.value;
      this.#refreshes.push({ phase, ms: performance.now() - began });
    }
  }
}
