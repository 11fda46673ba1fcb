// Callers that together send a given number of requests a second, whatever the answers.
import { setTimeout as pause } from 'node:timers/promises';
import type { Line } from './line.ts';
import { watchStolen } from './stolen.ts';

/** The repeated requests of one caller; a refused request is retried. */
export interface Walk {
  next(): string;
  accepted(body: string): void;
}

export interface Caller {
  readonly line: Line;
  readonly walk: Walk;
}

export interface LoadReport {
  readonly seconds: number;
  /** Requests due, and requests sent: each caller sends one at a time. */
  readonly wanted: number;
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
  /** Connections closed without an answer. */
  readonly cut: number;
  /** Any other status, by count. */
  readonly surprises: ReadonlyMap<number, number>;
  /** Milliseconds, of accepted requests. */
  readonly p50: number;
  readonly p99: number;
  readonly memoryMiB: number;
  /** Cores used by the service. */
  readonly cpu: number;
  /** Share of the machine's time. */
  readonly stolen: number;
}

export interface LoadOptions {
  /** Undefined: each caller sends its next request after each answer. */
  readonly perSecond?: number | undefined;
  readonly warmUpMs: number;
  readonly milliseconds: number;
  /** Resources used by the service. */
  readonly service: { readonly memoryMiB: () => number; readonly cpuMs: () => number };
}

const TICK_MS = 5;
const REFUSALS = [429, 503];

export async function runLoad(callers: readonly Caller[], options: LoadOptions): Promise<LoadReport> {
  const begins = performance.now() + options.warmUpMs;
  const ends = begins + options.milliseconds;
  const run = { wanted: 0, sent: 0, accepted: 0, refused: 0, cut: 0, memoryMiB: 0 };
  const latencies: number[] = [];
  const surprises = new Map<number, number>();
  const counts = (moment: number) => moment >= begins && moment < ends;
  let next = 0;
  const ask = (caller: Caller) => {
    const began = performance.now();
    if (counts(began)) run.sent += 1;
    caller.line.ask(caller.walk.next(), (status, body) => {
      const now = performance.now();
      if (status === 200) caller.walk.accepted(body);
      if (counts(now)) record(status, now - began);
      if (options.perSecond === undefined && now < ends) ask(caller);
    });
  };
  const record = (status: number, ms: number) => {
    if (status === 200) {
      run.accepted += 1;
      latencies.push(ms);
    } else if (REFUSALS.includes(status)) run.refused += 1;
    else if (status === 0) run.cut += 1;
    else surprises.set(status, (surprises.get(status) ?? 0) + 1);
  };
  if (options.perSecond === undefined) for (const caller of callers) ask(caller);
  let last = performance.now();
  const stolen = watchStolen();
  const cpu = { began: last, ms: options.service.cpuMs() };
  for (let due = 0; performance.now() < ends; await pause(TICK_MS)) {
    const now = performance.now();
    run.memoryMiB = Math.max(run.memoryMiB, options.service.memoryMiB());
    due += ((now - last) / 1000) * (options.perSecond ?? 0);
    last = now;
    for (; due >= 1; due--) {
      if (counts(now)) run.wanted += 1;
      const caller = freeCaller();
      if (caller) ask(caller);
    }
  }
  const cpuShare = (options.service.cpuMs() - cpu.ms) / (performance.now() - cpu.began);
  latencies.sort((a, b) => a - b);
  const wanted = options.perSecond === undefined ? run.sent : run.wanted;
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    ...run,
    wanted,
    surprises,
    cpu: cpuShare,
    stolen: stolen(),
    seconds: options.milliseconds / 1000,
    p50: at(0.5),
    p99: at(0.99),
  };

  function freeCaller(): Caller | undefined {
    for (let tries = 0; tries < 50; tries++) {
      const caller = callers[next++ % callers.length];
      if (caller && !caller.line.isBusy) return caller;
    }
    return undefined;
  }
}

export function rateOf({ accepted, seconds }: LoadReport): number {
  return accepted / seconds;
}

/** Waits until every caller has an answer. */
export async function settle(callers: readonly Caller[], milliseconds = 10_000): Promise<void> {
  const end = performance.now() + milliseconds;
  while (callers.some(({ line }) => line.isBusy) && performance.now() < end) await pause(20);
}
