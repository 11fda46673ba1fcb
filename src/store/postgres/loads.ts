import type { EpochSeconds } from '../../core/time.ts';
import { Lane } from '../lane.ts';
import type { Loaded } from '../store.ts';
import { type AnyTable, keyColumn } from '../table.ts';
import { arrayOf } from './arrays.ts';
import type { Connections } from './connections.ts';
import { decodeRow, statementsOf, withoutNul } from './statements.ts';

const TOGETHER = { most: 500, parallel: 2 };
const NOW = 'SELECT floor(extract(epoch FROM clock_timestamp()))::bigint';

/** Loads that wait at the same moment share one statement per table, and so do calls of `now`. */
export class Loads {
  readonly #connections: Connections;
  readonly #lanes = new Map<AnyTable, Lane<string, Loaded<unknown, unknown>>>();
  readonly #clock: Lane<undefined, EpochSeconds>;

  constructor(connections: Connections) {
    this.#connections = connections;
    this.#clock = new Lane((asking) => this.#readTime(asking.length), TOGETHER);
  }

  now(): Promise<EpochSeconds> {
    return this.#clock.submit(undefined);
  }

  load(table: AnyTable, key: string): Promise<Loaded<unknown, unknown>> {
    let lane = this.#lanes.get(table);
    if (!lane) {
      lane = new Lane((keys) => this.#loadAll(table, keys), TOGETHER);
      this.#lanes.set(table, lane);
    }
    return lane.submit(key);
  }

  async drain(): Promise<void> {
    await Promise.all([this.#clock, ...this.#lanes.values()].map((lane) => lane.drain()));
  }

  async #readTime(asking: number): Promise<EpochSeconds[]> {
    const now = (await this.#connections.read(NOW)).rows[0]?.[0] as EpochSeconds;
    return Array.from({ length: asking }, () => now);
  }

  async #loadAll(table: AnyTable, keys: readonly string[]): Promise<Loaded<unknown, unknown>[]> {
    const { kind } = keyColumn(table);
    const asked = keys.map((key) => withoutNul(table.encodeKey(key)));
    const { rows } = await this.#connections.read(statementsOf(table).load, [arrayOf(kind, asked)]);
    const loaded: Loaded<unknown, unknown>[] = [];
    for (const [place, now, row] of rows)
      loaded[(place as number) - 1] = { found: decodeRow(table, row), now: now as EpochSeconds };
    return loaded;
  }
}
