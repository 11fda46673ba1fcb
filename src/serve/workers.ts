// Several worker processes that share the ports. A supervisor starts them, replaces those that die or hang, and stops them together.
import cluster, { type Worker } from 'node:cluster';
import { realpathSync } from 'node:fs';
import type { Log } from '../log/log.ts';
import type { Gathering } from './gather.ts';

/** A worker that dies sooner than this after its start is replaced only after a pause. */
const SHORT_LIFE_MS = 5_000;

/** A worker that serves is asked this often whether it is alive, and killed after this many unanswered questions. */
const ASK_EVERY_MS = 5_000;
const UNANSWERED = 4;

const SERVING = 'serving';
const PING = 'ping';
const PONG = 'pong';

export function isWorker(): boolean {
  return cluster.isWorker;
}

/** Reports to the supervisor that this worker is serving, and that it is alive whenever the supervisor asks. */
export function reportServing(): void {
  process.on('message', (message) => message === PING && process.connected && process.send?.(PONG));
  process.send?.(SERVING);
}

/** In the supervisor: whether any worker replies in time. It replaces those that do not by itself. */
export function aWorkerReplies(withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isReplying: boolean) => {
      clearTimeout(timer);
      cluster.off('message', take);
      resolve(isReplying);
    };
    const take = (_worker: Worker, message: unknown) => message === PONG && end(true);
    const timer = setTimeout(end, withinMs, false);
    cluster.on('message', take);
    for (const worker of livingWorkers()) if (worker.isConnected()) worker.send(PING);
  });
}

/** Closes the channel to the supervisor, which would keep a finished worker alive. */
export function leaveSupervisor(): void {
  process.disconnect?.();
}

export interface Supervision {
  readonly count: number;
  readonly stopSignal: Promise<string>;
  /** Workers that have not stopped by then are killed; acknowledged changes are durable. */
  readonly patienceMs: number;
  readonly log: Log;
  readonly gathering: Pick<Gathering, 'add'>;
  /** Called once, when all workers are serving. */
  readonly onServing: () => void;
}

/**
 * The first worker starts alone, so that whatever prevents a start is reported once; the others start when it is serving.
 * Resolves when all workers have stopped: to 0, or to the exit code of a worker that failed before any was serving.
 */
export async function superviseWorkers(supervision: Supervision): Promise<number> {
  const { count, stopSignal, patienceMs, onServing } = supervision;
  // Workers are of this release, also if a link leads to the next one by the time that one is replaced.
  cluster.setupPrimary({ exec: realpathSync(process.argv[1] ?? '') });
  const supervised = { isStopping: false, hasServed: false };
  const { promise: failed, resolve: giveUp } = Promise.withResolvers<number>();
  const start = (number: number) => startWorker(number, supervised, supervision, giveUp);
  let serving = 0;
  cluster.on('message', (_worker, message) => {
    if (message !== SERVING) return;
    serving += 1;
    if (serving === count) onServing();
    if (supervised.hasServed || supervised.isStopping) return;
    supervised.hasServed = true;
    for (let number = 2; number <= count; number++) start(number);
  });
  const stopAsking = endHung(supervision.log);
  start(1);
  const reason = await Promise.race([stopSignal, failed]);
  supervised.isStopping = true;
  stopAsking();
  const signal = typeof reason === 'string' ? reason : 'SIGTERM';
  await Promise.all(livingWorkers().map((worker) => stopWorker(worker, signal, patienceMs)));
  return typeof reason === 'number' ? reason : 0;
}

function startWorker(
  number: number,
  supervised: { readonly isStopping: boolean; readonly hasServed: boolean },
  { gathering, log }: Pick<Supervision, 'gathering' | 'log'>,
  giveUp: (code: number) => void,
): void {
  const again = () => !supervised.isStopping && startWorker(number, supervised, { gathering, log }, giveUp);
  const later = ({ message }: Error) => {
    log.error({ why: message }, 'no process could be started for a worker: it is tried again');
    setTimeout(again, SHORT_LIFE_MS);
  };
  const began = performance.now();
  const worker = fork(later);
  if (!worker) return;
  worker.once('online', () => gathering.add(worker, number));
  worker.on('error', (fault) => {
    // A message that could not be sent to one that has just died: 'exit' follows.
    if (!hasStarted(worker)) later(fault);
  });
  worker.once('exit', (code, signal) => {
    if (supervised.isStopping) return;
    // It logged why. Restarting it would fail the same way.
    if (!supervised.hasServed && code) return giveUp(code);
    const isShort = performance.now() - began < SHORT_LIFE_MS;
    log.error({ pid: worker.process.pid, code, signal }, 'a worker died and is replaced');
    setTimeout(again, isShort ? SHORT_LIFE_MS : 0);
  });
}

/** Node reports some faults by the event 'error', and others, such as too little memory, by throwing. */
function fork(onFault: (fault: Error) => void): Worker | undefined {
  try {
    return cluster.fork();
  } catch (fault) {
    onFault(fault as Error);
    return undefined;
  }
}

/** Kills workers that hang: the kernel keeps giving them connections. Counts questions, not time: this process may have been stopped, too. */
function endHung(log: Log): () => void {
  const unanswered = new Map<number, number>();
  const heard = ({ id }: Worker, message: unknown) => {
    if (message === SERVING || message === PONG) unanswered.set(id, 0);
  };
  cluster.on('message', heard);
  cluster.on('exit', ({ id }) => unanswered.delete(id));
  const timer = setInterval(() => {
    for (const worker of livingWorkers()) {
      const asked = unanswered.get(worker.id);
      if (asked === undefined || !worker.isConnected()) continue;
      unanswered.set(worker.id, asked + 1);
      if (asked < UNANSWERED) worker.send(PING);
      else {
        log.error({ pid: worker.process.pid, todo: HUNG_REMEDY }, 'a worker does not reply and is killed');
        worker.process.kill('SIGKILL');
      }
    }
  }, ASK_EVERY_MS);
  return () => {
    clearInterval(timer);
    cluster.off('message', heard);
  };
}

const HUNG_REMEDY =
  'Nothing, if it was stopped on purpose, as by a debugger. Otherwise report it with the log before this line.';

function livingWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) =>
    worker && hasStarted(worker) && !worker.isDead() ? worker : [],
  );
}

function hasStarted(worker: Worker): boolean {
  return worker.process.pid !== undefined;
}

function stopWorker(worker: Worker, signal: string, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs);
    worker.once('exit', () => {
      clearTimeout(end);
      resolve();
    });
    worker.process.kill(signal as NodeJS.Signals);
  });
}
