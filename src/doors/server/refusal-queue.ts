// Refuses in a bounded share of the time. Otherwise callers that retry at once would keep the server busy with refusing: they get
// their refusals later, and cannot retry in the meantime.
import type { Pressure } from './pressure.ts';

const EVERY_MS = 20;
/** Shares of the time: while requests need all of it, and otherwise. */
const SATURATED = 0.04;
const USUAL = 0.25;
/** About how long a refusal may wait, however many there are: usually, and for a caller that returned earlier than it was told. */
const FIRST_MS = 4000;
const EARLY_MS = 9000;

type Send = () => void;

export class RefusalQueue {
  readonly #pressure: Pick<Pressure, 'isSaturated' | 'refusalMs'>;
  readonly #now: () => number;
  readonly #first: Send[] = [];
  readonly #early: Send[] = [];
  /** Time for refusing until the next step. */
  #leftMs = 0;
  #steppedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pressure: Pick<Pressure, 'isSaturated' | 'refusalMs'>, now = () => performance.now()) {
    this.#pressure = pressure;
    this.#now = now;
  }

  /** Sends the refusal now if there is time and none is waiting, else later. */
  refuse(send: Send, isEarly: boolean): void {
    this.#start();
    if (this.#leftMs > 0 && this.#first.length + this.#early.length === 0) this.#send(send);
    else (isEarly ? this.#early : this.#first).push(send);
  }

  #start(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.#step(), EVERY_MS).unref();
    this.#steppedAt = this.#now();
    this.#allot(EVERY_MS);
  }

  #step(): void {
    const now = this.#now();
    const passedMs = now - this.#steppedAt;
    this.#steppedAt = now;
    this.#allot(passedMs);
    const allotted = this.#leftMs;
    this.#sendSome(this.#first, passedMs / FIRST_MS);
    this.#sendSome(this.#early, passedMs / EARLY_MS);
    if (this.#leftMs < allotted) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #allot(passedMs: number): void {
    this.#leftMs = passedMs * (this.#pressure.isSaturated ? SATURATED : USUAL);
  }

  /** As many as there is time for, and at least this part of them. */
  #sendSome(waiting: Send[], part: number): void {
    const inTime = Math.ceil(this.#leftMs / this.#pressure.refusalMs);
    for (const send of waiting.splice(0, Math.max(inTime, Math.ceil(waiting.length * part)))) this.#send(send);
  }

  #send(send: Send): void {
    this.#leftMs -= this.#pressure.refusalMs;
    send();
  }
}
