// The writer on a thread of its own, so that the event loop never waits for the disk. This file is both ends of it.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { CommitUnknown, StoreUnavailable } from '../store.ts';
import type { Value } from '../table.ts';
import { openForWriting, storeFault } from './database.ts';
import type { RunUnits } from './group-commit.ts';
import { type Step, type Unit, Writer } from './writer.ts';

/** What crosses the threads is one flat array: cloning few and plain values is what makes a second thread affordable. */
type Parcel = readonly ParcelValue[];
type ParcelValue = string | number | null;

type Answer = { readonly results: readonly number[] } | { readonly fault: string; readonly passing: boolean };

/** A thread that dies leaves one commit unknown; the next commit starts another thread. */
export async function threadWriter(path: string): Promise<{ run: RunUnits; stop: () => Promise<void> }> {
  let thread = await startThread(path);
  const run: RunUnits = async (units) => {
    if (thread.isDead()) thread = await startThread(path);
    return thread.run(units);
  };
  return { run, stop: () => thread.stop() };
}

interface Thread {
  readonly run: RunUnits;
  isDead(): boolean;
  stop(): Promise<void>;
}

async function startThread(path: string): Promise<Thread> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { tesseraWriter: path } });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', (error) => reject(new StoreUnavailable(`the writer thread does not start: ${error.message}`)));
  });
  return threadOf(worker);
}

/** One parcel is under way at a time: the group commit sees to that. */
function threadOf(worker: Worker): Thread {
  let asked: { resolve: (results: readonly number[]) => void; reject: (fault: unknown) => void } | undefined;
  let dead = false;
  const pack = packer();
  worker.on('message', (answer: Answer) => {
    if ('results' in answer) asked?.resolve(answer.results);
    else asked?.reject(answer.passing ? new StoreUnavailable(answer.fault) : new Error(answer.fault));
    asked = undefined;
  });
  worker.on('error', () => {}); // 'exit' follows
  const exit = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  void exit.then(() => {
    dead = true;
    asked?.reject(new CommitUnknown('the writer thread died while committing'));
  });
  const run: RunUnits = (units) =>
    new Promise((resolve, reject) => {
      asked = { resolve, reject };
      worker.postMessage(pack(units));
    });
  const stop = () => {
    if (!dead) worker.postMessage('stop');
    return exit;
  };
  return { run, stop, isDead: () => dead };
}

// Flat, per unit: how many steps; per step: its SQL, whether it decides, how many values, the values. A SQL text crosses
// once and is a number from then on. Bytes travel as text behind a mark: cloning a Buffer would clone the whole pool it
// was cut from.
const BYTES = '\u0000b';
const TEXT = '\u0000t';

function packer(): (units: readonly Unit[]) => Parcel {
  const known = new Map<string, number>();
  return (units) => {
    const parcel: ParcelValue[] = [];
    for (const unit of units) {
      parcel.push(unit.length);
      for (const { sql, decisive, values } of unit) {
        parcel.push(known.get(sql) ?? sql, Number(decisive), values.length);
        if (!known.has(sql)) known.set(sql, known.size);
        for (const value of values) parcel.push(packValue(value));
      }
    }
    return parcel;
  };
}

function unpacker(): (parcel: Parcel) => Unit[] {
  const known: string[] = [];
  const sqlOf = (value: ParcelValue): string => {
    if (typeof value === 'string') known.push(value);
    return typeof value === 'string' ? value : (known[value as number] ?? '');
  };
  return (parcel) => {
    const units: Unit[] = [];
    for (let at = 0; at < parcel.length; ) {
      const unit: Step[] = [];
      for (let steps = parcel[at++] as number; steps > 0; steps--) {
        const sql = sqlOf(parcel[at++] as ParcelValue);
        const decisive = parcel[at++] === 1;
        const end = at + 1 + (parcel[at] as number);
        unit.push({ sql, decisive, values: parcel.slice(at + 1, end).map(unpackValue) });
        at = end;
      }
      units.push(unit);
    }
    return units;
  };
}

function packValue(value: Value): ParcelValue {
  if (value instanceof Uint8Array)
    return BYTES + Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
  return typeof value === 'string' && value.startsWith('\u0000') ? TEXT + value : value;
}

function unpackValue(value: ParcelValue): Value {
  if (typeof value !== 'string' || !value.startsWith('\u0000')) return value;
  return value.startsWith(BYTES) ? Buffer.from(value.slice(BYTES.length), 'latin1') : value.slice(TEXT.length);
}

function serve(path: string): void {
  const writer = new Writer(openForWriting(path));
  const unpack = unpacker();
  parentPort?.on('message', (message: 'stop' | Parcel) => {
    if (message === 'stop') {
      writer.close();
      parentPort?.close();
      return;
    }
    parentPort?.postMessage(answerTo(unpack(message), writer));
  });
  parentPort?.postMessage('ready');
}

function answerTo(units: readonly Unit[], writer: Writer): Answer {
  try {
    return { results: writer.run(units) };
  } catch (error) {
    const fault = storeFault(error) as Error;
    return { fault: fault.message, passing: fault instanceof StoreUnavailable };
  }
}

if (!isMainThread && workerData?.tesseraWriter) serve(workerData.tesseraWriter);
