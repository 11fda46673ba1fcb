// Sends the requests of a crowd or a load. Every request is sent once: nothing is retried.
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { CERTIFICATE, CLIENT, DEVICE, type Pair, SCOPE, TOKEN, VERIFY } from '../../../test/e2e/steps.ts';
import { quantileOfSorted } from '../../quantiles.ts';
import { residentMiB } from '../siege.ts';
import type { CrowdCaller, Load, Order, Step, Tally, Target } from './generator.ts';
import { type Ask, type Line, SocketLine } from './line.ts';
import { type Observer, runLoad } from './load.ts';
import { streamLines } from './stream-line.ts';

/** After the last request was due. */
const PATIENCE_MS = 20_000;
const SAMPLE_MS = 50;
const CONNECTING_AT_A_TIME = 8;
const REFUSALS = [429, 503];

const post = (path: string, body: object): Ask => ({ path, body: JSON.stringify(body) });
const ASKS: Readonly<Record<Step, (pair: Pair) => Ask>> = {
  grant: () => post(CERTIFICATE, { client_id: CLIENT, scope: SCOPE }),
  verify: ({ access_token: token }) => ({ path: VERIFY, token }),
  refresh: ({ refresh_token }) => post(TOKEN, { client_id: CLIENT, refresh_token }),
  device: () => post(DEVICE, { client_id: CLIENT, scope: 'orders:read' }),
};

class Counter implements Observer {
  #sent = 0;
  #withoutRetryAfter = 0;
  readonly #answers: Record<number, number> = {};
  readonly #took: number[] = [];

  sent(): void {
    this.#sent += 1;
  }

  heard(status: number, milliseconds: number, retryAfter: string | undefined): void {
    this.#answers[status] = (this.#answers[status] ?? 0) + 1;
    if (REFUSALS.includes(status) && !retryAfter) this.#withoutRetryAfter += 1;
    if (status > 0) this.#took.push(milliseconds);
  }

  get unanswered(): number {
    return this.#sent - Object.values(this.#answers).reduce((sum, count) => sum + count, 0);
  }

  tally(): Tally {
    const sorted = this.#took.toSorted((a, b) => a - b);
    const at = (part: number) => quantileOfSorted(sorted, part) || 0;
    return {
      ...{ wanted: this.#sent, sent: this.#sent, unanswered: this.unanswered, answers: this.#answers },
      ...{ p50: at(0.5), p99: at(0.99), slowest: at(1), perSecond: 0, sentPerSecond: 0, memoryMiB: 0 },
      withoutRetryAfter: this.#withoutRetryAfter,
    };
  }
}

async function runCrowd(crowd: readonly CrowdCaller[], { port, ca, pid }: Target): Promise<Tally> {
  const counter = new Counter();
  const anonymous = createSecureContext({ ca });
  const lines = crowd.map(({ from, certificate }) => {
    const secure = certificate ? createSecureContext({ ca, ...certificate }) : anonymous;
    return new SocketLine({ port, secure, from });
  });
  let left = crowd.length;
  const leave = () => {
    left -= 1;
  };
  for (const [n, { atMs, steps, pair }] of crowd.entries())
    setTimeout(() => walk(lines[n] as Line, steps, pair, counter, leave), atMs);
  const end = performance.now() + Math.max(...crowd.map(({ atMs }) => atMs)) + PATIENCE_MS;
  let memoryMiB = 0;
  for (; left > 0 && performance.now() < end; await pause(SAMPLE_MS)) memoryMiB = Math.max(memoryMiB, memoryOf(pid));
  for (const line of lines) line.close();
  return { ...counter.tally(), memoryMiB };
}

/** One step after the other; ends at the first that is not accepted. */
function walk(
  line: Line,
  [step, ...others]: readonly Step[],
  pair: Pair | undefined,
  counter: Counter,
  leave: () => void,
): void {
  if (!step) {
    line.close();
    leave();
    return;
  }
  counter.sent();
  const began = performance.now();
  line.ask(ASKS[step](pair as Pair), (status, body, retryAfter) => {
    counter.heard(status, performance.now() - began, retryAfter);
    const isAccepted = status === 200;
    const next = isAccepted && step !== 'verify' ? (JSON.parse(body) as Pair) : pair;
    walk(line, isAccepted ? others : [], next, counter, leave);
  });
}

async function runLoads(load: Load, target: Target): Promise<Tally[]> {
  const { demands, tokens, lastsMs, isConnected, step = 'verify' } = load;
  const callers = linesOf(load, target).map((line, n) => {
    const request = ASKS[step]({ access_token: tokens[n % tokens.length] } as Pair);
    return { line, walk: { next: () => request, accepted: () => undefined } };
  });
  for (let n = 0; isConnected && n < callers.length; n += CONNECTING_AT_A_TIME) {
    const some = callers.slice(n, n + CONNECTING_AT_A_TIME);
    await Promise.all(some.map((each) => new Promise<void>((done) => each.line.ask(each.walk.next(), () => done()))));
  }
  const service = { memoryMiB: () => memoryOf(target.pid), cpuMs: () => 0 };
  const tallies: Tally[] = [];
  for (const asked of demands) {
    const observer = new Counter();
    const demand = 'timesPeak' in asked ? { perSecond: asked.timesPeak * (tallies[0]?.perSecond ?? 0) } : asked;
    const run = await runLoad(callers, { demand, warmUpMs: lastsMs / 3, milliseconds: lastsMs, service, observer });
    for (const end = performance.now() + PATIENCE_MS; observer.unanswered > 0 && performance.now() < end; )
      await pause(SAMPLE_MS);
    // NaN, if none was accepted in time, does not pass between processes.
    const tally = { ...observer.tally(), p50: run.p50 || 0, p99: run.p99 || 0, memoryMiB: run.memoryMiB };
    const [perSecond, sentPerSecond] = [run.accepted / run.seconds, run.sent / run.seconds];
    tallies.push({ ...tally, perSecond, sentPerSecond, wanted: tally.sent + run.wanted - run.sent });
  }
  for (const { line } of callers) line.close();
  return tallies;
}

function linesOf({ connections, from, streams, cancelEvery, certificate }: Load, { port, ca }: Target): Line[] {
  const secure = createSecureContext({ ca, ...certificate });
  return Array.from({ length: connections }, (_, n) => {
    const place = { port, secure, from: from[n % from.length] as string };
    return streams ? streamLines(place, streams, cancelEvery) : [new SocketLine(place)];
  }).flat();
}

/** 0 after its end. */
function memoryOf(pid: number): number {
  try {
    return residentMiB({ child: { pid } });
  } catch {
    return 0;
  }
}

const carryOut = async (order: Order, target: Target): Promise<Tally[]> =>
  'crowd' in order ? [await runCrowd(order.crowd, target)] : runLoads(order.load, target);

process.on('message', ({ target, order }: { target: Target; order: Order }) => {
  void carryOut(order, target).then((tallies) => process.send?.(tallies));
});
process.on('disconnect', () => process.exit());
