// The requests in progress, and the slots that they hold: from the moment their body is complete until their answer is ready to be sent.
// So slow bodies and slow readers hold none.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerReason } from '../doors/http/transport-refusal.ts';
import type { Connections } from './connections.ts';
import { type Connection, InProgress, type Whose } from './in-progress.ts';
import { type Limits, MONITORING, UNSENT } from './limits.ts';
import { type Origin, Shares } from './shares.ts';

export interface Census {
  /** Slots. */
  readonly held: number;
  /** Held by a request whose connection is open, or about to close. */
  readonly living: number;
  /** Held by nobody: more than 0 is a defect. */
  readonly orphaned: number;
}

export class Slots {
  readonly #connections: Connections;
  readonly #limits: Limits;
  readonly #shares: Shares;
  readonly #streamShares: Shares;
  /** Requests whose answer is ready but not sent, the oldest first. */
  readonly #unsent = new Set<InProgress>();
  #held = 0;
  #monitoring = 0;
  #streams = 0;
  readonly #streamsOf = new Map<string, number>();
  #isEnding = false;
  /** Called when a slot is free. */
  onFree: () => void = () => undefined;

  constructor(connections: Connections, limits: Limits) {
    const { inFlight, streams, addressShare, networkShare } = limits;
    this.#connections = connections;
    this.#limits = limits;
    this.#shares = new Shares(inFlight, addressShare, networkShare);
    this.#streamShares = new Shares(streams, addressShare, networkShare);
    connections.onClosed = (connection) => {
      for (const request of [...connection.requests]) this.end(request);
    };
  }

  /** The server stops. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  follow(raw: IncomingMessage, response: ServerResponse, whose: Whose): InProgress {
    const request = new InProgress(this, raw, response, whose);
    whose.connection.requests.push(request);
    this.#connections.begin(request);
    response.on('close', () => this.end(request));
    return request;
  }

  get free(): number {
    return this.#limits.inFlight - this.#held;
  }

  /** Why a request cannot have a slot now. */
  whyNot({ isMonitoring, origin, connection }: InProgress): ServerReason | undefined {
    if (isMonitoring && this.#monitoring < MONITORING) return undefined;
    if (this.#held >= this.#limits.inFlight) return 'overloaded';
    return isLimited(origin, connection) && this.#shares.isFull(origin) ? 'rate-limited' : undefined;
  }

  take(request: InProgress): ServerReason | undefined {
    const reason = this.whyNot(request);
    if (reason || request.holds !== 'nothing') return reason;
    request.holds = request.isMonitoring && this.#monitoring < MONITORING ? 'a monitoring slot' : 'a slot';
    this.#count(request, 1);
    return undefined;
  }

  /** Its answer is ready. A caller that does not read it holds no slot, but memory. */
  release(request: InProgress): void {
    if (request.holds === 'nothing any more') return;
    const isSlotFree = request.holds === 'a slot';
    this.#count(request, -1);
    request.holds = 'nothing any more';
    request.answeredAt = performance.now();
    this.#unsent.add(request);
    if (this.#unsent.size > UNSENT.answers) this.#closeOldestUnsent(request.answeredAt);
    if (isSlotFree) this.onFree();
  }

  #closeOldestUnsent(now: number): void {
    const [oldest] = this.#unsent;
    if (oldest && now - (oldest.answeredAt ?? now) >= UNSENT.ms) oldest.connection.socket.destroy();
  }

  /** A response that stays open without work, such as an event stream, is counted apart. `end` ends it when the server stops. */
  keepStreaming(request: InProgress, end: () => void, follower: string): ServerReason | undefined {
    const { origin, connection } = request;
    if (this.#streams >= this.#limits.streams) return 'overloaded';
    if (isLimited(origin, connection) && this.#streamShares.isFull(origin)) return 'rate-limited';
    if ((this.#streamsOf.get(follower) ?? 0) >= this.#limits.streamsOfOne()) return 'rate-limited';
    request.endStream = end;
    request.follower = follower;
    if (request.holds !== 'nothing any more') {
      this.#count(request, -1);
      request.holds = 'a stream';
      this.#count(request, 1);
      this.onFree();
    }
    if (this.#isEnding) end();
    return undefined;
  }

  /** Ends event streams, and those that begin from now on. */
  endStreams(): void {
    this.#isEnding = true;
    for (const { requests } of this.#connections.all()) for (const { endStream } of [...requests]) endStream?.();
  }

  census(): Census {
    let living = 0;
    for (const { requests } of this.#connections.all())
      for (const { holds } of requests) if (holds === 'a slot') living += 1;
    return { held: this.#held, living, orphaned: this.#held - living };
  }

  /** Called when its answer is sent, and when its connection closes. */
  end(request: InProgress): void {
    const { requests } = request.connection;
    const at = requests.indexOf(request);
    if (at < 0) return;
    requests.splice(at, 1);
    this.release(request);
    this.#unsent.delete(request);
    const milliseconds = Math.round((performance.now() - request.since) * 1000) / 1000;
    request.onEnd?.({ answered: request.isAnswered, milliseconds });
    this.#connections.end(request);
  }

  #count({ holds, origin, follower }: InProgress, by: 1 | -1): void {
    if (holds === 'a monitoring slot') this.#monitoring += by;
    const shares = holds === 'a slot' ? this.#shares : holds === 'a stream' ? this.#streamShares : undefined;
    if (by === 1) shares?.take(origin);
    else shares?.release(origin);
    if (holds === 'a slot') this.#held += by;
    if (holds !== 'a stream') return;
    this.#streams += by;
    const left = (this.#streamsOf.get(follower) ?? 0) + by;
    if (left > 0) this.#streamsOf.set(follower, left);
    else this.#streamsOf.delete(follower);
  }
}

/** Requests of a proxy count for the address that it forwards; without one they count for nobody. */
function isLimited(origin: Origin, connection: Connection): boolean {
  return !connection.isProxy || origin !== connection.origin;
}
