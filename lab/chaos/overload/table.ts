import { median, quartiles } from '../../quantiles.ts';
import { type LoadReport, rateOf } from './load.ts';

export interface Turn {
  /** Without the attack. */
  readonly before: LoadReport;
  readonly report: LoadReport;
  /** Requests a second that could have been accepted meanwhile. */
  readonly capacity: number;
  readonly recoveryMs: number;
}

export interface Row {
  readonly name: string;
  readonly turns: readonly Turn[];
}

const LEAST_GOODPUT = 0.9;
const MOST_P99_MS = 250;
const MOST_MEMORY = 1.3;
const MOST_RECOVERY_MS = 1000;

/** Prints measurements and targets; returns the number of missed targets. */
export function printTable(rows: readonly Row[]): number {
  console.log(
    `targets: goodput ≥ ${LEAST_GOODPUT} of capacity, p99 of accepted ≤ ${MOST_P99_MS} ms, memory ≤ ${MOST_MEMORY} ×, recovery < ${MOST_RECOVERY_MS} ms; * misses one`,
  );
  const cells = rows.map(cellsOf);
  const head = [
    'load',
    'capacity/s',
    'wanted ×',
    'sent ×',
    'half of them',
    'goodput',
    'p50 ms',
    'p99 ms',
    'memory ×',
    'recovery ms',
    'cores',
    'refused',
    'cut',
    'other',
  ];
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  for (const row of [head, ...cells]) console.log(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  return cells.flat().filter((cell) => cell.endsWith('*')).length;
}

/** Medians of the turns; counts of all. */
function cellsOf({ name, turns }: Row): string[] {
  const middle = (figure: (turn: Turn) => number) => median(turns.map(figure));
  const goodputs = turns.map(({ report, capacity }) => rateOf(report) / capacity);
  const sum = (count: (report: LoadReport) => number) => turns.reduce((total, { report }) => total + count(report), 0);
  const ofCapacity = (count: (report: LoadReport) => number) =>
    middle(({ report, capacity }) => count(report) / report.seconds / capacity);
  const [low, goodput, high] = quartiles(goodputs);
  const p99 = middle(({ report }) => report.p99);
  const memory = middle(({ before, report }) => report.memoryMiB / before.memoryMiB);
  const recoveryMs = Math.max(...turns.map((turn) => turn.recoveryMs));
  return [
    name,
    middle(({ capacity }) => capacity).toFixed(0),
    ofCapacity(({ wanted }) => wanted).toFixed(1),
    ofCapacity(({ sent }) => sent).toFixed(1),
    `${low.toFixed(2)} to ${high.toFixed(2)}`,
    marked(goodput.toFixed(2), goodput >= LEAST_GOODPUT),
    middle(({ report }) => report.p50).toFixed(0),
    marked(p99.toFixed(0), p99 <= MOST_P99_MS),
    marked(memory.toFixed(2), memory <= MOST_MEMORY),
    marked(recoveryMs.toFixed(0), recoveryMs < MOST_RECOVERY_MS),
    `${middle(({ before }) => before.cpu).toFixed(2)} → ${middle(({ report }) => report.cpu).toFixed(2)}`,
    String(sum(({ refused }) => refused)),
    String(sum(({ cut }) => cut)),
    turns.flatMap(({ report }) => [...report.surprises].map(([status, count]) => `${count} × ${status}`)).join(' '),
  ];
}

function marked(text: string, isMet: boolean): string {
  return isMet ? text : `${text} *`;
}
