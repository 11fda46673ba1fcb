// Callers that refresh and verify without a pause or with one, over kept connections and over new ones. Every request must
// be answered 200. Where there are several nodes and one refuses the connection, or resets it before it is secure, nothing was sent,
// and the caller turns to the next, as a proxy does: the kernel resets connections that arrive while a listener is closed.
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Answer,
  type Caller,
  callerOver,
  isUnsent,
  PROTOCOLS,
  type Protocol,
  type Reach,
} from '../../../test/e2e/caller.ts';
import { type Pair, pairByCertificate, refresh, verify } from '../../../test/e2e/steps.ts';

interface Habit {
  readonly protocol: Protocol;
  readonly keepsConnection: boolean;
  /** The longest pause between two requests. */
  readonly pauseMs: number;
}

function habitsOf(protocol: Protocol, shortestMs: number): readonly Habit[] {
  return [
    { protocol, keepsConnection: true, pauseMs: shortestMs },
    { protocol, keepsConnection: true, pauseMs: shortestMs },
    { protocol, keepsConnection: true, pauseMs: 300 },
    { protocol, keepsConnection: true, pauseMs: 3_000 },
    { protocol, keepsConnection: true, pauseMs: 3_000 },
    { protocol, keepsConnection: false, pauseMs: 4 * shortestMs },
  ];
}

export class SteadyCallers {
  readonly failures: string[] = [];
  /** Requests that were told to come again (503 with Retry-After). */
  again = 0;
  answered = 0;
  readonly #reaches: readonly Reach[];
  readonly #pairs: Promise<Pair[]>;
  readonly #count: number;
  #begun = 0;
  readonly #stopping = new AbortController();

  /** `shortestMs`: the longest pause of those that hurry most. */
  constructor(reaches: readonly Reach[], protocols: readonly Protocol[] = PROTOCOLS, shortestMs = 5) {
    this.#reaches = reaches;
    const habits = protocols.flatMap((protocol) => habitsOf(protocol, shortestMs));
    this.#pairs = Promise.all(habits.map((habit, index) => this.#call(habit, index)));
    this.#count = habits.length;
  }

  /** Resolves when each has its first token pair: a slow machine takes longer than any fixed pause. */
  async begun(): Promise<void> {
    while (this.#begun < this.#count) await Promise.race([pause(20), this.#pairs]);
  }

  /** Stops them. Returns how many grants are lost: their last tokens do not work. */
  async stop(): Promise<number> {
    this.#stopping.abort();
    const pairs = await this.#pairs;
    const caller = callerOver('HTTP/1.1', this.#reaches[0] as Reach);
    const answers: Answer[] = [];
    for (const pair of pairs)
      answers.push(await verify(caller, pair.access_token), await refresh(caller, pair.refresh_token));
    caller.close();
    return answers.filter(({ status }) => status !== 200).length;
  }

  /** For a test that has failed: they send nothing more. */
  abandon(): void {
    this.#stopping.abort();
  }

  async #call(habit: Habit, index: number): Promise<Pair> {
    const line = new Line(habit, this.#reaches, index);
    let pair = await pairByCertificate(line);
    this.#begun++;
    while (!this.#stopping.signal.aborted) {
      pair = await this.#refresh(line, pair);
      await this.#expect(line, `verify over ${habit.protocol}`, () => verify(line, pair.access_token));
      await pause(Math.random() * habit.pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
    line.close();
    return pair;
  }

  async #refresh(line: Line, pair: Pair): Promise<Pair> {
    const what = `refresh over ${line.protocol}`;
    const answer = await this.#expect(line, what, () => refresh(line, pair.refresh_token));
    return answer ? (answer.json as unknown as Pair) : pair;
  }

  async #expect(line: Line, what: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      const answer = await ask();
      if (answer.status === 200) {
        this.answered++;
        return answer;
      }
      if (answer.status === 503 && answer.headers['retry-after']) this.again++;
      else this.failures.push(`${what}: ${answer.status} ${answer.text}`);
    } catch (error) {
      this.failures.push(`${what}: ${String(error)}`);
      line.close();
    }
    await pause(100);
    return undefined;
  }
}

/** One caller's connection to the nodes. */
class Line implements Caller {
  readonly #habit: Habit;
  readonly #reaches: readonly Reach[];
  #at: number;
  #caller: Caller | undefined;

  constructor(habit: Habit, reaches: readonly Reach[], at: number) {
    [this.#habit, this.#reaches, this.#at] = [habit, reaches, at];
  }

  get protocol(): Protocol {
    return this.#habit.protocol;
  }

  async ask(question: Parameters<Caller['ask']>[0]): Promise<Answer> {
    for (let others = this.#reaches.length - 1; ; others--) {
      this.#caller ??= callerOver(this.protocol, this.#reaches[this.#at % this.#reaches.length] as Reach);
      try {
        const answer = await this.#caller.ask(question);
        if (!this.#habit.keepsConnection) this.close();
        return answer;
      } catch (error) {
        if (others === 0 || !isUnsent(error)) throw error;
        this.close();
        this.#at++;
      }
    }
  }

  close(): void {
    this.#caller?.close();
    this.#caller = undefined;
  }
}
