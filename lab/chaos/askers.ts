// HTTP callers that repeat the same request after a 503. They record what was acknowledged, and when.
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Caller } from '../../test/e2e/caller.ts';
import { json } from '../../test/e2e/caller.ts';
import { CERTIFICATE, CLIENT, type Pair, refresh, SCOPE, verify } from '../../test/e2e/steps.ts';

const REFRESHING = 8;
const ISSUING = 4;
const AGAIN_MS = 60;

export interface Acknowledged {
  readonly pair: Pair;
  /** When it was requested. */
  readonly askedAt: number;
}

/** The answers to one caller, in order. */
export interface History {
  readonly acknowledged: Acknowledged[];
  /** The descriptions of each 503, in order. */
  readonly unavailable: string[];
  /** All other answers. */
  readonly refused: string[];
}

export class Askers {
  readonly refreshing: readonly History[];
  readonly issuing: readonly History[];
  readonly #caller: Caller;
  readonly #ended: Promise<unknown>;
  #isRunning = true;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.refreshing = Array.from({ length: REFRESHING }, history);
    this.issuing = Array.from({ length: ISSUING }, history);
    this.#ended = Promise.all([
      ...this.refreshing.map((each) => this.#refreshOn(each)),
      ...this.issuing.map((each) => this.#issueOn(each)),
    ]);
  }

  /** Resolves when every caller has two answers. */
  async areAtWork(): Promise<void> {
    while (this.all.some(({ acknowledged }) => acknowledged.length < 2)) await pause(10);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#ended;
  }

  get all(): readonly History[] {
    return [...this.refreshing, ...this.issuing];
  }

  acknowledgedAfter(moment: number): number {
    return this.all.flatMap(({ acknowledged }) => acknowledged).filter(({ askedAt }) => askedAt > moment).length;
  }

  async #refreshOn(told: History): Promise<void> {
    let pair = await this.#insist(told, () => this.#issue());
    while (this.#isRunning && pair) {
      const spent: Pair = pair;
      pair = await this.#insist(told, () => refresh(this.#caller, spent.refresh_token));
    }
  }

  async #issueOn(told: History): Promise<void> {
    while (this.#isRunning && told.refused.length === 0) await this.#insist(told, () => this.#issue());
  }

  #issue(): Promise<Answer> {
    return this.#caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) });
  }

  async #insist(told: History, ask: () => Promise<Answer>): Promise<Pair | undefined> {
    for (; this.#isRunning; await pause(AGAIN_MS)) {
      const askedAt = performance.now();
      const { status, json: body, text } = await ask();
      if (status === 200) {
        const pair = body as unknown as Pair;
        told.acknowledged.push({ pair, askedAt });
        return pair;
      }
      if (status !== 503) {
        told.refused.push(text);
        return undefined;
      }
      told.unavailable.push(String(body['Error_description']));
    }
    return undefined;
  }
}

function history(): History {
  return { acknowledged: [], unavailable: [], refused: [] };
}

/** Counts acknowledged tokens that do not work on the same store: each caller's last pair, and each new grant. */
export async function countLost(askers: Askers, caller: Caller): Promise<number> {
  const kept = [
    ...askers.refreshing.flatMap(({ acknowledged }) => acknowledged.slice(-1)),
    ...askers.issuing.flatMap(({ acknowledged }) => acknowledged),
  ];
  const last = askers.refreshing.flatMap(({ acknowledged }) => acknowledged.slice(-1));
  let lost = 0;
  // One after another: a new session allows only a few streams.
  for (const { pair } of kept) if ((await verify(caller, pair.access_token)).status !== 200) lost += 1;
  for (const { pair } of last) if ((await refresh(caller, pair.refresh_token)).status !== 200) lost += 1;
  return lost;
}
