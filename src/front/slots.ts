// The requests in progress, and the slots that they hold: from a complete body to an answer that is ready. Slow bodies and slow readers hold none.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerReason } from '../doors/http/transport-refusal.ts';
import type { Connections } from './connections.ts';
import { InProgress, type Whose } from './in-progress.ts';
import { type Limits, MONITORING, UNSENT } from './limits.ts';
import { Shares } from './shares.ts';

export interface Census {
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
  #isStopping = false;
  onFree: () => void = () => undefined;

  constructor(connections: Connections, limits: Limits) {
    const { inFlight, eventStreams, addressShare, networkShare } = limits;
    this.#connections = connections;
    this.#limits = limits;
    this.#shares = new Shares(inFlight, addressShare, networkShare);
    this.#streamShares = new Shares(eventStreams, addressShare, networkShare);
    connections.onClosed = (connection) => {
      for (const request of [...connection.requests]) this.end(request);
    };
  }

  get isStopping(): boolean {
    return this.#isStopping;
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

  whyNot({ isMonitoring, origin }: InProgress): ServerReason | undefined {
    if (isMonitoring && this.#monitoring < MONITORING) return undefined;
    if (this.#held >= this.#limits.inFlight) return 'overloaded';
    return this.#shares.isFull(origin) ? 'rate-limited' : undefined;
  }

  take(request: InProgress): void {
    if (request.holds !== 'nothing') return;
    request.holds = request.isMonitoring && this.#monitoring < MONITORING ? 'a monitoring slot' : 'a slot';
    this.#count(request, 1);
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
    if (this.#streams >= this.#limits.eventStreams) return 'overloaded';
    if (this.#streamShares.isFull(request.origin)) return 'rate-limited';
    if ((this.#streamsOf.get(follower) ?? 0) >= this.#limits.eventStreamsOfOne()) return 'rate-limited';
    request.endEvents = end;
    request.follower = follower;
    if (request.holds !== 'nothing any more') {
      this.#count(request, -1);
      request.holds = 'an event stream';
      this.#count(request, 1);
      this.onFree();
    }
    if (this.#isStopping) end();
    return undefined;
  }

  /** Ends event streams, and those that begin from now on. */
  endEventStreams(): void {
    this.#isStopping = true;
    for (const { requests } of this.#connections.all()) for (const { endEvents } of [...requests]) endEvents?.();
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
    request.onEnd?.(request.isAnswered, milliseconds);
    this.#connections.end(request);
  }

  #count({ holds, origin, follower }: InProgress, by: 1 | -1): void {
    if (holds === 'a monitoring slot') this.#monitoring += by;
    const shares = holds === 'a slot' ? this.#shares : holds === 'an event stream' ? this.#streamShares : undefined;
    if (by === 1) shares?.take(origin);
    else shares?.release(origin);
    if (holds === 'a slot') this.#held += by;
    if (holds !== 'an event stream') return;
    this.#streams += by;
    const left = (this.#streamsOf.get(follower) ?? 0) + by;
    if (left > 0) this.#streamsOf.set(follower, left);
    else this.#streamsOf.delete(follower);
  }
}
