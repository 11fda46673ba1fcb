// Results of a run: agreements, explained and unexplained differences, and time per verdict. Plain data, so that several
// processes can each run a range and one of them prints the whole.
import type { Explained } from './explained.ts';
import { describeMutant, type Mutant } from './mutant.ts';

type Opinions = Readonly<Record<Explained['by'], string>>;

interface Finding {
  count: number;
  readonly by: Explained['by'];
  readonly example: string;
  /** Absent if the difference is unexplained. */
  readonly rule?: string;
  readonly clause?: string;
  readonly why?: string;
}

interface Slow {
  readonly ms: number;
  readonly number: number;
  readonly what: string;
}

export interface Results {
  judged: number;
  accepted: number;
  compared: number;
  agreed: number;
  /** Refused by us, accepted by the other. */
  readonly refusedAlone: Record<string, number>;
  readonly findings: Record<string, Finding>;
  /** Time of each verdict, in microseconds. */
  readonly times: number[];
  slowest: Slow[];
}

const SHOWN = 60;
const SLOWEST = 5;

function nothing(): Results {
  return {
    ...{ judged: 0, accepted: 0, compared: 0, agreed: 0 },
    ...{ refusedAlone: {}, findings: {}, times: [], slowest: [] },
  };
}

export class Report {
  readonly #explained: readonly Explained[];
  readonly results = nothing();

  constructor(explained: readonly Explained[]) {
    this.#explained = explained;
  }

  count(isAccepted: boolean): void {
    this.results.judged++;
    if (isAccepted) this.results.accepted++;
  }

  took(ms: number, number: number, mutant: Mutant): void {
    const { results } = this;
    results.times.push(Math.round(ms * 1000));
    if (ms <= (results.slowest[SLOWEST - 1]?.ms ?? 0)) return;
    results.slowest = slowestOf([...results.slowest, { ms, number, what: describeMutant(mutant) }]);
  }

  compare(number: number, mutant: Mutant, isAccepted: boolean, opinions: Opinions): void {
    const { results } = this;
    results.compared++;
    const others = Object.entries(opinions) as [Explained['by'], string][];
    const disagreeing = others.filter(([, said]) => (said === 'good') !== isAccepted);
    if (disagreeing.length === 0) results.agreed++;
    for (const [by, said] of disagreeing) {
      if (isAccepted) this.#note(number, mutant, by, said);
      else results.refusedAlone[by] = (results.refusedAlone[by] ?? 0) + 1;
    }
  }

  #note(number: number, mutant: Mutant, by: Explained['by'], said: string): void {
    const known = this.#explained.find((one) => one.by === by && one.said.test(said) && one.when(mutant));
    const key = known ? `${by}: ${known.why}` : `${by} says ${said} to a ${mutant.target}: ${mutant.mutations.at(-1)}`;
    const found = this.results.findings[key];
    if (found) found.count++;
    else {
      const example = `${number} says ${said}; ${describeMutant(mutant)}`;
      const explanation = known && { rule: known.rule, clause: known.clause, why: known.why };
      this.results.findings[key] = { count: 1, by, example, ...explanation };
    }
  }
}

function slowestOf(all: readonly Slow[]): Slow[] {
  return all.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
}

export function unexplained({ findings }: Results): number {
  return Object.values(findings).reduce((sum, { why, count }) => sum + (why === undefined ? count : 0), 0);
}

export function sumOf(parts: readonly Results[]): Results {
  const whole = nothing();
  for (const part of parts) {
    for (const figure of ['judged', 'accepted', 'compared', 'agreed'] as const) whole[figure] += part[figure];
    for (const [by, count] of Object.entries(part.refusedAlone))
      whole.refusedAlone[by] = (whole.refusedAlone[by] ?? 0) + count;
    for (const [key, finding] of Object.entries(part.findings)) {
      const found = whole.findings[key];
      if (found) found.count += finding.count;
      else whole.findings[key] = { ...finding };
    }
    for (const time of part.times) whole.times.push(time);
    whole.slowest = slowestOf([...whole.slowest, ...part.slowest]);
  }
  return whole;
}

export function printResults(results: Results): void {
  const { judged, accepted, compared, agreed, refusedAlone } = results;
  console.log(`\n${judged} mutants, ${accepted} of them accepted by us`);
  console.log(`${compared} compared with OpenSSL and GnuTLS, all three agree on ${agreed}`);
  for (const [by, count] of Object.entries(refusedAlone)) console.log(`${count} refused by us and accepted by ${by}`);
  printTimes(results);
  const findings = Object.values(results.findings).toSorted((a, b) => b.count - a.count);
  console.log('\naccepted by us, refused by another: explained');
  for (const { by, count, rule, clause, why } of findings.filter((one) => one.why !== undefined))
    console.log(`${String(count).padStart(7)} ${by}: ${why}\n        rule: ${rule} (${clause})`);
  const open = findings.filter(({ why }) => why === undefined);
  console.log(`accepted by us, refused by another: ${unexplained(results)} UNEXPLAINED`);
  for (const { by, count, example } of open.slice(0, SHOWN))
    console.log(`${String(count).padStart(7)} ${by}: ${example}`);
}

function printTimes({ times, slowest }: Results): void {
  const sorted = times.toSorted((a, b) => a - b);
  const share = (part: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) / 1000;
  const columns = { median: share(0.5), '99 %': share(0.99), '99.9 %': share(0.999), worst: slowest[0]?.ms ?? 0 };
  console.log('\ntime of a verdict, in milliseconds');
  console.log(
    Object.entries(columns)
      .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
      .join(', '),
  );
  for (const { ms, number, what } of slowest) console.log(`${ms.toFixed(2).padStart(7)} mutant ${number}, ${what}`);
}
