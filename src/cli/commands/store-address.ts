// Addresses of PostgreSQL stores on the command line.
import { CommandFailure } from '../terminal/exit.ts';

/** The text is matched, since a URL parser refuses several hosts. */
export function refusePassword(address: string): void {
  if (!/^[^/]*\/\/[^/?]*:[^/?]*@/.test(address)) return;
  const todo = 'Leave it out, and set PGPASSWORD or ?passwordFile=FILE: other users can read command lines.';
  throw new CommandFailure('usage', 'the address holds a password', todo);
}
