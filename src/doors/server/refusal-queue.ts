// Refuses in a bounded share of the time. Otherwise callers that retry at once would keep the server busy with refusing: they get
// their refusals later, and cannot retry in the meantime.
import type { Pressure } from './pressure.ts';

const EVERY_MS = 20;
/** Shares of the time: while requests need all of it, and otherwise. */
const SATURATED = 0.04;
const USUAL = 0.25;
/** How long a refusal may wait, however many there are: usually, and for a caller that returned earlier than it was told. */
const FIRST_MS = 4000;
const EARLY_MS = 9000;

type Send = () => void;

export class RefusalQueue {
  readonly #pressure: Pick<Pressure, 'arrive' | 'isSaturated' | 'refusalMs'>;
  readonly #now: () => number;
  readonly #first = new Line(FIRST_MS);
  readonly #early = new Line(EARLY_MS);
  /** Time for refusing until the next step. */
  #leftMs = 0;
  #steppedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pressure: Pick<Pressure, 'arrive' | 'isSaturated' | 'refusalMs'>, now = () => performance.now()) {
    this.#pressure = pressure;
    this.#now = now;
  }

  /** Sends the refusal now if there is time and none is waiting, else later. */
  refuse(send: Send, isEarly: boolean): void {
    this.#start();
    if (this.#leftMs > 0 && this.#waiting === 0) this.#send(send);
    else (isEarly ? this.#early : this.#first).add(send);
  }

  /** Its caller has gone. */
  forget(send: Send): void {
    this.#first.remove(send);
    this.#early.remove(send);
  }

  get #waiting(): number {
    return this.#first.length + this.#early.length;
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
    this.#pressure.arrive(); // updates its figures
    this.#allot(passedMs);
    const sent = this.#sendSome(this.#first, passedMs) + this.#sendSome(this.#early, passedMs);
    if (sent > 0 || this.#waiting > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #allot(passedMs: number): void {
    this.#leftMs = passedMs * (this.#pressure.isSaturated ? SATURATED : USUAL);
  }

  /** As many as there is time for, and at least as many as have to be sent in time. Returns how many. */
  #sendSome(line: Line, passedMs: number): number {
    const inTime = Math.ceil(this.#leftMs / this.#pressure.refusalMs);
    const sent = line.take(Math.max(inTime, line.due(passedMs)));
    for (const send of sent) this.#send(send);
    return sent.length;
  }

  #send(send: Send): void {
    this.#leftMs -= this.#pressure.refusalMs;
    send();
  }
}

/** Refusals that wait, in the order of arrival. */
class Line {
  readonly #withinMs: number;
  readonly #waiting = new Set<Send>();
  /** Since it was last empty. */
  #longest = 0;

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  get length(): number {
    return this.#waiting.size;
  }

  add(send: Send): void {
    this.#waiting.add(send);
    this.#longest = Math.max(this.#longest, this.length);
  }

  remove(send: Send): void {
    this.#waiting.delete(send);
    if (this.length === 0) this.#longest = 0;
  }

  /** How many to send in this time: with this pace, nobody waits for too long. */
  due(milliseconds: number): number {
    return Math.ceil((this.#longest * milliseconds) / this.#withinMs);
  }

  take(count: number): Send[] {
    const taken: Send[] = [];
    for (const send of this.#waiting) {
      if (taken.length >= count) break;
      this.remove(send);
      taken.push(send);
    }
    return taken;
  }
}
