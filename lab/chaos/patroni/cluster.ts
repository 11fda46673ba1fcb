// A real etcd and three real Patroni members with a real PostgreSQL each, in a folder that is deleted afterwards.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { signalWhole, silenceSenders } from '../../../test/store/postgres-server.ts';
import { type Account, databaseAccount } from './account.ts';
import { dataFolder, memberConfiguration, type Place } from './member.ts';
import { freeAddress, type Grounds, MEMBERS, PASSWORD, prepareGrounds } from './places.ts';

const LOOK_AGAIN_MS = 200;
const WHOLE_WITHIN_MS = 120_000;

/** A member in the response to `GET /cluster`. */
interface Told {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
  readonly timeline?: number;
}

export class PatroniCluster {
  readonly folder: string;
  readonly #account: Account;
  readonly #places: readonly Place[];
  readonly #processes = new Map<string, ChildProcess>();

  private constructor({ folder, places }: Grounds, account: Account) {
    this.folder = folder;
    this.#account = account;
    this.#places = places;
    process.once('exit', () => this.#killAll());
  }

  static async start(): Promise<PatroniCluster> {
    const account = databaseAccount();
    const grounds = await prepareGrounds(account);
    const cluster = new PatroniCluster(grounds, account);
    cluster.#startEtcd(grounds.etcd, await freeAddress());
    for (const { name } of grounds.places) cluster.startMember(name);
    await cluster.whole();
    return cluster;
  }

  /** The URL for nodes: it lists every member, and the one that accepts writes is used. */
  url(role: string): string {
    const hosts = this.#places.map(({ database }) => `localhost:${portOf(database)}`).join(',');
    const tls = `sslmode=verify-full&sslrootcert=${join(this.folder, 'authority.pem')}`;
    return `postgres://${role}:${PASSWORD}@${hosts}/tessera?target_session_attrs=read-write&${tls}`;
  }

  async leader(): Promise<string> {
    const leading = (await this.#told()).find(({ role }) => role === 'leader');
    if (!leading) throw new Error('nobody leads');
    return leading.name;
  }

  /** Runs psql on the primary as administrator, through its socket, without a password. */
  async administer(sql: string): Promise<void> {
    const { folder, database, binaries } = this.#place(await this.leader());
    const args = ['--no-psqlrc', '--quiet', '--set', 'ON_ERROR_STOP=1', '--username', 'postgres'];
    execFileSync(join(binaries, 'psql'), [...args, '--host', folder, '--port', portOf(database)], {
      ...this.#account,
      cwd: this.folder,
      input: sql,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  }

  severReplication(name: string): void {
    const database = postmasterOf(this.#place(name));
    if (database) silenceSenders(database);
  }

  /** Like a dead machine: kills Patroni and every database process at once. */
  async kill(name: string): Promise<void> {
    const patroni = this.#processes.get(name);
    if (!patroni) throw new Error(`${name} does not run`);
    const gone = once(patroni, 'exit');
    this.#signal(name, 'SIGKILL');
    await gone;
  }

  /** Starts a new or killed member, which finds its leader by itself. */
  startMember(name: string): void {
    const place = this.#place(name);
    const file = join(place.folder, 'patroni.yml');
    writeFileSync(file, memberConfiguration(place), { mode: 0o600 });
    chownSync(file, this.#account.uid, this.#account.gid);
    this.#run(name, 'patroni', [file]);
  }

  /** Waits until one member leads, one is its synchronous standby, and all run on one timeline. */
  async whole(): Promise<void> {
    const latest = performance.now() + WHOLE_WITHIN_MS;
    while (!isWhole(await this.#told())) {
      if (performance.now() > latest) throw new Error(`the cluster is not whole: see the logs in ${this.folder}`);
      await pause(LOOK_AGAIN_MS);
    }
  }

  /** How often pg_rewind restored a member. */
  rewinds(): number {
    const logs = this.#places.map(({ name }) => readFileSync(this.#log(name), 'utf8'));
    return logs.join('').split('pg_rewind exit code=0').length - 1;
  }

  async remove(): Promise<void> {
    const running = [...this.#processes.values()].filter((child) => child.exitCode === null && !child.signalCode);
    const gone = running.map((child) => once(child, 'exit'));
    this.#killAll();
    await Promise.all(gone);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** From the first member that answers. */
  async #told(): Promise<readonly Told[]> {
    for (const { rest } of this.#places) {
      try {
        const response = await fetch(`http://${rest}/cluster`, { signal: AbortSignal.timeout(1000) });
        return ((await response.json()) as { members: Told[] }).members;
      } catch {
        // down: try the next
      }
    }
    return [];
  }

  #place(name: string): Place {
    const place = this.#places.find((each) => each.name === name);
    if (!place) throw new Error(`there is no ${name}`);
    return place;
  }

  #startEtcd(clients: string, peers: string): void {
    const [own, other] = [`http://${clients}`, `http://${peers}`];
    this.#run('etcd', 'etcd', [
      ...['--name', 'etcd', '--data-dir', join(this.folder, 'etcd')],
      ...['--listen-client-urls', own, '--advertise-client-urls', own],
      ...['--listen-peer-urls', other, '--initial-advertise-peer-urls', other, '--initial-cluster', `etcd=${other}`],
    ]);
  }

  #run(name: string, program: string, args: readonly string[]): void {
    const log = openSync(this.#log(name), 'a');
    const env = { ...process.env, HOME: this.folder };
    const child = spawn(program, args, { ...this.#account, env, cwd: this.folder, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#processes.set(name, child);
  }

  #log(name: string): string {
    return join(this.folder, `${name}.log`);
  }

  /** Patroni first, so that it cannot restart anything. */
  #signal(name: string, signal: NodeJS.Signals): void {
    this.#processes.get(name)?.kill(signal);
    const database = postmasterOf(this.#place(name));
    if (database) signalWhole(database, signal);
  }

  #killAll(): void {
    for (const { name } of this.#places) this.#signal(name, 'SIGKILL');
    this.#processes.get('etcd')?.kill('SIGKILL');
  }
}

function isWhole(members: readonly Told[]): boolean {
  const leader = members.find(({ role }) => role === 'leader');
  return (
    leader !== undefined &&
    members.length === MEMBERS &&
    members.some(({ role }) => role === 'sync_standby') &&
    members.every(({ state, timeline }) => ['running', 'streaming'].includes(state) && timeline === leader.timeline)
  );
}

function portOf(address: string): string {
  return address.split(':')[1] ?? '';
}

function postmasterOf(place: Place): number | undefined {
  try {
    return Number(readFileSync(join(dataFolder(place), 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return undefined; // it is not running
  }
}
