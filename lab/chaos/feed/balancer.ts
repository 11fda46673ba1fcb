// Passes connections on to nodes in turn, and cuts some of them at random.
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Seeded } from '../../../test/seeded.ts';

export class Balancer {
  /** Ports on this machine. */
  targets: readonly number[] = [];
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #turn = 0;
  #isHeld = false;

  constructor() {
    this.#server = createServer((inner) => this.#pass(inner));
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  /** Cuts one open connection. Returns whether there was one. */
  cutOne(chance: Seeded): boolean {
    const open = [...this.#open];
    open[chance.below(open.length || 1)]?.destroy();
    return open.length > 0;
  }

  /** Cuts every connection, and those that are opened until `release`. */
  hold(): void {
    this.#isHeld = true;
    for (const socket of this.#open) socket.destroy();
  }

  release(): void {
    this.#isHeld = false;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #pass(inner: Socket): void {
    const port = this.targets[this.#turn++ % (this.targets.length || 1)];
    if (port === undefined || this.#isHeld) return void inner.destroy();
    const outer = connect(port, '127.0.0.1');
    this.#open.add(inner);
    inner.pipe(outer).pipe(inner);
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      one.on('error', () => undefined);
      one.once('close', () => other.destroy());
    }
    inner.once('close', () => this.#open.delete(inner));
  }
}
