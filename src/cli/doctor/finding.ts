import { print } from '../terminal/output.ts';

/** The result of a check. `poor`: it works, but is risky or will soon fail. `bad`: the service cannot work. */
export interface Finding {
  readonly verdict: 'good' | 'poor' | 'bad';
  readonly about: string;
  readonly says: string;
  readonly todo?: string;
}

export function good(about: string, says: string): Finding {
  return { verdict: 'good', about, says };
}

export function poor(about: string, says: string, todo: string): Finding {
  return { verdict: 'poor', about, says, todo };
}

export function bad(about: string, says: string, todo: string): Finding {
  return { verdict: 'bad', about, says, todo };
}

const MARKS = { good: 'ok  ', poor: 'warn', bad: 'FAIL' } as const;

export function printFinding({ verdict, about, says, todo }: Finding): void {
  print(`${MARKS[verdict]}  ${about}: ${says}`);
  if (todo !== undefined) print(`      ${todo}`);
}
