import { setTimeout as sleep } from 'node:timers/promises';
import type { Commit } from '../back-end.ts';
import { type Durations, DurationTally } from '../duration-tally.ts';
import { Lane, type Run } from '../lane.ts';
import { StoreUnavailable } from '../store.ts';
import { appendingEvents, firstStep, keyOf, nameOf, takingSteps, takingUnit } from './commit-statements.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { RowLocked, StatementRefused } from './faults.ts';
import { areFree, LockedRows } from './locked-rows.ts';

/** The most units in one statement, and the most such statements in progress per kind and node. */
const TOGETHER = { most: 500, parallel: 2 };
/** For the units whose rows are free, after a statement failed on a locked row. */
const AGAIN = { most: 50, parallel: 2 };
/** For units of several steps: each is a transaction of its own. */
const SEVERAL = { most: 1, parallel: 3 };
/** For units with a locked row, each alone. Few at a time: each holds a session while it waits for its lock. */
const ALONE = { most: 1, parallel: 2 };
/** The pause between two attempts at a locked row. No session is held meanwhile. */
const LOCKED_AGAIN_MS = 50;

/** How long a failed commit keeps the node from being ready, if nothing succeeds meanwhile. */
const FAULT_MS = 5_000;

type Perform = Run<Commit, boolean>;

/**
 * Commits that wait at the same moment and are of one kind (the same table, swapped or created in) share one statement,
 * which is one transaction and one wait for the disk. A unit's events are appended by that statement where its step
 * happened, and only there.
 *
 * A locked row delays only the units that need it. Statements wait briefly for a lock. If a batch fails on one, the units whose
 * rows are free are repeated together, and the others each alone: only those wait.
 */
export class Commits {
  readonly #connections: Connections;
  readonly #lanes = new Map<string, Lane<Commit, boolean>>();
  readonly #locked = new LockedRows();
  readonly #waiting = new Set<Promise<boolean>>();
  readonly #faults = new Map<string, { readonly fault: StatementRefused; readonly at: number }>();

  readonly #durations = new DurationTally();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  commit(commit: Commit): Promise<boolean> {
    const [step] = commit.swaps;
    if (!step) return this.#lane('events', (units) => this.#appendEvents(units)).submit(commit);
    if (this.#locked.has(step)) return this.#alone(commit);
    if (commit.swaps.length > 1) return this.#lane('several', (units) => this.#orAlone(units), SEVERAL).submit(commit);
    return this.#lane(nameOf(step), (units) => this.#together(units)).submit(commit);
  }

  async drain(): Promise<void> {
    do {
      await Promise.all([...this.#lanes.values()].map((lane) => lane.drain()));
      await Promise.allSettled(this.#waiting);
    } while (this.#waiting.size > 0 || [...this.#lanes.values()].some((lane) => lane.isBusy));
  }

  get durations(): Durations {
    return this.#durations;
  }

  get waiting(): number {
    let waiting = this.#waiting.size;
    for (const lane of this.#lanes.values()) waiting += lane.waiting;
    return waiting;
  }

  /** Why the server recently refused a kind of commit, unless one has succeeded since. It expires, since no further commit of that kind may come. */
  get recentFault(): StatementRefused | undefined {
    const now = performance.now();
    for (const { fault, at } of this.#faults.values()) if (now - at < FAULT_MS) return fault;
    return undefined;
  }

  #lane(name: string, run: Perform, options = TOGETHER): Lane<Commit, boolean> {
    let lane = this.#lanes.get(name);
    if (!lane) {
      lane = new Lane((units) => this.#noting(name, run(units)), options);
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  async #noting(lane: string, running: ReturnType<Perform>): ReturnType<Perform> {
    const start = performance.now();
    try {
      const results = await running;
      this.#durations.add(performance.now() - start);
      if (this.#faults.size > 0) this.#faults.delete(lane);
      return results;
    } catch (fault) {
      const isLasting = fault instanceof StatementRefused;
      if (isLasting) this.#faults.set(lane, { fault, at: performance.now() });
      throw fault;
    }
  }

  #together(units: readonly Commit[]): ReturnType<Perform> {
    return this.#unlessLocked(units, () => this.#apart(units));
  }

  /** Repeats the units whose rows are free together, and the others each alone. */
  async #apart(units: readonly Commit[]): ReturnType<Perform> {
    const free = units.length > 1 ? await areFree(units.map(firstStep), this.#connections).catch(noneFree) : [];
    return units.map((unit, index) => (free[index] ? this.#again(unit) : this.#alone(unit)));
  }

  #again(unit: Commit): Promise<boolean> {
    return this.#lane(`again_${nameOf(firstStep(unit))}`, (units) => this.#orAlone(units), AGAIN).submit(unit);
  }

  #orAlone(units: readonly Commit[]): ReturnType<Perform> {
    return this.#unlessLocked(units, () => units.map((each) => this.#alone(each)));
  }

  async #unlessLocked(
    units: readonly Commit[],
    otherwise: () => Promise<boolean>[] | ReturnType<Perform>,
  ): ReturnType<Perform> {
    try {
      return await this.#perform(units);
    } catch (fault) {
      if (!(fault instanceof RowLocked)) throw fault;
      return otherwise();
    }
  }

  /** Units of one step each, or one unit of several. */
  async #perform(units: readonly Commit[]): Promise<boolean[]> {
    const [unit] = units as [Commit];
    return unit.swaps.length > 1 ? [await this.#inOneTransaction(unit)] : this.#inOneStatement(units);
  }

  /** Units of one step each, all of the same kind. Sorted by key, which prevents deadlocks between nodes. */
  async #inOneStatement(units: readonly Commit[]): Promise<boolean[]> {
    const ordered = units.map((unit) => ({ unit, key: keyOf(unit) })).sort((a, b) => (a.key < b.key ? -1 : 1));
    const steps = ordered.map(({ unit }) => unit);
    const { text, values } = takingSteps(steps);
    const { rows } = await this.#connections.write((connection) => connection.change(text, values));
    const happened = new Set(rows.map(([unit]) => steps[(unit as number) - 1]));
    return units.map((unit) => happened.has(unit));
  }

  /** Events wait for no row, but for a moment while a partition of the log is removed. */
  async #appendEvents(units: readonly Commit[]): Promise<boolean[]> {
    const { text, values } = appendingEvents(units);
    const append = () => this.#connections.write((connection) => connection.change(text, values));
    await append().catch((fault: unknown) => {
      if (!(fault instanceof RowLocked)) throw fault;
      return append();
    });
    return units.map(() => true);
  }

  #inOneTransaction(unit: Commit): Promise<boolean> {
    const steps = takingUnit(unit);
    return this.#connections.write((connection) => inTransaction(connection, steps));
  }

  #alone(unit: Commit): Promise<boolean> {
    const waiting = this.#untilUnlocked(unit).finally(() => this.#waiting.delete(waiting));
    this.#waiting.add(waiting);
    return waiting;
  }

  async #untilUnlocked(unit: Commit): Promise<boolean> {
    const step = firstStep(unit);
    const latest = performance.now() + this.#connections.statementTimeoutMs;
    for (;;) {
      try {
        const happened = await this.#lane('alone', (units) => this.#perform(units), ALONE).submit(unit);
        this.#locked.delete(step);
        return happened;
      } catch (fault) {
        if (!(fault instanceof RowLocked)) throw fault;
        this.#locked.add(step);
        if (performance.now() > latest) throw fault;
        await sleep(LOCKED_AGAIN_MS);
      }
    }
  }
}

/** A lock on the whole table, or a look that did not come back. Then each unit is tried alone. */
function noneFree(fault: unknown): boolean[] {
  if (!(fault instanceof StoreUnavailable)) throw fault;
  return [];
}

async function inTransaction(connection: Connection, steps: ReturnType<typeof takingUnit>): Promise<boolean> {
  await connection.execute('BEGIN');
  try {
    for (const { text, values, rows } of steps) {
      if ((await connection.change(text, values)).count < rows) {
        await connection.execute('ROLLBACK');
        return false;
      }
    }
    await connection.commit();
    return true;
  } catch (error) {
    await connection.rollBack();
    throw error;
  }
}
