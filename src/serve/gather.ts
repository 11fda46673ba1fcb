// Collects what each worker knows only in part, such as metrics: a worker requests it, and the supervisor gathers all parts.
import cluster, { type Worker } from 'node:cluster';

export interface Gathered<Part> {
  readonly current: readonly { readonly worker: number; readonly part: Part }[];
  /** The last known parts of workers that died or did not reply in time: counters must not lose what they counted. */
  readonly past: readonly Part[];
}

type ToSupervisor = { readonly kind: 'gather'; readonly id: number } | PartReply;
type PartReply = { readonly kind: 'part'; readonly id: number; readonly part: unknown };
type ToWorker = { readonly kind: 'send-part'; readonly id: number } | GatheredReply;
type GatheredReply = { readonly kind: 'gathered'; readonly id: number; readonly gathered: unknown };

/** In a worker: replies to the supervisor with this worker's part. Returns how to get the parts of all workers. */
export function joinGathering<Part>(ownPart: () => Promise<Part>): () => Promise<Gathered<Part>> {
  const waiting = new Map<number, (gathered: Gathered<Part>) => void>();
  let lastId = 0;
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'send-part')
      void ownPart().then((part) => process.connected && process.send?.({ kind: 'part', id: message.id, part }));
    if (message.kind !== 'gathered') return;
    waiting.get(message.id)?.(message.gathered as Gathered<Part>);
    waiting.delete(message.id);
  });
  return () =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      process.send?.({ kind: 'gather', id: lastId } satisfies ToSupervisor);
    });
}

/** A worker that has not replied by then counts with its last part. */
const PATIENCE_MS = 1_000;

/** In the supervisor. `fold` combines the parts of dead workers, so that they need constant space. */
export class Gathering {
  readonly #fold: (parts: readonly unknown[]) => unknown;
  readonly #numbers = new Map<Worker, number>();
  readonly #latest = new Map<Worker, unknown>();
  readonly #waiting = new Map<number, (worker: Worker) => void>();
  #dead: readonly unknown[] = [];
  #lastId = 0;

  constructor(fold: (parts: readonly unknown[]) => unknown) {
    this.#fold = fold;
    cluster.on('message', (worker, message: ToSupervisor) => void this.#take(worker, message));
  }

  /** `number`: its label. A worker that replaces another has the same one. */
  add(worker: Worker, number: number): void {
    this.#numbers.set(worker, number);
    worker.once('exit', () => this.#bury(worker));
  }

  #bury(worker: Worker): void {
    this.#numbers.delete(worker);
    if (this.#latest.has(worker)) this.#dead = [this.#fold([...this.#dead, this.#latest.get(worker)])];
    this.#latest.delete(worker);
    for (const settle of this.#waiting.values()) settle(worker);
  }

  async #take(worker: Worker, message: ToSupervisor): Promise<void> {
    if (message.kind === 'part' && this.#numbers.has(worker)) {
      this.#latest.set(worker, message.part);
      this.#waiting.get(message.id)?.(worker);
    }
    if (message.kind !== 'gather') return;
    const gathered = await this.#gather();
    if (worker.isConnected()) worker.send({ kind: 'gathered', id: message.id, gathered } satisfies GatheredReply);
  }

  async #gather(): Promise<Gathered<unknown>> {
    const silent = await this.#askAll();
    const known = [...this.#latest].map(([worker, part]) => ({ worker, part }));
    return {
      current: known.flatMap(({ worker, part }) =>
        silent.has(worker) ? [] : [{ worker: this.#numbers.get(worker) ?? 0, part }],
      ),
      past: [...this.#dead, ...known.flatMap(({ worker, part }) => (silent.has(worker) ? [part] : []))],
    };
  }

  /** Asks every worker for its part. Resolves to those that did not reply in time. */
  #askAll(): Promise<ReadonlySet<Worker>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const silent = new Set(this.#numbers.keys());
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(silent);
      };
      const timer = setTimeout(end, PATIENCE_MS);
      this.#waiting.set(id, (worker) => {
        silent.delete(worker);
        if (silent.size === 0) end();
      });
      for (const worker of silent) if (worker.isConnected()) worker.send({ kind: 'send-part', id } satisfies ToWorker);
    });
  }
}
