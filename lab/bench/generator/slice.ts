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
  const { address, freshConnections } = options;
  // Kept connections are open before the first request: a server that is busy with requests accepts new ones late.
  const kept = freshConnections ? [] : await Promise.all(walks.map(() => KeptConnection.open(address)));
  const warm = performance.now() + options.warmUpSeconds * 1000;
  const end = warm + options.seconds * 1000;
  const latencies: number[] = [];
  // By their ends: a slow server's requests that began before would otherwise be missing from its rate.
  const record = (began: number, now: number) => {
    if (now >= warm && now <= end) latencies.push(now - began);
  };
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(walks.map((walk, at) => kept[at]?.go(walk, end, record) ?? goFresh(walk, address, end, record)));
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

class KeptConnection {
  readonly #exchange: Exchange;
  readonly #failed: Promise<never>;

  private constructor(exchange: Exchange, failed: Promise<never>) {
    this.#exchange = exchange;
    this.#failed = failed;
  }

  static async open(address: Address): Promise<KeptConnection> {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined); // `go` awaits it
    return new KeptConnection(await Exchange.open(address, reject), promise);
  }

  async go(walk: Walk, end: number, record: Record): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ask = () => {
      const began = performance.now();
      if (began >= end) return resolve();
      this.#exchange.send(walk.next(), (status, body) => {
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
    await Promise.race([promise, this.#failed]);
    this.#exchange.close();
  }
}

async function goFresh(walk: Walk, address: Address, end: number, record: Record): Promise<void> {
  for (let began = performance.now(); began < end; began = performance.now()) {
    const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
    promise.catch(() => undefined); // awaited below, or the connection failed before
    const exchange = await Exchange.open(address, reject);
    exchange.send(walk.next(), (status, body) => resolve([status, body]));
    walk.heard(...(await promise));
    record(began, performance.now());
    exchange.close();
  }
}
