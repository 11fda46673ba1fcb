import type { Registry } from 'prom-client';
import { show, single } from './show-metric.ts';

/** What one listener has in use, and the most it may use. */
export interface ListenerLoad {
  /** Requests under way. */
  readonly held: number;
  /** Requests under way whose connection is open. */
  readonly living: number;
  readonly orphaned: number;
  readonly places: number;
  readonly connections: number;
  readonly mostConnections: number;
}

type Row = readonly [name: string, type: 'gauge', what: keyof ListenerLoad, help: string];

const ROWS: readonly Row[] = [
  [
    'tessera_requests_in_flight',
    'gauge',
    'held',
    'Requests under way, without those for health, readiness and metrics.',
  ],
  ['tessera_slots_held', 'gauge', 'living', 'Requests under way whose connection or stream is open: the same number.'],
  ['tessera_slots_orphaned', 'gauge', 'orphaned', 'Requests that outlived their connection. Not 0: a defect.'],
  ['tessera_slots_limit', 'gauge', 'places', 'The most requests that may be under way, over all listeners.'],
  ['tessera_connections', 'gauge', 'connections', 'Open connections, those that are in their TLS handshake included.'],
  ['tessera_connections_limit', 'gauge', 'mostConnections', 'The most connections, over all listeners.'],
];

/** The sum over listeners. Each worker has its own limits, so workers are kept apart. */
export function showLoad(registry: Registry, loads: readonly (() => ListenerLoad)[]): void {
  for (const [name, type, what, help] of ROWS) {
    const total = () => loads.reduce((sum, load) => sum + load()[what], 0);
    show(registry, { name, help, type, aggregator: 'worker', values: () => single(total()) });
  }
  show(registry, {
    name: 'tessera_event_loop_active_seconds_total',
    help: 'Time in which the event loop had something to do. Its rate is the utilization of a process, from 0 to 1.',
    type: 'counter',
    aggregator: 'worker',
    values: () => single(performance.eventLoopUtilization().active / 1000),
  });
}
