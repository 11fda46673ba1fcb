// Checks that the files are those that were opened, and whole. What is written to a deleted database is lost.
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnusable } from '../store.ts';
import { WAL_LIMIT } from './connection.ts';

type Mark = Omit<FileMark, 'size'>;

/** The first four bytes, but for the last bit: https://sqlite.org/fileformat2.html#the_write_ahead_log */
const WAL_MAGIC = 0x377f0682;
/** With less free space the WAL may not fit. */
const LEAST_SPACE = 16 * 2 ** 20;

export class Files {
  readonly #path: string;
  /** The WAL alone has a descriptor of ours: closing one of the database or the SHM would drop SQLite's locks on it. */
  readonly wal: number;
  readonly #header = Buffer.alloc(4);
  readonly #marks: ReadonlyMap<string, Mark>;
  #databaseSize: number;
  #walSize: number;
  #isClosed = false;

  /** All three files exist while the database is open. If it is opened `alone`, the SHM is in memory. */
  constructor(path: string, alone = false) {
    this.#path = path;
    this.#marks = new Map(
      ['', '-wal', ...(alone ? [] : ['-shm'])].map((name) => {
        const { dev, ino } = statSync(path + name);
        return [name, { dev, ino }];
      }),
    );
    this.#databaseSize = statSync(path).size;
    this.wal = openSync(`${path}-wal`, 'r'); // last: nothing that can fail follows
    this.#walSize = fstatSync(this.wal).size;
  }

  get walBytes(): number {
    return this.#walSize;
  }

  /** Checked just before a commit is written: SQLite would write after the truncated part, and hide the damage. */
  whyCut(): string | undefined {
    return this.#isClosed ? 'the store is closed' : this.#whyShorter(fstatSync(this.wal).size);
  }

  /** Checked with every sync, so it is cheap: three system calls. */
  whyNotOurs(): string | undefined {
    const database = this.#found('');
    if (typeof database === 'string') return database;
    if (database.size < this.#databaseSize)
      return `the database was cut from ${this.#databaseSize} to ${database.size} bytes`;
    this.#databaseSize = database.size;
    const wal = this.#found('-wal');
    return typeof wal === 'string' ? wal : (this.#whyShorter(wal.size) ?? this.#whyNoHeader(wal.size));
  }

  /** Checked every second. */
  whyNotWhole(): string | undefined {
    const shm = this.#marks.has('-shm') ? this.#found('-shm') : undefined;
    return this.whyCut() ?? this.whyNotOurs() ?? (typeof shm === 'string' ? shm : undefined);
  }

  whyNoSpace(): string | undefined {
    const free = freeSpace(dirname(this.#path));
    return free < LEAST_SPACE ? `${Math.floor(free / 2 ** 20)} MB are free` : undefined;
  }

  /** Records why they are damaged, for the next process that opens them; undefined if they are whole again. */
  mark(why: string | undefined): void {
    if (this.#isClosed) return;
    if (why === undefined) {
      unmarkDamage(this.#path);
      return;
    }
    const sizes: Readonly<Record<string, number>> = { '': this.#databaseSize, '-wal': this.#walSize };
    const files = Object.fromEntries(
      Object.entries(sizes).map(([name, size]) => [name, { ...(this.#marks.get(name) as Mark), size }]),
    );
    markDamage(this.#path, { why, files });
  }

  close(): void {
    this.#isClosed = true;
    closeSync(this.wal);
  }

  /** SQLite itself truncates a WAL that exceeds the limit, but never below the limit. */
  #whyShorter(size: number): string | undefined {
    if (size < Math.min(this.#walSize, WAL_LIMIT)) return `the WAL was cut from ${this.#walSize} to ${size} bytes`;
    this.#walSize = size;
    return undefined;
  }

  /** A WAL that was truncated to nothing and then written to begins with zeros. */
  #whyNoHeader(size: number): string | undefined {
    if (size === 0) return undefined;
    readSync(this.wal, this.#header, 0, 4, 0);
    return (this.#header.readUInt32BE() & ~1) === WAL_MAGIC ? undefined : 'the WAL has lost its header';
  }

  #found(name: string): Stats | string {
    const stats = statsOf(this.#path + name);
    if (typeof stats === 'string') return stats;
    const { dev, ino } = this.#marks.get(name) as Mark;
    return stats.ino === ino && stats.dev === dev ? stats : `${this.#path}${name} was replaced by another file`;
  }
}

function statsOf(path: string): Stats | string {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? `${path} is gone`;
  } catch (error) {
    return `${path} cannot be reached (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** A folder that is out of reach is not full: `whyNotWhole` reports it. */
function freeSpace(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

// A note that files of the store were lost while in use: the next start could not tell, and revoked grants would work.

export interface FileMark {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
}

interface Note {
  readonly why: string;
  /** The files as they were, by the ending of their names. */
  readonly files: Readonly<Record<string, FileMark>>;
}

function damageMark(path: string): string {
  return `${path}.damaged`;
}

/** Where nothing can be written, there is no mark. */
function markDamage(path: string, note: Note): void {
  try {
    writeFileSync(damageMark(path), JSON.stringify(note), { mode: 0o600 });
  } catch {}
}

export function unmarkDamage(path: string): void {
  try {
    rmSync(damageMark(path), { force: true });
  } catch {}
}

/** Undefined if there is no mark, or if the files are all back in their places: then the mark is removed. */
export function whyMarked(path: string): string | undefined {
  const note = readNote(path);
  if (!note) return undefined;
  if (!Object.entries(note.files).every(([ending, mark]) => isBack(path + ending, mark))) return note.why;
  unmarkDamage(path);
  return undefined;
}

export function refuseMarked(path: string): void {
  const why = whyMarked(path);
  if (why === undefined) return;
  throw new StoreUnusable(
    `the store was damaged while it was in use: ${why}`,
    `Put the file back, or: tessera restore FILE. To go on without what is lost, revocations included, delete ${damageMark(path)}`,
  );
}

function readNote(path: string): Note | undefined {
  let text: string;
  try {
    text = readFileSync(damageMark(path), 'utf8');
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return { why: 'nobody knows how', files: { '': NO_FILE } }; // the disk may have been full
  }
}

const NO_FILE: FileMark = { dev: -1, ino: -1, size: 0 };

function isBack(path: string, { dev, ino, size }: FileMark): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.dev === dev && found.ino === ino && found.size >= size;
}
