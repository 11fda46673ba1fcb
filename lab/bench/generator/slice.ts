import { performance } from 'node:perf_hooks';
import { quantileOfSorted } from '../../quantiles.ts';
import { type Address, Exchange } from './exchange.ts';
import type { Walk } from './walk.ts';

export interface SliceOptions {
  readonly address: Address;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** A new connection for every request, rather than one per walk. */
  readonly freshConnections: boolean;
}

export interface SliceReport {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** Of one core. */
  readonly generatorCpu: number;
}

/** Each walk sends one request at a time. Ends when all responses have arrived. */
export async function runSlice(walks: readonly Walk[], options: SliceOptions): Promise<SliceReport> {
  const warm = performance.now() + options.warmUpSeconds * 1000;
  const end = warm + options.seconds * 1000;
  const latencies: number[] = [];
  const record = (began: number, now: number) => {
    if (began >= warm && now <= end) latencies.push(now - began);
  };
  const go = options.freshConnections ? goFresh : goKept;
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(walks.map((walk) => go(walk, options.address, end, record)));
  const { user, system } = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    seconds: options.seconds,
    p50: quantileOfSorted(latencies, 0.5),
    p99: quantileOfSorted(latencies, 0.99),
    worst: latencies.at(-1) ?? Number.NaN,
    generatorCpu: (user + system) / 1000 / (performance.now() - started),
  };
}

type Record = (began: number, now: number) => void;

async function goKept(walk: Walk, address: Address, end: number, record: Record): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const exchange = await Exchange.open(address, reject);
  const ask = () => {
    const began = performance.now();
    if (began >= end) return resolve();
    exchange.send(walk.next(), (status, body) => {
      try {
        walk.heard(status, body);
        record(began, performance.now());
        ask();
      } catch (fault) {
        reject(fault);
      }
    });
  };
  ask();
  await promise;
  exchange.close();
}

async function goFresh(walk: Walk, address: Address, end: number, record: Record): Promise<void> {
  for (let began = performance.now(); began < end; began = performance.now()) {
    const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
    const exchange = await Exchange.open(address, reject);
    exchange.send(walk.next(), (status, body) => resolve([status, body]));
    walk.heard(...(await promise));
    record(began, performance.now());
    exchange.close();
  }
}
