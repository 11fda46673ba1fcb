import { setTimeout as sleep } from 'node:timers/promises';
import type { EpochSeconds } from '../../core/time.ts';
import { FIND_LIMIT } from '../back-end.ts';
import type { Receiver } from '../move.ts';
import type { EndingCount, EventQuery, Loaded, NewestQuery } from '../store.ts';
import { type AnyTable, keyColumn, type Table, type Value } from '../table.ts';
import { decodeEvent } from '../tables/events.ts';
import { arrayOf, columnArrays } from './arrays.ts';
import { Commits } from './commits.ts';
import type { Connections } from './connections.ts';
import { EXTEND_EVENTS, SWEEP_PARTITIONS } from './event-partitions.ts';
import {
  EVENT_COLUMNS,
  eventsStatement,
  eventValues,
  HORIZON,
  RECEIVE,
  REMOVE_EVENTS,
  SWEEP_EVENTS,
} from './events.ts';
import { examine } from './examination.ts';
import { unlessLocked } from './faults.ts';
import { Loads } from './loads.ts';
import {
  countEndingText,
  countText,
  decodeRow,
  findText,
  pageStatement,
  parameterOf,
  statementsOf,
  sweepText,
} from './statements.ts';

const REMOVE_STEP = 5_000;
/** Attempts to remove a partition, with pauses that grow by this much. */
const MOST_REMOVALS = 10;
const REMOVE_AGAIN_MS = 50;

export function postgresBackEnd(connections: Connections): Receiver {
  const loads = new Loads(connections);
  const commits = new Commits(connections);
  const events = async (query: EventQuery | NewestQuery, isComplete = true) => {
    const horizon = isComplete ? ((await connections.read(HORIZON)).rows[0]?.[0] ?? 0) : undefined;
    const { text, values } = eventsStatement(query, horizon); // a statement of its own: it must see what has ended
    return (await connections.read(text, values)).rows.map(decodeEvent);
  };
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    await loads.drain(); // what was read is decided by now, and waits to be committed
    await commits.drain();
    connections.sessions.close();
  };

  return {
    now: () => loads.now(),
    examine: () => examine({ connections, loads, commits }),
    load: <Row, Companion>(table: Table<Row, Companion>, key: string) =>
      loads.load(table, key) as Promise<Loaded<Row, Companion>>,
    commit: (commit) => commits.commit(commit),
    find: async (table, where, limit = FIND_LIMIT) => {
      const values = [parameterOf(table, where), limit];
      return rowsOf(table, (await connections.read(findText(table, where.column), values)).rows);
    },
    page: async (table, query) => {
      const { text, values } = pageStatement(table, query);
      return rowsOf(table, (await connections.read(text, values)).rows);
    },
    events: (query) => events(query, query.isComplete),
    newestEvents: async (query) => (await events(query)).toReversed(),
    eventProgress: async () => {
      const [readable, drawn] = (await connections.read(HORIZON)).rows[0] as unknown as [number, number];
      return { readable, drawn };
    },
    receiveEvents: async (events) => {
      const rows = columnArrays(
        EVENT_COLUMNS,
        events.map((event) => eventValues(event, event.sequence)),
      );
      const last = Math.max(...events.map(({ sequence }) => sequence));
      await connections.run(EXTEND_EVENTS, [last]);
      await connections.run(RECEIVE, rows);
    },
    removeRows: async (table, keys) => {
      const values = arrayOf(keyColumn(table).kind, keys.map(table.encodeKey));
      await connections.run(statementsOf(table).remove, [values]);
    },
    removeEventsBefore: async (sequence) => {
      const remove = () => connections.run(REMOVE_EVENTS, [sequence, REMOVE_STEP]);
      while ((await remove()).count === REMOVE_STEP);
    },
    sweep: async (table, before, limit) => (await connections.run(sweepText(table), [before, limit])).count,
    sweepEvents: async (before, limit) => {
      await connections.run(EXTEND_EVENTS, [0]).catch(unlessLocked);
      const removed = await removePartition(connections, before);
      if (removed !== 0) return Math.max(removed, 0);
      return (await connections.run(SWEEP_EVENTS, [before, limit])).count;
    },
    countEnding: async (table, { from, before }, most) => {
      const [[read, living] = []] = (await connections.read(countEndingText(table), [from, before, most])).rows;
      return { read, living } as EndingCount;
    },
    count: async (table, column) =>
      new Map((await connections.read(countText(table, column))).rows as unknown as [Value, number][]),
    stamp: async (table) => String((await connections.read(statementsOf(table).stamp)).rows[0]),
    origin: () => connections.sessions.origin,
    figures: () => ({
      commits: commits.durations,
      reads: connections.reads,
      waiting: commits.waiting,
      sessions: connections.sessions.figures(),
    }),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Under load, the log is seldom free of writers at the first attempt. The result is that of SWEEP_PARTITIONS. */
async function removePartition(connections: Connections, before: EpochSeconds): Promise<number> {
  for (let attempt = 1; attempt <= MOST_REMOVALS; attempt++) {
    const answer = await connections.run(SWEEP_PARTITIONS, [before]).catch(unlessLocked);
    if (answer) return Number(answer.rows[0]?.[0]);
    await sleep(attempt * REMOVE_AGAIN_MS);
  }
  return -1;
}

function rowsOf<Row>(table: AnyTable, results: readonly (readonly Value[])[]): Row[] {
  return results.map(([row]) => decodeRow(table, row)?.row as Row);
}
