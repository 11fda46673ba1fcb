// Sends the requests of a crowd or a load. Every request is sent once: nothing is retried.
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { CERTIFICATE, CLIENT, DEVICE, type Pair, SCOPE, TOKEN, VERIFY } from '../../../test/e2e/steps.ts';
import { quantileOfSorted } from '../../quantiles.ts';
import { type Ask, type Heard, type Line, SocketLine } from '../overload/line.ts';
import { runLoad } from '../overload/load.ts';
import { streamLines } from '../overload/stream-line.ts';
import { residentMiB } from '../siege.ts';
import type { CrowdCaller, Load, Order, Step, Tally, Target } from './generator.ts';

/** After the last request was due. */
const PATIENCE_MS = 20_000;
const SAMPLE_MS = 100;
const CONNECTING_AT_A_TIME = 8;
const REFUSALS = [429, 503];

const ASKS: Readonly<Record<Step, (pair: Pair) => Ask>> = {
  grant: () => post(CERTIFICATE, { client_id: CLIENT, scope: SCOPE }),
  verify: ({ access_token: token }) => ({ path: VERIFY, token }),
  refresh: ({ refresh_token }) => post(TOKEN, { client_id: CLIENT, refresh_token }),
  device: () => post(DEVICE, { client_id: CLIENT, scope: 'orders:read' }),
};

function post(path: string, body: object): Ask {
  return { path, body: JSON.stringify(body) };
}

class Tallying {
  sent = 0;
  #withoutRetryAfter = 0;
  readonly #answers: Record<number, number> = {};
  readonly #took: number[] = [];

  /** Sends a request and counts its answer. */
  ask(line: Line, request: Ask, heard: Heard): void {
    this.sent += 1;
    const began = performance.now();
    line.ask(request, (status, body, retryAfter) => {
      this.#answers[status] = (this.#answers[status] ?? 0) + 1;
      if (REFUSALS.includes(status) && !retryAfter) this.#withoutRetryAfter += 1;
      if (status > 0) this.#took.push(performance.now() - began);
      heard(status, body, retryAfter);
    });
  }

  get unanswered(): number {
    return this.sent - Object.values(this.#answers).reduce((sum, count) => sum + count, 0);
  }

  tally(): Tally {
    const { sent, unanswered } = this;
    const sorted = this.#took.toSorted((a, b) => a - b);
    const at = (part: number) => quantileOfSorted(sorted, part) || 0;
    const [answers, withoutRetryAfter] = [{ ...this.#answers }, this.#withoutRetryAfter];
    const times = { p50: at(0.5), p99: at(0.99), slowest: at(1), perSecond: 0, memoryMiB: 0 };
    return { wanted: sent, sent, answers, unanswered, withoutRetryAfter, ...times };
  }
}

class CountedLine implements Line {
  readonly #line: Line;
  readonly #by: Tallying;

  constructor(line: Line, by: Tallying) {
    [this.#line, this.#by] = [line, by];
  }

  get isBusy(): boolean {
    return this.#line.isBusy;
  }

  get isHeld(): boolean {
    return this.#line.isHeld;
  }

  ask(request: Ask, heard: Heard): void {
    this.#by.ask(this.#line, request, heard);
  }

  close(): void {
    this.#line.close();
  }
}

async function runCrowd(crowd: readonly CrowdCaller[], { port, ca, pid }: Target): Promise<Tally> {
  const anonymous = createSecureContext({ ca });
  const tallying = new Tallying();
  const callers = crowd.map((caller) => {
    const secure = caller.certificate ? createSecureContext({ ca, ...caller.certificate }) : anonymous;
    return { ...caller, line: new SocketLine({ port, secure, from: caller.from }) };
  });
  const began = performance.now();
  let toGo = callers.length;
  for (const { atMs, line, steps, pair } of callers)
    setTimeout(() => {
      walk(line, steps, pair, tallying, () => {
        toGo -= 1;
      });
    }, atMs);
  const last = Math.max(...crowd.map(({ atMs }) => atMs));
  let memoryMiB = 0;
  while (toGo > 0 && performance.now() - began < last + PATIENCE_MS) {
    memoryMiB = Math.max(memoryMiB, memoryOf(pid));
    await pause(SAMPLE_MS);
  }
  for (const { line } of callers) line.close();
  const tally = tallying.tally();
  const perSecond = ((tally.answers[200] ?? 0) / (performance.now() - began)) * 1000;
  return { ...tally, perSecond, memoryMiB };
}

/** Closes the connection after the last answer. */
function walk(line: Line, [step, ...others]: readonly Step[], pair: Pair | undefined, by: Tallying, done: () => void) {
  if (!step) {
    line.close();
    return done();
  }
  by.ask(line, ASKS[step](pair as Pair), (status, body) => {
    const isAccepted = status === 200;
    const next = isAccepted && step !== 'verify' ? (JSON.parse(body) as Pair) : pair;
    walk(line, isAccepted ? others : [], next, by, done);
  });
}

async function runLoads(load: Load, target: Target): Promise<Tally[]> {
  const { demands, tokens, lastsMs, isConnected } = load;
  const lines = linesOf(load, target);
  const ask = (at: number): Ask => ({ path: VERIFY, token: tokens[at % tokens.length] as string });
  if (isConnected) await connectAll(lines, ask(0));
  const service = { memoryMiB: () => memoryOf(target.pid), cpuMs: () => 0 };
  const tallies: Tally[] = [];
  for (const asked of demands) {
    const tallying = new Tallying();
    const callers = lines.map((line, n) => {
      const walk = { next: () => ask(n), accepted: () => undefined };
      return { line: new CountedLine(line, tallying), walk };
    });
    const demand = 'timesPeak' in asked ? { perSecond: asked.timesPeak * (tallies[0]?.perSecond ?? 0) } : asked;
    const report = await runLoad(callers, { demand, warmUpMs: lastsMs / 3, milliseconds: lastsMs, service });
    const end = performance.now() + PATIENCE_MS;
    while (tallying.unanswered > 0 && performance.now() < end) await pause(SAMPLE_MS);
    const { p50, p99, memoryMiB, accepted, seconds, wanted, sent } = report;
    const tally = tallying.tally();
    tallies.push({ ...tally, wanted: tally.sent + wanted - sent, p50, p99, memoryMiB, perSecond: accepted / seconds });
  }
  for (const line of lines) line.close();
  return tallies;
}

function linesOf({ connections, from, streams, cancelEvery }: Load, { port, ca }: Target): Line[] {
  const secure = createSecureContext({ ca });
  return Array.from({ length: connections }, (_, n) => {
    const place = { port, secure, from: from[n % from.length] as string };
    return streams ? streamLines(place, streams, cancelEvery) : [new SocketLine(place)];
  }).flat();
}

async function connectAll(lines: readonly Line[], request: Ask): Promise<void> {
  for (let n = 0; n < lines.length; n += CONNECTING_AT_A_TIME)
    await Promise.all(
      lines
        .slice(n, n + CONNECTING_AT_A_TIME)
        .map((line) => new Promise<void>((resolve) => line.ask(request, () => resolve()))),
    );
}

/** 0 after its end. */
function memoryOf(pid: number): number {
  try {
    return residentMiB({ child: { pid } });
  } catch {
    return 0;
  }
}

process.on('message', async ({ target, order }: { target: Target; order: Order }) => {
  const tallies = 'crowd' in order ? [await runCrowd(order.crowd, target)] : await runLoads(order.load, target);
  process.send?.(tallies);
});
process.on('disconnect', () => process.exit());
