// What a process did to its database, in order (journal.c), and what a power cut may leave of it.
import type { Seeded } from '../../test/seeded.ts';

const RECORD_LENGTH = 32;
const SECTOR = 512;
const KINDS = ['none', 'write', 'cut', 'sync-begun', 'sync-done', 'acknowledged'] as const;
const FILES = ['database', 'wal', 'folder', 'other'] as const;

interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly file: (typeof FILES)[number];
  /** The offset of a write, the length after a cut, the number of a sync. */
  readonly at: number;
  readonly bytes: Buffer;
}

export function readJournal(bytes: Buffer): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at + RECORD_LENGTH <= bytes.length; ) {
    const number = (field: number) => Number(bytes.readBigInt64LE(at + field * 8));
    const length = number(3);
    const payload = bytes.subarray(at + RECORD_LENGTH, at + RECORD_LENGTH + length);
    if (payload.length < length) break; // the kill came in the middle
    const [kind, file] = [KINDS[number(0)], FILES[number(1)]];
    if (!kind || !file) throw new Error(`the journal has an unknown record at ${at}`);
    steps.push({ kind, file, at: number(2), bytes: payload });
    at += RECORD_LENGTH + length;
  }
  return steps;
}

/** Unsynced writes may reach the disk or not, in any order, and in part. */
export type Loss = 'all of it is lost' | 'sectors of it are lost' | 'nothing is lost';

export interface Remains {
  readonly database: Buffer;
  /** Undefined if the file's name was not on the disk. */
  readonly wal: Buffer | undefined;
  readonly acknowledged: string;
}

interface Pending {
  readonly step: Step;
  readonly number: number;
}

const CUT_FATES = ['lost', 'whole'] as const;
const FATES = ['lost', 'whole', 'torn'] as const;

/** One file: what is surely on the disk, and what may be. */
class DiskFile {
  #sure: Buffer;
  #length: number;
  #pending: Pending[] = [];

  constructor(begin: Uint8Array) {
    this.#sure = Buffer.from(begin);
    this.#length = begin.length;
  }

  add(step: Step, number: number): void {
    this.#pending.push({ step, number });
  }

  /** A sync that began at step `begun` is done. */
  settle(begun: number): void {
    for (const { step, number } of this.#pending) if (number < begun) this.#apply(step);
    this.#pending = this.#pending.filter(({ number }) => number >= begun);
  }

  after(loss: Loss, chance: Seeded): Buffer {
    const left = new DiskFile(this.#sure.subarray(0, this.#length));
    for (const { step } of this.#pending) if (loss !== 'all of it is lost') left.#applyPart(step, loss, chance);
    return Buffer.from(left.#sure.subarray(0, left.#length));
  }

  #applyPart(step: Step, loss: Loss, chance: Seeded): void {
    const fate = loss === 'nothing is lost' ? 'whole' : chance.pick(step.kind === 'cut' ? CUT_FATES : FATES);
    if (fate === 'whole') this.#apply(step);
    if (fate !== 'torn') return;
    for (let from = 0; from < step.bytes.length; from += SECTOR) {
      const bytes = step.bytes.subarray(from, from + SECTOR);
      if (chance.chance(0.5)) this.#apply({ ...step, at: step.at + from, bytes });
    }
  }

  #apply({ kind, at, bytes }: Step): void {
    if (kind === 'cut') {
      this.#sure.fill(0, Math.min(at, this.#sure.length));
      this.#length = at;
    } else this.#length = Math.max(this.#length, at + bytes.length);
    if (this.#length > this.#sure.length)
      this.#sure = Buffer.concat([this.#sure, Buffer.alloc(2 * this.#length - this.#sure.length)]);
    this.#sure.set(bytes, kind === 'cut' ? 0 : at);
  }
}

export interface PowerCut {
  /** After how many steps. */
  readonly at: number;
  readonly loss: Loss;
  /** The disk reports syncs as done without doing them: to see whether the drill would notice. */
  readonly ignoresSyncs?: boolean;
}

/** `begin`: the database before the first step, without a WAL. */
export function remainsOf(steps: readonly Step[], begin: Buffer, cut: PowerCut, chance: Seeded): Remains {
  const files = { database: new DiskFile(begin), wal: new DiskFile(Buffer.alloc(0)) };
  const begun = new Map<number, number>();
  let isNamed = false;
  const acknowledged: Buffer[] = [];
  for (const [number, step] of steps.slice(0, cut.at).entries()) {
    const file = step.file === 'database' || step.file === 'wal' ? files[step.file] : undefined;
    if (step.kind === 'acknowledged') acknowledged.push(step.bytes);
    else if (step.kind === 'sync-begun') begun.set(step.at, number);
    else if (step.kind !== 'sync-done') file?.add(step, number);
    else if (cut.ignoresSyncs) continue;
    else if (step.file === 'folder') isNamed = true;
    else file?.settle(begun.get(step.at) ?? 0);
  }
  const hasWal = isNamed || cut.loss === 'nothing is lost';
  return {
    database: files.database.after(cut.loss, chance),
    wal: hasWal ? files.wal.after(cut.loss, chance) : undefined,
    acknowledged: Buffer.concat(acknowledged).toString('utf8'),
  };
}

/** Where cuts are worth trying: right after an acknowledgement, among writes to the database, and anywhere. */
export function cutPoints(steps: readonly Step[], count: number, chance: Seeded): number[] {
  const where = (fits: (step: Step) => boolean) => steps.flatMap((step, n) => (fits(step) ? [n + 1] : []));
  const kinds = [
    where(({ kind }) => kind === 'acknowledged'),
    where(({ kind, file }) => kind === 'write' && file === 'database'),
    steps.map((_, n) => n + 1),
  ].filter(({ length }) => length > 0);
  return Array.from({ length: count }, (_, n) => chance.pick(kinds[n % kinds.length] ?? [0]));
}
