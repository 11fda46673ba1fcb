// The front without a network: connections, requests, the time and the timers are the test's own.
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { peersOf } from '../../src/doors/caller/connection.ts';
import { NEUTRAL_REPLIES } from '../../src/doors/http/refusal-replies.ts';
import { Connections } from '../../src/front/connections.ts';
import { Gate } from '../../src/front/gate.ts';
import type { InProgress } from '../../src/front/in-progress.ts';
import type { Limits } from '../../src/front/limits.ts';
import { Slots } from '../../src/front/slots.ts';
import { endStalled } from '../../src/front/stalled.ts';
import { LIMITS } from './front.ts';

class StillSocket extends EventEmitter {
  static #ports = 0;
  readonly remotePort = ++StillSocket.#ports;
  readonly localAddress = '127.0.0.1';
  readonly remoteAddress: string | undefined;
  destroyed = false;
  writable = true;
  sent = '';

  /** `from`: empty if the caller is gone already. */
  constructor(from: string) {
    super();
    this.remoteAddress = from || undefined;
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  destroySoon(): void {
    this.destroy();
  }

  resume(): void {}

  /** Its end has not been read yet. */
  end(text: string): void {
    [this.sent, this.writable] = [this.sent + text, false];
  }
}

/** One HTTP/2 request at a time. */
class StillStream extends EventEmitter {
  readonly session: EventEmitter & { readonly socket: StillSocket; closed: boolean; close(): void; destroy(): void };
  readonly endAfterHeaders: boolean;
  readableEnded = false;
  writableFinished = false;
  aborted = false;
  closedWith: number | undefined;

  constructor(server: EventEmitter, socket: StillSocket, endAfterHeaders = true) {
    super();
    this.endAfterHeaders = endAfterHeaders;
    const close = () => {
      this.session.closed = true;
    };
    this.session = Object.assign(new EventEmitter(), { socket, closed: false, close, destroy: () => socket.destroy() });
    server.emit('session', this.session);
  }

  close(code: number): void {
    this.closedWith = code;
  }
}

class StillResponse extends EventEmitter {
  status = 0;
  retryAfter: string | undefined;
  shouldKeepAlive = true;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;

  writeHead(status: number, headers: Readonly<Record<string, string>> = {}): this {
    [this.status, this.retryAfter, this.headersSent] = [status, headers['retry-after'], true];
    return this;
  }

  /** `isRead`: false while the caller does not read. */
  end(isRead = true): void {
    [this.writableEnded, this.writableFinished] = [true, isRead !== false];
    if (this.writableFinished) this.emit('close');
  }
}

interface Asked {
  readonly request: () => InProgress;
  readonly response: StillResponse;
  /** Whether a door has it. */
  readonly isHandled: () => boolean;
}

export function stillFront(t: TestContext, some: Partial<Limits> = {}, proxies: readonly string[] = []) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let now = 5_000;
  // Not with a mock, which keeps every caller in memory.
  Object.defineProperty(performance, 'now', { configurable: true, value: () => now });
  t.after(() => Reflect.deleteProperty(performance, 'now'));
  const [limits, peers, server] = [{ ...LIMITS, ...some }, peersOf(proxies), new EventEmitter()];
  const connections = new Connections(limits, peers);
  const slots = new Slots(connections, limits);
  const [turnedAway, worded]: [string[], string[]] = [[], []];
  const repliesAt = (at: string) => {
    const prepare: typeof NEUTRAL_REPLIES.prepare = (url, reason) => {
      worded.push(at, url);
      return NEUTRAL_REPLIES.prepare(url, reason);
    };
    return { ...NEUTRAL_REPLIES, prepare };
  };
  const gate = new Gate(connections, slots, {
    ...{ peers, isMonitoring: (url) => url === '/healthz', repliesAt },
    onRefused: (reason) => void turnedAway.push(reason),
  });
  connections.guard(server as Server);
  t.after(endStalled(connections, limits));
  const connect = (from = '192.0.2.1'): StillSocket => {
    const socket = new StillSocket(from);
    server.emit('connection', socket);
    return socket;
  };
  /** `more`: of the request. `door`: takes a slot at once if the body is complete, or later, or refuses without one. */
  const ask = (socket = connect(), more: object = {}, door: 'at once' | 'later' | 'refuses' = 'at once'): Asked => {
    const raw = Object.assign(new EventEmitter(), {
      socket,
      url: '/',
      method: 'GET',
      complete: true,
      headers: {},
      ...more,
    });
    const response = new StillResponse();
    let isHandled = false;
    const handle = () => {
      isHandled = true;
      const request = gate.of(response as unknown as ServerResponse);
      if (door === 'refuses') response.end();
      else if (door === 'at once' && raw.complete && request) slots.take(request);
    };
    gate.before(handle)(raw as unknown as IncomingMessage, response as unknown as ServerResponse);
    const request = () =>
      [...connections.all()]
        .flatMap(({ requests }) => requests)
        .find((each) => each.response === (response as never)) as InProgress;
    return { request, response, isHandled: () => isHandled };
  };
  /** Time goes by, and then the event loop comes to what was put off. */
  const pass = async (milliseconds: number) => {
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  };
  const at = (socket: StillSocket) => connections.at(socket as unknown as Socket);
  const stream = (socket = connect(), endAfterHeaders = true) => new StillStream(server, socket, endAfterHeaders);
  return { server, connections, slots, gate, turnedAway, worded, connect, stream, ask, pass, at };
}
