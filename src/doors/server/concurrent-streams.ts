// How many requests an HTTP/2 connection may have at a time (RFC 9113 5.1.2); its caller keeps further ones until then, which costs the
// server nothing. Twice as many if it uses all of them and there is time, half as many after a refusal for overload.
import type { ServerHttp2Session } from 'node:http2';

/** At first, at most until the caller has shown an authentic token, and after that. */
export const STREAMS_AT_FIRST = 16;
const STREAMS_OF_STRANGERS = 16;
const STREAMS = 100;
const LEAST = 2;
/** Time between two changes, in which the first has its effect. */
const PAUSE_MS = 100;

type Settable = Pick<ServerHttp2Session, 'closed' | 'destroyed' | 'pendingSettingsAck' | 'settings'>;

export class ConcurrentStreams {
  readonly #session: Settable;
  readonly #now: () => number;
  #most = STREAMS_OF_STRANGERS;
  #limit = STREAMS_AT_FIRST;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(session: Settable, now = () => performance.now()) {
    this.#session = session;
    this.#now = now;
  }

  trust(): void {
    this.#most = STREAMS;
  }

  raise(inUse: number): void {
    if (inUse >= this.#limit) this.#change(Math.min(this.#most, this.#limit * 2));
  }

  lower(): void {
    this.#change(Math.max(LEAST, Math.floor(this.#limit / 2)));
  }

  /** Returns whether the caller may have as many as at first. */
  restore(): boolean {
    if (this.#limit < STREAMS_AT_FIRST) this.#change(STREAMS_AT_FIRST);
    return this.#limit >= STREAMS_AT_FIRST;
  }

  /** Not before the caller has confirmed the last change: Node closes a session with many unconfirmed ones. */
  #change(limit: number): void {
    const { closed, destroyed, pendingSettingsAck } = this.#session;
    if (limit === this.#limit || closed || destroyed || pendingSettingsAck) return;
    if (this.#now() - this.#changedAt < PAUSE_MS) return;
    this.#limit = limit;
    this.#changedAt = this.#now();
    this.#session.settings({ maxConcurrentStreams: limit });
  }
}
