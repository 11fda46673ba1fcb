// Callers that together send requests: so many a second whatever the answers, or so many at a time.
import { setTimeout as pause } from 'node:timers/promises';
import { type Ask, CLOSED, type Line } from './line.ts';

/** The repeated requests of one caller; a refused request is retried. */
export interface Walk {
  next(): Ask;
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
}

/** With `inFlight`, every answer is followed by a request of another caller. */
export type Demand = { readonly perSecond: number } | { readonly inFlight: number };

export interface LoadOptions {
  readonly demand: Demand;
  readonly warmUpMs: number;
  readonly milliseconds: number;
  /** Resources used by the service. */
  readonly service: { readonly memoryMiB: () => number; readonly cpuMs: () => number };
  /** Sees every request, also during the warm-up. */
  readonly observer?: Observer;
}

export interface Observer {
  sent(): void;
  heard(status: number, milliseconds: number, retryAfter: string | undefined): void;
}

const TICK_MS = 5;
const REFUSALS = [429, 503];

export async function runLoad(callers: readonly Caller[], options: LoadOptions): Promise<LoadReport> {
  const { perSecond, inFlight } = { perSecond: 0, inFlight: 0, ...options.demand };
  const begins = performance.now() + options.warmUpMs;
  const ends = begins + options.milliseconds;
  const run = { wanted: 0, sent: 0, accepted: 0, refused: 0, cut: 0, memoryMiB: 0 };
  const latencies: number[] = [];
  const surprises = new Map<number, number>();
  const counts = (moment: number) => moment >= begins && moment < ends;
  let next = 0;
  const freeCaller = () => {
    for (let tries = 0; tries < callers.length; tries++) {
      const caller = callers[next++ % callers.length];
      if (caller && !caller.line.isBusy && !caller.line.isHeld) return caller;
    }
    return undefined;
  };
  /** Returns whether a caller could. */
  const ask = () => {
    const caller = freeCaller();
    if (!caller) return false;
    const began = performance.now();
    if (counts(began)) run.sent += 1;
    options.observer?.sent();
    caller.line.ask(caller.walk.next(), (status, body, retryAfter) => {
      const now = performance.now();
      options.observer?.heard(status, now - began, retryAfter);
      if (status === 200) caller.walk.accepted(body);
      if (counts(now)) record(status, now - began);
      if (inFlight > 0 && now < ends) ask();
    });
    return true;
  };
  const record = (status: number, ms: number) => {
    if (status === 200) {
      run.accepted += 1;
      latencies.push(ms);
    } else if (REFUSALS.includes(status)) run.refused += 1;
    else if (status <= CLOSED) run.cut += 1;
    else surprises.set(status, (surprises.get(status) ?? 0) + 1);
  };
  for (let n = 0; n < inFlight; n++) ask();
  let last = performance.now();
  const cpu = { began: last, ms: options.service.cpuMs() };
  for (let due = 0; performance.now() < ends; await pause(TICK_MS)) {
    const now = performance.now();
    run.memoryMiB = Math.max(run.memoryMiB, options.service.memoryMiB());
    due += ((now - last) / 1000) * perSecond;
    last = now;
    if (counts(now)) run.wanted += Math.floor(due);
    while (due >= 1 && ask()) due -= 1;
    due %= 1;
  }
  const cpuShare = (options.service.cpuMs() - cpu.ms) / (performance.now() - cpu.began);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    ...run,
    wanted: perSecond > 0 ? run.wanted : run.sent,
    surprises,
    cpu: cpuShare,
    seconds: options.milliseconds / 1000,
    p50: at(0.5),
    p99: at(0.99),
  };
}
