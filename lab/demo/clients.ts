// Clients as they should be: each refreshes on its own, one request after another, and sends the same token again until it
// gets an answer.
import { setTimeout as pause } from 'node:timers/promises';
import { Seeded } from '../../test/seeded.ts';
import { CLIENT_ID, type Contestant } from './contestants.ts';
import { send } from './proxy.ts';

/** How long a client waits for an answer before it sends the request again. */
const PATIENCE_MS = 5000;
/** How long it tries the same request. Restarts and lost answers together take a few seconds. */
const LONGEST_MS = 60_000;

export type Standing = 'signed in' | 'retrying' | 'logged out' | 'signed out';

export class Client {
  standing: Standing = 'signed in';
  refreshes = 0;
  readonly #index: number;
  readonly #chance: Seeded;
  #token: string;
  readonly #signal: AbortSignal;
  #isLeaving = false;

  /** `signal` ends what it does. */
  constructor(index: number, seed: number, token: string, signal: AbortSignal) {
    this.#signal = signal;
    this.#index = index;
    this.#chance = new Seeded(seed * 1_000_003 + index);
    this.#token = token;
  }

  /** Until `isOver`, or until the server refuses the token. */
  async refreshUntil(isOver: () => boolean, port: number, { paths }: Contestant): Promise<void> {
    while (!isOver() && !this.#isOut()) {
      await this.#pause(200 + this.#chance.below(400));
      await this.#refreshOnce(port, paths.token);
    }
  }

  async #refreshOnce(port: number, path: string): Promise<void> {
    const token = this.#token;
    const began = performance.now();
    while (this.#token === token && !this.#isOut()) {
      await this.#attempt(port, path).catch(() => undefined);
      if (this.standing !== 'retrying') return;
      await this.#pauseBeforeRetry(began, 50 + this.#chance.below(150));
    }
  }

  async #pauseBeforeRetry(began: number, ms: number): Promise<void> {
    if (performance.now() - began > LONGEST_MS)
      throw new Error(`the server has not answered client ${this.#index} for ${LONGEST_MS / 1000} s`);
    await this.#pause(ms);
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#signal });
  }

  #isOut(): boolean {
    return this.standing === 'logged out' || this.standing === 'signed out';
  }

  async #attempt(port: number, path: string): Promise<void> {
    this.standing = 'retrying';
    const form = { grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: this.#token };
    const { status, body } = await this.#post(port, path, form);
    if (status === 400) this.standing = this.#isLeaving ? 'signed out' : 'logged out';
    if (status !== 200) return;
    this.#token = (JSON.parse(body) as { refresh_token: string }).refresh_token;
    this.refreshes++;
    this.standing = 'signed in';
  }

  /** Ends the grant; repeated until the server has confirmed it. */
  async signOut(port: number, { paths }: Contestant): Promise<void> {
    this.#isLeaving = true;
    const form = { client_id: CLIENT_ID, token: this.#token };
    for (const began = performance.now(); ; ) {
      const answer = await this.#post(port, paths.revoke, form).catch(() => undefined);
      if (answer?.status === 200) break;
      await this.#pauseBeforeRetry(began, 50);
    }
    this.standing = 'signed out';
  }

  #post(port: number, path: string, form: Record<string, string>) {
    return send(port, path, new URLSearchParams(form).toString(), {
      patienceMs: PATIENCE_MS,
      client: String(this.#index),
    });
  }
}
