// How many requests an HTTP/2 connection may have at a time (RFC 9113 5.1.2); its caller keeps further ones until then, which costs the
// server nothing. Twice as many if it uses all of them and there is time, half as many after a refusal for overload.
import type { ServerHttp2Session } from 'node:http2';

/** Until the caller has shown an authentic token, and at most after that. Fewer at first would reset what clients send at once. */
export const STREAMS_OF_STRANGERS = 16;
const STREAMS = 100;
const LEAST = 2;
/** Time between two changes, in which the first has its effect. */
const PAUSE_MS = 100;

type Settable = Pick<ServerHttp2Session, 'closed' | 'destroyed' | 'pendingSettingsAck' | 'settings'>;

export class ConcurrentStreams {
  readonly #session: Settable;
  readonly #now: () => number;
  #most = STREAMS_OF_STRANGERS;
  #limit = STREAMS_OF_STRANGERS;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(session: Settable, now = () => performance.now()) {
    this.#session = session;
    this.#now = now;
  }

  /** How many the caller may have at most. */
  get most(): number {
    return this.#most;
  }

  trust(): void {
    this.#most = STREAMS;
  }

  /** Whether the caller should have more when there is time. */
  isShort(inUse: number): boolean {
    return this.#limit < STREAMS_OF_STRANGERS || (inUse >= this.#limit && this.#limit < this.#most);
  }

  /** When there is time, and it is short. Returns false if that is not possible yet. */
  raise(): boolean {
    return this.#change(Math.max(STREAMS_OF_STRANGERS, Math.min(this.#most, this.#limit * 2)));
  }

  /** When a request was refused for overload. */
  lower(): void {
    this.#change(Math.max(LEAST, Math.floor(this.#limit / 2)));
  }

  /** Not before the caller has confirmed the last change: Node closes a session with many unconfirmed ones. */
  #change(limit: number): boolean {
    const { closed, destroyed, pendingSettingsAck } = this.#session;
    if (limit === this.#limit || closed || destroyed) return true;
    if (pendingSettingsAck || this.#now() - this.#changedAt < PAUSE_MS) return false;
    this.#limit = limit;
    this.#changedAt = this.#now();
    this.#session.settings({ maxConcurrentStreams: limit });
    return true;
  }
}
