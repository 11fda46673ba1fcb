// Coding agents: each has several processes behind one login. They find the access token expired at the same time, and refresh it with the
// same refresh token. A process is killed now and then in the middle of a request, and starts again with what the shared file has.
import { setTimeout as pause } from 'node:timers/promises';
import { Seeded } from '../../test/seeded.ts';
import type { Refresher, Standing } from './clients.ts';
import { CLIENT_ID, type Contestant } from './contestants.ts';
import { send } from './proxy.ts';

export const PROCESSES = 4;
const PATIENCE_MS = 5000;
/** One request in so many is the last one of its process. */
export const KILLED = 20;

export class Agent implements Refresher {
  standing: Standing = 'signed in';
  refreshes = 0;
  retries = 0;
  kills = 0;
  protected readonly index: number;
  protected readonly chance: Seeded;
  readonly #signal: AbortSignal;
  /** What its processes share. */
  #file: { readonly token: string; readonly dueAt: number };
  #isLeaving = false;

  constructor(index: number, seed: number, token: string, signal: AbortSignal) {
    this.index = index;
    this.chance = new Seeded(seed * 1_000_003 + index);
    this.#signal = signal;
    this.#file = { token, dueAt: 0 };
  }

  async refreshUntil(isOver: () => boolean, port: number, contestant: Contestant): Promise<void> {
    const processes = Array.from({ length: PROCESSES }, async () => {
      while (!isOver() && !this.isOut()) await this.live(port, contestant.paths.token, isOver);
    });
    await Promise.all(processes);
  }

  /** The life of one process, until it is killed. */
  protected async live(port: number, path: string, isOver: () => boolean): Promise<void> {
    while (!isOver() && !this.isOut()) {
      const wait = this.#file.dueAt - performance.now();
      await this.pause(wait > 0 ? Math.min(wait, 200) : this.chance.below(30));
      if (this.#file.dueAt > performance.now()) continue;
      if (this.chance.below(KILLED) === 0) return this.#dieInRequest(port, path);
      await this.#refresh(port, path);
    }
  }

  /** The request goes out, and nobody reads the answer. */
  async #dieInRequest(port: number, path: string): Promise<void> {
    this.kills++;
    void this.#ask(port, path, this.#file.token).catch(() => undefined);
    await this.pause(50 + this.chance.below(300));
  }

  /** Before every attempt, the process looks whether another one has been faster. */
  async #refresh(port: number, path: string): Promise<void> {
    const { token } = this.#file;
    while (this.#file.token === token && !this.isOut()) {
      const answer = await this.#ask(port, path, token).catch(() => undefined);
      if (this.#file.token !== token) return;
      if (answer?.status === 400) this.refused();
      if (answer?.status === 200) return this.#save(answer.body);
      if (this.isOut()) return;
      this.retries++;
      this.standing = 'retrying';
      await this.pause(50 + this.chance.below(150));
    }
  }

  #save(body: string): void {
    const { refresh_token: token } = JSON.parse(body) as { refresh_token: string };
    this.#file = { token, dueAt: performance.now() + 1000 + this.chance.below(1000) };
    this.refreshes++;
    this.standing = 'signed in';
  }

  async signOut(port: number, { paths }: Contestant): Promise<void> {
    this.#isLeaving = true;
    for (;;) {
      const form = new URLSearchParams({ client_id: CLIENT_ID, token: this.token }).toString();
      const answer = await this.#send(port, paths.revoke, form).catch(() => undefined);
      if (answer?.status === 200) break;
      await this.pause(50);
    }
    this.standing = 'signed out';
  }

  protected get token(): string {
    return this.#file.token;
  }

  protected refused(): void {
    this.standing = this.#isLeaving ? 'signed out' : 'logged out';
  }

  protected isOut(): boolean {
    return this.standing === 'logged out' || this.standing === 'signed out';
  }

  #ask(port: number, path: string, refresh_token: string) {
    const form = { grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token };
    return this.#send(port, path, new URLSearchParams(form).toString());
  }

  #send(port: number, path: string, form: string) {
    return send(port, path, form, { patienceMs: PATIENCE_MS, client: String(this.index) });
  }

  protected async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#signal });
  }
}
