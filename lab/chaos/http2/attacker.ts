// Carries out attacks on a thread of its own, so that they do not slow down the callers of the drill.
import { parentPort, workerData } from 'node:worker_threads';
import type { Reach } from '../../../test/e2e/caller.ts';
import { FRAME } from '../../../test/e2e/http2-frames.ts';
import { RawHttp2 } from '../../../test/e2e/raw-http2.ts';
import { ATTACKS, type Attack } from './attacks.ts';

const BEAT_MS = 200;

export interface Orders {
  readonly reach: Reach;
  readonly connections: number;
  readonly addresses: readonly string[];
}

/** Names an attack to begin; undefined ends the current one. */
export type Order = { readonly attack: string | undefined };

export interface Outcome {
  readonly opened: number;
  /** Connections that the service has ended. */
  readonly closed: number;
  /** GOAWAY frames by error code, as `code × count`. */
  readonly goAways: string;
  readonly resets: number;
  readonly floods: number;
}

export class Attacker {
  readonly #orders: Orders;
  #sessions: RawHttp2[] = [];
  #beat: NodeJS.Timeout | undefined;
  #floods = 0;

  constructor(orders: Orders) {
    this.#orders = orders;
  }

  /** Whether the service has closed all connections. */
  get isOver(): boolean {
    return this.#sessions.every(({ isOver }) => isOver);
  }

  async begin(attack: Attack): Promise<void> {
    const { reach, connections, addresses } = this.#orders;
    const opened = await Promise.allSettled(
      Array.from({ length: connections }, (_, n) =>
        RawHttp2.open(reach, { ...attack.connection, localAddress: addresses[n % addresses.length] ?? '' }),
      ),
    );
    this.#sessions = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const session of this.#sessions) this.#strike(session, attack);
    const { beat } = attack;
    if (beat) this.#beat = setInterval(() => this.#sendAll(beat), BEAT_MS);
  }

  end(): Outcome {
    clearInterval(this.#beat);
    const sessions = this.#sessions;
    this.#sessions = [];
    for (const session of sessions) session.close();
    const codes = Map.groupBy(sessions, ({ goAway }) => goAway);
    codes.delete(undefined);
    const outcome = {
      opened: sessions.length,
      closed: sessions.filter(({ isOver }) => isOver).length,
      goAways: [...codes].map(([code, { length }]) => `${code} × ${length}`).join(', '),
      resets: sessions.reduce((sum, { received }) => sum + (received.get(FRAME.resetStream) ?? 0), 0),
      floods: this.#floods,
    };
    this.#floods = 0;
    return outcome;
  }

  #strike(session: RawHttp2, { opening, flood }: Attack): void {
    const next = () => session.nextStream();
    if (opening) session.send(opening(next));
    if (flood) this.#flood(session, () => flood(next));
  }

  #flood(session: RawHttp2, make: () => Buffer): void {
    if (session.isOver || !this.#sessions.includes(session)) return;
    this.#floods += 1;
    const isTaken = session.send(make());
    if (isTaken) setImmediate(() => this.#flood(session, make));
    else session.socket.once('drain', () => this.#flood(session, make));
  }

  #sendAll(make: (next: () => number) => Buffer): void {
    for (const session of this.#sessions) session.send(make(() => session.nextStream()));
  }
}

const attacker = new Attacker(workerData as Orders);
parentPort?.on('message', ({ attack }: Order) => {
  if (attack === undefined) parentPort?.postMessage(attacker.end());
  else void attacker.begin(ATTACKS[attack] as Attack).then(() => parentPort?.postMessage('begun'));
});
