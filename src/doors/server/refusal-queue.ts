// Sends refusals at a bounded rate. Otherwise callers that retry at once would keep the server busy with refusing: they get
// their refusals a little later, and cannot retry in the meantime.
import type { ServerResponse } from 'node:http';
import { type PreparedRefusal, sendRefusal } from './prepared-refusal.ts';

const EVERY_MS = 20;
/** 500 a second. */
const PER_STEP = 10;
/** No refusal waits longer than this many steps. */
const MOST_STEPS = 100;

interface Waiting {
  readonly response: ServerResponse;
  readonly refusal: PreparedRefusal;
}

export class RefusalQueue {
  #waiting: Waiting[] = [];
  #sentInStep = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Sends the refusal now if few are waiting, else later. */
  refuse(response: ServerResponse, refusal: PreparedRefusal): void {
    this.#timer ??= setInterval(() => this.#step(), EVERY_MS).unref();
    if (this.#sentInStep < PER_STEP && this.#waiting.length === 0) this.#send({ response, refusal });
    else this.#waiting.push({ response, refusal });
  }

  #step(): void {
    this.#sentInStep = 0;
    const due = this.#waiting.splice(0, Math.max(PER_STEP, Math.ceil(this.#waiting.length / MOST_STEPS)));
    for (const waiting of due) this.#send(waiting);
    if (due.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #send({ response, refusal }: Waiting): void {
    this.#sentInStep += 1;
    if (!response.destroyed) sendRefusal(response, refusal);
  }
}
