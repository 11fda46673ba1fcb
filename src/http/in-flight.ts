import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Server, Socket } from 'node:net';

export interface Departure {
  /** False where the caller went away before the answer had gone out. */
  readonly answered: boolean;
  readonly milliseconds: number;
}

/** Which requests are under way, and how they are brought to an end when the service stops. */
export class InFlight {
  #count = 0;
  #draining = false;
  readonly #sockets = new Set<Socket>();

  get count(): number {
    return this.#count;
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  /** Counts until the response is closed, which happens to every one: a caller that hangs up holds no place. */
  enter(response: ServerResponse, leave: (departure: Departure) => void): void {
    const started = performance.now();
    this.#count += 1;
    response.on('close', () => {
      this.#count -= 1;
      const milliseconds = Math.round((performance.now() - started) * 1000) / 1000;
      leave({ answered: isAnswered(response), milliseconds });
    });
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Whoever has not come to an end by then is cut off: a caller that stays connected may not hold up the stop for ever. */
  drain(timeoutMs: number): void {
    this.#draining = true;
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, timeoutMs);
    timer.unref();
  }
}

/** A response over HTTP/2 calls itself finished even where it was cut off; its stream knows better. */
function isAnswered(response: ServerResponse): boolean {
  const { stream } = response as { stream?: ServerHttp2Stream };
  return stream ? !stream.aborted : response.writableFinished;
}
