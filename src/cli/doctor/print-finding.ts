import { print } from '../terminal/output.ts';
import type { Finding } from './finding.ts';

const MARKS = { good: 'ok  ', poor: 'warn', bad: 'FAIL' } as const;

export function printFinding({ verdict, about, says, todo }: Finding): void {
  print(`${MARKS[verdict]}  ${about}: ${says}`);
  if (todo !== undefined) print(`      ${todo}`);
}
