import type { EpochSeconds } from '../../core/time.ts';
import type { LoadedVersion } from '../back-end.ts';
import { Lane } from '../lane.ts';
import type { AnyTable } from '../table.ts';
import { arrayOf } from './arrays.ts';
import type { Connections } from './connections.ts';
import { comparable, decodeRow, keyColumn, statementsOf } from './statements.ts';

const MOST = 500;
const PARALLEL = 2;

/** Loads that wait at the same moment share one statement per table. */
export class Loads {
  readonly #connections: Connections;
  readonly #lanes = new Map<AnyTable, Lane<string, LoadedVersion<unknown, unknown>>>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  load(table: AnyTable, key: string): Promise<LoadedVersion<unknown, unknown>> {
    let lane = this.#lanes.get(table);
    if (!lane) {
      lane = new Lane((keys) => this.#loadAll(table, keys), { most: MOST, parallel: PARALLEL });
      this.#lanes.set(table, lane);
    }
    return lane.submit(key);
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.drain()));
  }

  async #loadAll(table: AnyTable, keys: readonly string[]): Promise<LoadedVersion<unknown, unknown>[]> {
    const { kind } = keyColumn(table);
    const asked = keys.map((key) => comparable(kind, table.encodeKey(key)));
    const { rows } = await this.#connections.read(statementsOf(table).load, [arrayOf(kind, asked)]);
    const loaded: LoadedVersion<unknown, unknown>[] = [];
    for (const row of rows) {
      const [place, now] = row;
      loaded[(place as number) - 1] = { found: decodeRow(table, row, 2), now: now as EpochSeconds };
    }
    return loaded;
  }
}
