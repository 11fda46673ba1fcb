// The one admission step. A request whose body is complete takes a slot until its answer is ready. Without a free one, it waits, or is refused.
import type { ServerReason } from '../doors/http/transport-refusal.ts';
import type { Connections } from './connections.ts';
import type { InProgress, Wait } from './in-progress.ts';
import { FRONT, type Limits } from './limits.ts';
import { ALL, OF_PROXY, type Origin, Shares, sharesOf } from './shares.ts';

export interface Census {
  readonly held: number;
  /** Held by a request whose connection is open, or about to close. */
  readonly living: number;
  /** Held by nobody: more than 0 is a defect. */
  readonly orphaned: number;
}

export class Admission {
  readonly #connections: Connections;
  readonly #slots: Shares;
  readonly #streams: Shares;
  /** Requests that wait, by what is full: the share of an address or network, or all slots. The newest last. */
  readonly #lines = new Map<string, InProgress[]>();
  isStopping = false;

  constructor(connections: Connections, limits: Limits) {
    this.#connections = connections;
    this.#slots = sharesOf(limits.inFlight, limits);
    this.#streams = new Shares(() => [limits.eventStreams, limits.eventStreamsOfOne()]);
    connections.onEnd = (request) => this.#end(request);
  }

  /** Calls `go` now or when there is a slot, or `refuse` if there is none in time. */
  enter(request: InProgress, go: () => void, refuse: (reason: ServerReason) => void): void {
    if (request.answeredAt !== undefined) return; // its caller went away while its body arrived
    const full = this.#slots.full(request.origin);
    if (full === undefined) {
      this.#take(request);
      go();
      return;
    }
    const timer = setTimeout(() => {
      const reason = request.wait?.line === ALL ? 'overloaded' : 'rate-limited';
      this.#giveUp(request);
      refuse(reason);
    }, FRONT.slots.waitMs);
    request.wait = { line: full, go, timer };
    this.#join(request.wait, request);
  }

  /** Its answer is ready. A caller that does not read it holds no slot. */
  release(request: InProgress): void {
    if (request.answeredAt !== undefined) return;
    request.answeredAt = performance.now();
    this.#connections.awaitReading(request);
    this.#free(request);
  }

  /** A response that stays open without work, such as an event stream, is counted apart. `end` ends it when the server stops. */
  keepStreaming(request: InProgress, end: () => void, follower: string): ServerReason | undefined {
    const full = this.#streams.full([ALL, follower]);
    if (full !== undefined) return full === ALL ? 'overloaded' : 'rate-limited';
    request.endEvents = end;
    if (request.answeredAt === undefined) {
      this.#free(request);
      request.follows = [ALL, follower];
      this.#streams.take(request.follows);
    }
    if (this.isStopping) end();
    return undefined;
  }

  /** Ends event streams, and those that begin from now on. */
  stop(): void {
    this.isStopping = true;
    for (const { requests } of this.#connections.all()) for (const { endEvents } of [...requests]) endEvents?.();
  }

  census(): Census {
    let living = 0;
    for (const { requests } of this.#connections.all()) living += requests.filter(({ hasSlot }) => hasSlot).length;
    const held = this.#slots.total;
    return { held, living, orphaned: held - living };
  }

  /** Its answer is sent, or its connection is closed. */
  #end(request: InProgress): void {
    this.#giveUp(request);
    request.answeredAt ??= performance.now();
    this.#free(request);
    if (request.follows) this.#streams.release(request.follows);
    request.onEnd?.(request.isAnswered, Math.round((performance.now() - request.since) * 1000) / 1000);
  }

  #take(request: InProgress): void {
    request.hasSlot = true;
    this.#slots.take(request.origin);
  }

  #free(request: InProgress): void {
    if (!request.hasSlot) return;
    request.hasSlot = false;
    this.#slots.release(request.origin);
    // Not now: the answer that freed the slot goes first.
    if (this.#lines.size > 0) setImmediate(() => this.#admit(request.origin));
  }

  /** One of each line that the freed slot was counted for, and as many as there are slots. */
  #admit(freed: Origin): void {
    for (const line of freed) if (line !== ALL) this.#admitNewest(line);
    while (this.#lines.has(ALL) && this.#slots.full(OF_PROXY) === undefined) this.#admitNewest(ALL);
  }

  /** The newest: under lasting overload, those that are served are served quickly. What else is full for it has a line, too. */
  #admitNewest(line: string): void {
    const request = this.#lines.get(line)?.at(-1);
    if (!request?.wait) return;
    const full = this.#slots.full(request.origin);
    if (full === line) return;
    if (full !== undefined) {
      this.#leave(request.wait, request);
      request.wait.line = full;
      this.#join(request.wait, request);
      return;
    }
    const { go } = request.wait;
    this.#giveUp(request);
    this.#take(request);
    go();
  }

  #giveUp(request: InProgress): void {
    if (!request.wait) return;
    clearTimeout(request.wait.timer);
    this.#leave(request.wait, request);
    request.wait = undefined;
  }

  #join({ line }: Wait, request: InProgress): void {
    const waiting = this.#lines.get(line) ?? [];
    waiting.push(request);
    this.#lines.set(line, waiting);
  }

  #leave({ line }: Wait, request: InProgress): void {
    const waiting = this.#lines.get(line) as InProgress[];
    waiting.splice(waiting.lastIndexOf(request), 1);
    if (waiting.length === 0) this.#lines.delete(line);
  }
}
