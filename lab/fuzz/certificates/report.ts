// Results of the run: agreements, explained and unexplained differences, and time per verdict.
import type { Explained } from './explained.ts';
import { describeMutant, type Mutant } from './mutant.ts';

type Opinions = Readonly<Record<Explained['by'], string>>;

interface Finding {
  count: number;
  readonly example: string;
  readonly why: string | undefined;
}

const SHOWN = 60;

export class Report {
  readonly #explained: readonly Explained[];
  readonly #findings = new Map<string, Finding>();
  readonly #refusedAlone = new Map<string, number>();
  readonly #times: number[] = [];
  #worst = { ms: 0, number: 0, what: '' };
  #accepted = 0;
  #judged = 0;
  #compared = 0;
  #agreed = 0;

  constructor(explained: readonly Explained[]) {
    this.#explained = explained;
  }

  count(isAccepted: boolean): void {
    this.#judged++;
    if (isAccepted) this.#accepted++;
  }

  took(ms: number, number: number, mutant: Mutant): void {
    this.#times.push(ms);
    if (ms > this.#worst.ms) this.#worst = { ms, number, what: describeMutant(mutant) };
  }

  compare(number: number, mutant: Mutant, isAccepted: boolean, opinions: Opinions): void {
    this.#compared++;
    const others = Object.entries(opinions) as [Explained['by'], string][];
    const disagreeing = others.filter(([, said]) => (said === 'good') !== isAccepted);
    if (disagreeing.length === 0) this.#agreed++;
    for (const [by, said] of disagreeing) {
      if (isAccepted) this.#note(number, mutant, by, said);
      else this.#refusedAlone.set(by, (this.#refusedAlone.get(by) ?? 0) + 1);
    }
  }

  #note(number: number, mutant: Mutant, by: Explained['by'], said: string): void {
    const known = this.#explained.find((one) => one.by === by && one.said.test(said) && (one.when?.(mutant) ?? true));
    const key = known ? `${by}: ${known.why}` : `${by} says ${said} to a ${mutant.target}: ${mutant.mutations.at(-1)}`;
    const found = this.#findings.get(key);
    if (found) found.count++;
    else {
      const example = `${number} ${by} says ${said}; ${describeMutant(mutant)}`;
      this.#findings.set(key, { count: 1, example, why: known?.why });
    }
  }

  /** Number of unexplained mutants. */
  print(): number {
    const sorted = this.#times.toSorted((a, b) => a - b);
    const share = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    console.log(`${this.#judged} mutants, ${this.#accepted} of them accepted by us`);
    console.log(`${this.#compared} compared with OpenSSL and GnuTLS, all three agree on ${this.#agreed}`);
    for (const [by, count] of this.#refusedAlone) console.log(`${count} refused by us and accepted by ${by}`);
    console.log(
      `time of a verdict: median ${share(0.5).toFixed(2)} ms, 99 % ${share(0.99).toFixed(2)} ms, ` +
        `worst ${this.#worst.ms.toFixed(2)} ms (mutant ${this.#worst.number}, ${this.#worst.what})`,
    );
    const findings = [...this.#findings].sort(([, a], [, b]) => b.count - a.count);
    const open = findings.filter(([, { why }]) => why === undefined);
    for (const [key, { count }] of findings.filter(([, { why }]) => why)) console.log(`explained   ${count} × ${key}`);
    for (const [, { count, example }] of open.slice(0, SHOWN)) console.log(`UNEXPLAINED ${count} × ${example}`);
    return open.reduce((sum, [, { count }]) => sum + count, 0);
  }
}
