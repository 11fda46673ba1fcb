// Addresses of stores on the command line.
import { resolve } from 'node:path';
import { parseStoreAddress, type StoreAddress } from '../../config/store-address.ts';
import { CommandFailure } from './exit.ts';

/** The store that a flag names. */
export function storeNamedBy(flag: string, address: string): { readonly store: StoreAddress } {
  refusePassword(address);
  if (/^(?:sqlite|postgres(?:ql)?):/.test(address)) return { store: parseStoreAddress(address, resolve) };
  throw new CommandFailure('usage', `${flag} names no store`, `Write ${flag} sqlite:PATH or ${flag} postgres://….`);
}

/** Matches the text, because URL parsers reject addresses with several hosts. */
export function refusePassword(address: string): void {
  if (!/^[^/]*\/\/[^/?]*:[^/?]*@/.test(address)) return;
  const todo = 'Leave it out, and set PGPASSWORD or ?passwordFile=FILE: other users can read command lines.';
  throw new CommandFailure('usage', 'the address holds a password', todo);
}
