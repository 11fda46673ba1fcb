// The pair in a file that many processes share:
//
//   FILE              the pair, 0600; replaced by rename, so a reader sees the old or the new one
//   FILE.next         the space for the next pair: written and synced before a connection is opened
//   FILE.presented    which refresh token was presented, and since when, for the process that takes over if this one dies. Blank
//                     until the connection is open
//   FILE.lock         see lock-file.ts
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TokenFailure } from '../failure.ts';
import { parseJson } from '../json.ts';
import { parseTokens, type StoredTokens, writeTokens } from '../tokens.ts';
import { overwriteDurably, replaceDurably, reserve, syncFolder } from './durable-file.ts';
import { type HeldLock, takeLock } from './lock-file.ts';
import type { HeldStore, TokenStore } from './token-store.ts';

/** Room for the largest answer that a server of today sends, several times over. */
const RESERVED_BYTES = 32_768;
const MARK_BYTES = 256;

export function fileStore(path: string): TokenStore {
  const given = resolve(path);
  return {
    name: given,
    load: async () => load(given),
    lock: async () => {
      const file = madeFolderOf(given);
      const lock = inStorage(file, () => takeLock(`${file}.lock`));
      return lock && new HeldFile(file, lock);
    },
  };
}

class HeldFile implements HeldStore {
  readonly #file: string;
  readonly #next: string;
  readonly #presented: string;
  readonly #lock: HeldLock;

  constructor(file: string, lock: HeldLock) {
    this.#file = file;
    this.#next = `${file}.next`;
    this.#presented = `${file}.presented`;
    this.#lock = lock;
  }

  async reserve(): Promise<void> {
    inStorage(this.#file, () => {
      reserve(this.#next, RESERVED_BYTES);
      if (!this.#mark()) reserve(this.#presented, MARK_BYTES);
      syncFolder(this.#file);
    });
  }

  async present(refreshToken: string, since: number): Promise<void> {
    inStorage(this.#file, () => {
      if (this.#sinceOf(refreshToken) !== undefined) return; // the first time counts
      const mark = JSON.stringify({ token: hashOf(refreshToken), since });
      overwriteDurably(this.#presented, mark.padEnd(MARK_BYTES));
    });
  }

  async presentedSince(refreshToken: string): Promise<number | undefined> {
    return inStorage(this.#file, () => this.#sinceOf(refreshToken));
  }

  async unpresent(): Promise<void> {
    inStorage(this.#file, () => this.#forget());
  }

  async save(tokens: StoredTokens): Promise<void> {
    inStorage(this.#file, () => {
      replaceDurably(this.#file, this.#next, writeTokens(tokens));
      this.#forget();
    });
  }

  async clear(): Promise<void> {
    inStorage(this.#file, () => {
      rmSync(this.#file, { force: true });
      this.#forget();
      syncFolder(this.#file);
    });
  }

  async release(): Promise<void> {
    // Without a mark nobody needs the reserved files. If they cannot be removed, the next holder reuses them.
    try {
      if (!this.#mark()) this.#forget();
    } catch {}
    this.#lock.release();
  }

  #forget(): void {
    for (const file of [this.#presented, this.#next]) rmSync(file, { force: true });
  }

  #sinceOf(refreshToken: string): number | undefined {
    const mark = this.#mark();
    return mark?.token === hashOf(refreshToken) ? mark.since : undefined;
  }

  /** A record that is blank or cannot be read was not synced, so its token was not presented. */
  #mark(): { readonly token: string; readonly since: number } | undefined {
    const { token, since } = (parseJson(readIfThere(this.#presented) ?? '') ?? {}) as {
      token?: unknown;
      since?: unknown;
    };
    return typeof token === 'string' && typeof since === 'number' ? { token, since } : undefined;
  }
}

function load(given: string): StoredTokens | undefined {
  const text = inStorage(given, () => readIfThere(given));
  if (text === undefined) return undefined;
  refuseForeign(given);
  const tokens = parseTokens(text);
  if (tokens) return tokens;
  throw new TokenFailure('storage', `${given} holds no tokens`, 'Remove it, or name another file.');
}

/** As ssh does with keys. A file of another user would become ours with the next refresh, and be lost for its owner. */
function refuseForeign(path: string): void {
  const { mode, uid } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (mode === undefined || uid === undefined || process.platform === 'win32') return;
  if (uid !== process.getuid?.())
    throw new TokenFailure('storage', `${path} belongs to another user (uid ${uid})`, 'Run this as that user.');
  if ((mode & 0o077) === 0) return;
  const shown = (mode & 0o777).toString(8);
  throw new TokenFailure('storage', `Other users can read ${path} (mode ${shown})`, `Do: chmod 600 ${path}`);
}

/** Makes the folder if it is missing. If the file is a link, its target is the file. */
function madeFolderOf(given: string): string {
  return inStorage(given, () => {
    const folder = dirname(given);
    if (!existsSync(folder)) makeFolder(folder);
    try {
      return realpathSync(given);
    } catch {
      return resolve(realpathSync(folder), given.slice(folder.length + 1));
    }
  });
}

/** Not `recursive` of mkdir: on a read-only disk it blames a missing file, and below /proc it never ends. */
function makeFolder(folder: string): void {
  const above = dirname(folder);
  if (!existsSync(above) && above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return; // another process was faster
    throw error;
  }
  chmodSync(folder, 0o700);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const CAUSES: Readonly<Record<string, readonly [what: string, todo: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space.'],
  EDQUOT: ['the quota of this user is used up', 'Free some space.'],
  EROFS: ['the disk is read-only', 'Keep the tokens on a disk that can be written.'],
  EACCES: ['this user may not read or write it', 'Check the owner and the mode of the file and its folder.'],
  EPERM: ['this is not permitted', 'The folder must be writable, on a file system with hard links.'],
  EIO: ['the disk fails', 'Check the disk.'],
};

/** Runs a step on the disk; a fault becomes a failure that says what to do. */
function inStorage<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const [what, todo] = CAUSES[code] ?? [message, 'Check the file and its folder.'];
    throw new TokenFailure('storage', `Cannot use ${file}: ${what}`, `${todo} The grant is unharmed.`, {
      cause: error,
    });
  }
}
