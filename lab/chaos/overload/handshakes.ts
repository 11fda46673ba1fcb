// Floods of TLS handshakes beside callers that keep their connections.
import { median } from '../../quantiles.ts';
import { AT_CAPACITY, recovery, SLICE_MS, WARM_UP_MS } from './field.ts';
import { FLOODS, type FloodKind, startFlood } from './flood.ts';
import { printTable, type Row } from './table.ts';
import { inTurns, leaveTwins, loadBoth, prepareTwins, type Twins } from './twins.ts';

/** Returns how many targets were missed and promises broken. */
export async function attackWithHandshakes(): Promise<number> {
  const twins = await prepareTwins({ kinds: ['verify'], connections: AT_CAPACITY });
  const rows: Row[] = [];
  for (const flood of FLOODS) rows.push(await floodOf(flood, twins));
  return printTable(rows) + (await leaveTwins(twins));
}

async function floodOf(kind: FloodKind, twins: Twins): Promise<Row> {
  const { field } = twins;
  const perSecond: number[] = [];
  const turns = await inTurns('verify', twins, async () => {
    const flood = startFlood(kind, field.siege.port);
    flood.begin();
    await loadBoth('verify', twins); // Not measured: the flood starts, and takes the handshakes that were saved up.
    const opened = await flood.opened();
    const during = await loadBoth('verify', twins);
    perSecond.push(((await flood.opened()) - opened) / ((WARM_UP_MS + SLICE_MS) / 1000));
    await flood.stop();
    return { during, recoveryMs: await recovery(field) };
  });
  return { name: `verify beside ${Math.round(median(perSecond))}/s ${kind}`, turns };
}
