// Refreshes a second with tracing off, with one trace in twenty and with all of them recorded, in turns. The collector is
// real HTTP on this machine and shares the generator's core.
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeCertificates } from '../bench/certificates.ts';
import { tessera } from '../bench/contestants/tessera.ts';
import { Generator } from '../bench/generator/generator.ts';
import { CORES } from '../bench/pinned.ts';
import { type Lane, race, ratio } from '../bench/race.ts';
import { suiteTable } from '../bench/report/table.ts';
import { figuresFolder, table } from './measure.ts';

export interface TracingFigures {
  readonly rounds: number;
  /** Of one slice. */
  readonly seconds: number;
}

export async function tracingFigures({ rounds, seconds }: TracingFigures): Promise<void> {
  const folder = figuresFolder();
  const tls = writeCertificates(folder);
  const collector = await countingCollector();
  const generator = new Generator(CORES.generator);
  const pace = { rounds, seconds, warmUpSeconds: 0.2, coldSeconds: 2, connections: 64 };
  const on = (percent: number) => [`tracing.endpoint=${collector.endpoint}`, `tracing.samplePercent=${percent}`];
  const settings: Readonly<Record<string, readonly string[]>> = {
    off: [],
    'off, again': [], // how much of a difference is noise
    'on, 5 %': on(5),
    'on, 100 %': on(100),
  };
  const lanes: Lane[] = [];
  try {
    for (const [name, sets] of Object.entries(settings)) {
      const own = join(folder, name.replaceAll(/[^a-z0-9]/g, ''));
      mkdirSync(own);
      const filling = { known: 4 * pace.connections, others: 1000 };
      const running = await tessera({ folder: own, certificates: folder, tls, filling, sets }).start();
      lanes.push({ name: `tracing ${name}`, running });
    }
    const results = await race('refresh', lanes, generator, pace);
    console.log(suiteTable({ title: 'Refresh, by tracing' }, results));
    const [off] = results;
    if (off)
      table(
        results.map((lane) => ({ '': lane.name, 'CPU, of off': ratio(lane, off, (slice) => slice.cpuPerRequest) })),
      );
  } finally {
    for (const { running } of lanes) await running.stop();
    generator.stop();
    collector.close();
  }
  console.log(`the collector accepted ${collector.exports()} exports of ${collector.megabytes().toFixed(0)} MB`);
  rmSync(folder, { recursive: true });
}

async function countingCollector() {
  let exports = 0;
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    request.on('end', () => {
      exports++;
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    exports: () => exports,
    megabytes: () => bytes / 1e6,
    close: () => server.close(),
  };
}
