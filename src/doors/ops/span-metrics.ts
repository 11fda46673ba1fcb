import type { Registry } from 'prom-client';
import { show, single } from './show-metric.ts';

/** How the export of traces is doing. */
export interface SpanTally {
  readonly sent: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly waiting: number;
}

export function showSpans(registry: Registry, tally: () => SpanTally | undefined): void {
  show(registry, {
    name: 'tessera_trace_spans_sent_total',
    help: 'Spans that the collector accepted.',
    type: 'counter',
    values: () => single(tally()?.sent),
  });
  show(registry, {
    name: 'tessera_trace_spans_dropped_total',
    help: 'Spans that were lost, by reason.',
    type: 'counter',
    values: () => Object.entries(tally()?.dropped ?? {}).map(([reason, value]) => ({ labels: { reason }, value })),
  });
  show(registry, {
    name: 'tessera_trace_spans_waiting',
    help: 'Spans that wait to be sent, of at most 4096 in each process.',
    type: 'gauge',
    values: () => single(tally()?.waiting),
  });
}
