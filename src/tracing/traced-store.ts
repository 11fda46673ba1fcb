import type { Decision, Store } from '../store/store.ts';
import type { Tracer } from './tracer.ts';

/** Spans of requests: `store load` until the row is there, `store commit` from the first decision until the commit is durable. */
export function tracedStore(store: Store, tracer: Tracer): Store {
  const timed = <T>(table: string, work: (note: Note) => Promise<T>): Promise<T> =>
    tracer.current ? timedWork(tracer, table, work) : work((decision) => decision);
  return {
    ...store,
    load: (table, key) => timed(table.name, () => store.load(table, key)),
    find: (table, where, limit) => timed(table.name, () => store.find(table, where, limit)),
    change: (table, key, decide) =>
      timed(table.name, (note) => store.change(table, key, (found, now) => note(decide(found, now)))),
    create: (table, key, decide) => timed(table.name, (note) => store.create(table, key, (now) => note(decide(now)))),
  };
}

type Note = <Row, T>(decision: Decision<Row, T>) => Decision<Row, T>;

async function timedWork<T>(tracer: Tracer, table: string, work: (note: Note) => Promise<T>): Promise<T> {
  const start = performance.now();
  let decidedAt: number | undefined;
  let decisions = 0;
  let isWritten = false;
  const note: Note = (decision) => {
    decidedAt ??= performance.now();
    decisions++;
    const { next, inserts = [], events = [] } = decision;
    isWritten = next !== undefined || inserts.length > 0 || events.length > 0;
    return decision;
  };
  let fault: unknown;
  try {
    return await work(note);
  } catch (thrown) {
    fault = thrown;
    throw thrown;
  } finally {
    const end = performance.now();
    record(tracer, 'store load', table, { start, end: decidedAt ?? end, ...(decidedAt === undefined && { fault }) });
    if (decidedAt !== undefined && isWritten)
      record(tracer, 'store commit', table, { start: decidedAt, end, decisions, fault });
  }
}

interface Timing {
  readonly start: number;
  readonly end: number;
  /** More than one: the row had changed meanwhile. */
  readonly decisions?: number;
  readonly fault?: unknown;
}

function record(tracer: Tracer, name: string, table: string, { start, end, decisions, fault }: Timing): void {
  const { current } = tracer;
  if (!current) return;
  const attributes = { 'db.collection.name': table, 'tessera.decisions': decisions };
  const error = fault === undefined ? undefined : fault instanceof Error ? fault.name : 'Error';
  tracer.record(tracer.open(current), { name: `${name} ${table}`, kind: 'internal', start, end, attributes, error });
}
