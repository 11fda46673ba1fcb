import type { LoadReport } from './load.ts';

export interface Row {
  readonly name: string;
  readonly capacity: LoadReport;
  readonly report: LoadReport;
  readonly recoveryMs: number;
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

function cellsOf({ name, capacity, report, recoveryMs }: Row): string[] {
  const full = capacity.accepted / capacity.seconds;
  const ratio = (count: number) => count / report.seconds / full;
  const goodput = ratio(report.accepted);
  const memory = report.memoryMiB / capacity.memoryMiB;
  const others = [...report.surprises].map(([status, count]) => `${count} × ${status}`).join(' ');
  return [
    name,
    full.toFixed(0),
    ratio(report.wanted).toFixed(1),
    ratio(report.sent).toFixed(1),
    marked(goodput.toFixed(2), goodput >= LEAST_GOODPUT),
    report.p50.toFixed(0),
    marked(report.p99.toFixed(0), report.p99 <= MOST_P99_MS),
    marked(memory.toFixed(2), memory <= MOST_MEMORY),
    marked(recoveryMs.toFixed(0), recoveryMs < MOST_RECOVERY_MS),
    `${capacity.cpu.toFixed(2)} → ${report.cpu.toFixed(2)}`,
    String(report.refused),
    String(report.cut),
    others,
  ];
}

function marked(text: string, isMet: boolean): string {
  return isMet ? text : `${text} *`;
}
