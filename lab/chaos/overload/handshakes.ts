// Floods of TLS handshakes beside callers that keep their connections. A twin of the service runs on the same core, under the same load
// and without a flood: its rate shows what the machine is able to do at that moment.
import { median } from '../../quantiles.ts';
import {
  AT_CAPACITY,
  callersOf,
  type Field,
  leaveField,
  load,
  prepareField,
  recovery,
  SLICE_MS,
  WARM_UP_MS,
} from './field.ts';
import { FLOODS, type FloodKind, startFlood } from './flood.ts';
import { type LoadReport, rateOf } from './load.ts';
import { printTable, type Row, type Turn } from './table.ts';

/** Of each of the two. */
const QUOTA = 0.35;
const TURNS = 15;

/** Returns how many targets were missed and promises broken. */
export async function attackWithHandshakes(): Promise<number> {
  const field = await prepareField(AT_CAPACITY, QUOTA);
  const twin = await prepareField(AT_CAPACITY, QUOTA);
  const rows: Row[] = [];
  for (const flood of FLOODS) rows.push(await floodOf(flood, field, twin));
  const missed = printTable(rows);
  return missed + (await leaveField(field)) + (await leaveField(twin));
}

async function floodOf(kind: FloodKind, field: Field, twin: Field): Promise<Row> {
  const perSecond: number[] = [];
  const turns: Turn[] = [];
  let before = await loadBoth(field, twin);
  while (turns.length < TURNS) {
    const flood = startFlood(kind, field.siege.port);
    await loadBoth(field, twin); // Not measured: the flood starts, and takes the handshakes that were saved up.
    const opened = await flood.opened();
    const during = await loadBoth(field, twin);
    perSecond.push(((await flood.opened()) - opened) / ((WARM_UP_MS + SLICE_MS) / 1000));
    await flood.stop();
    const recoveryMs = await recovery(field);
    const after = await loadBoth(field, twin);
    const capacity = rateOf(during.beside) * ((before.ratio + after.ratio) / 2);
    turns.push({ before: before.report, report: during.report, recoveryMs, capacity });
    before = after;
  }
  return { name: `verify beside ${Math.round(median(perSecond))}/s ${kind}`, turns };
}

interface Both {
  readonly report: LoadReport;
  readonly beside: LoadReport;
  /** Of the rates. */
  readonly ratio: number;
}

async function loadBoth(field: Field, twin: Field): Promise<Both> {
  const [report, beside] = await Promise.all([
    load(callersOf('verify', field), undefined, field),
    load(callersOf('verify', twin), undefined, twin),
  ]);
  return { report, beside, ratio: rateOf(report) / rateOf(beside) };
}
