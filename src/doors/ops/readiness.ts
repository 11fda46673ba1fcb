// Whether the service could serve a refresh now. Checked at most once a second, shared by all requests.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EpochSeconds } from '../../core/time.ts';
import { missingKeys } from '../../operations/grant/missing-key.ts';
import type { Ports } from '../../operations/ports.ts';
import type { Timekeeper } from '../../operations/upkeep/timekeeper.ts';
import type { Problem, StoreReport } from '../../store/store.ts';

/** One thing that must hold for the service to serve. */
export interface CheckResult {
  readonly name: string;
  readonly problem?: Problem;
  /** The service is ready, but something needs attention. */
  readonly remark?: string;
}

/** Called when a check begins to fail, fails for another reason, or passes again. */
export interface ReadinessNews {
  readonly failing: (check: string, problem: Problem) => void;
  readonly holdsAgain: (check: string) => void;
  /** The clocks of node and store differ by this many seconds, which is too much. */
  readonly clocksApart: (apart: number) => void;
}

export interface ReadinessParts extends Pick<Ports, 'store' | 'keyring' | 'registry' | 'clock'> {
  readonly timekeeper: Pick<Timekeeper, 'check'>;
}

const KEPT_MS = 1_000;
/** A store that takes longer cannot serve callers either. */
const PATIENCE_MS = 2_000;
/** Proxies ask every few seconds. After this long without a request, nothing watches. */
const ASKED_WITHIN_MS = 15_000;
/** Certificates are judged by the node's clock, everything else by the store's. */
const CLOCK_TOLERANCE = 30;
const CLOCK_REMARK = 5;

export class Readiness {
  readonly #ports: ReadinessParts;
  readonly #news: ReadinessNews;
  readonly #more: () => readonly CheckResult[];
  readonly #failing = new Map<string, string>();
  #looking: Promise<readonly CheckResult[]> | undefined;
  #lookedAt: number | undefined;
  #isApart = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #holds = false;

  /** `more`: results of checks made elsewhere. */
  constructor(ports: ReadinessParts, news: ReadinessNews, more: () => readonly CheckResult[] = () => []) {
    this.#ports = ports;
    this.#news = news;
    this.#more = more;
  }

  /** For a proxy or an orchestrator, which sends callers elsewhere if a check fails. */
  async ask(): Promise<readonly CheckResult[]> {
    this.#askedAt = performance.now();
    return this.#isStopping ? STOPPING : this.look();
  }

  /** As of the last look, without another one. */
  get isReady(): boolean {
    return !this.#isStopping && this.#holds;
  }

  /** Resolves when those who ask have had time to hear that the service stops. */
  async announceStop(noticeMs: number): Promise<void> {
    this.#isStopping = true;
    if (performance.now() - this.#askedAt < ASKED_WITHIN_MS) await sleep(noticeMs);
  }

  /** The last results, at most a second old. A store that does not answer is queried once. */
  async look(): Promise<readonly CheckResult[]> {
    const { clock } = this.#ports;
    const isOld = this.#lookedAt !== undefined && Math.abs(clock.milliseconds() - this.#lookedAt) >= KEPT_MS;
    if (!this.#looking || isOld) {
      this.#lookedAt = undefined;
      this.#looking = this.#examine().finally(() => {
        this.#lookedAt = clock.milliseconds();
      });
    }
    const results = await Promise.race([this.#looking, sleep(PATIENCE_MS, TOO_LATE, { ref: false })]);
    this.#report(results);
    this.#holds = results.every(({ problem }) => problem === undefined);
    return results;
  }

  async #examine(): Promise<readonly CheckResult[]> {
    const began = this.#ports.clock.now();
    const { now, checks } = await this.#ports.store.examine().catch(unexamined);
    const during = { from: began, to: this.#ports.clock.now() };
    return [
      ...checks,
      ...this.#more(),
      await this.#keys(now !== undefined),
      ...(now === undefined ? [] : [this.#clock(now, during)]),
    ];
  }

  /** Every key in use must be here, or tokens of other nodes cannot be checked. */
  async #keys(isStoreThere: boolean): Promise<CheckResult> {
    try {
      const missing = isStoreThere ? await missingKeys(this.#ports) : [];
      if (missing.length === 0) return { name: 'keys' };
      const reason = `this node lacks key ${missing.join(', ')}, which is in use`;
      return { name: 'keys', problem: { reason, detail: 'copy the keyring from a node that has it' } };
    } catch (fault) {
      return { name: 'keys', problem: { reason: 'the keys in use cannot be read', detail: String(fault) } };
    }
  }

  /** The store read its clock at some moment of the examination, which takes long while the database does not answer. */
  #clock(storeTime: EpochSeconds, { from, to }: { from: EpochSeconds; to: EpochSeconds }): CheckResult {
    const problem = this.#ports.timekeeper.check(storeTime);
    if (problem) return { name: 'clock', problem };
    const apart = Math.max(0, from - storeTime, storeTime - to);
    if (apart > CLOCK_REMARK && !this.#isApart) this.#news.clocksApart(apart);
    this.#isApart = apart > CLOCK_REMARK;
    if (apart <= CLOCK_TOLERANCE) return { name: 'clock' };
    return { name: 'clock', problem: { reason: `the clocks of node and store are ${apart} seconds apart` } };
  }

  #report(results: readonly CheckResult[]): void {
    for (const { name, problem } of results) {
      if (problem && this.#failing.get(name) !== problem.reason) {
        this.#failing.set(name, problem.reason);
        this.#news.failing(name, problem);
      }
      if (!problem && this.#failing.delete(name)) this.#news.holdsAgain(name);
    }
  }
}

function unexamined(fault: unknown): StoreReport {
  const problem = { reason: 'the store cannot be examined', detail: String(fault) };
  return { now: undefined, checks: [{ name: 'store', problem }] };
}

const STOPPING: readonly CheckResult[] = [{ name: 'service', problem: { reason: 'this node is stopping' } }];

const TOO_LATE: readonly CheckResult[] = [
  { name: 'store', problem: { reason: `the store has not answered within ${PATIENCE_MS / 1000} seconds` } },
];
