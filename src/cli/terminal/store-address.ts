// PostgreSQL addresses given on the command line.
import { CommandFailure } from './exit.ts';

/** Matches the text, because URL parsers reject addresses with several hosts. */
export function refusePassword(address: string): void {
  if (!/^[^/]*\/\/[^/?]*:[^/?]*@/.test(address)) return;
  const todo = 'Leave it out, and set PGPASSWORD or ?passwordFile=FILE: other users can read command lines.';
  throw new CommandFailure('usage', 'the address holds a password', todo);
}
