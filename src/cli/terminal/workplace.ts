// The surroundings of an administrative command: the configuration and the store that it names.
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { parseStoreAddress, type StoreAddress } from '../../config/store-address.ts';
import type { Author } from '../../core/act.ts';
import { openStore } from '../../open-store.ts';
import type { AdminPorts } from '../../operations/admin/admin.ts';
import type { Random } from '../../operations/ports.ts';
import { movedAwayAt, movedText } from '../../store/move-mark.ts';
import type { Store } from '../../store/store.ts';
import { systemRandom } from '../../system.ts';
import { CommandFailure } from './exit.ts';
import { todoOf } from './failure.ts';
import { remark } from './output.ts';

export interface Workplace extends AdminPorts {
  readonly config: Config;
  readonly random: Random;
  /** The public address of the service. */
  readonly issuer: string;
}

export async function configOf(command: Command): Promise<Config> {
  const { config: file, set: sets = [] } = command.optsWithGlobals<{ config?: string; set?: string[] }>();
  return loadConfig({ file, env: process.env, sets });
}

/** Opens the store, runs `work`, and closes the store even if `work` fails. */
export async function atWorkplace(command: Command, work: (workplace: Workplace) => Promise<void>): Promise<void> {
  return inWorkplace(await configOf(command), work);
}

export async function inWorkplace(config: Config, work: (workplace: Workplace) => Promise<void>): Promise<void> {
  const store = await openExisting(config);
  try {
    await warnOfMove(store);
    await work({ config, store, by: commandAuthor(), random: systemRandom, issuer: config.publicUrl });
  } finally {
    await store.close();
  }
}

/** Commands may still read the old store, and undo a move; a service refuses to start there. */
async function warnOfMove(store: Store): Promise<void> {
  const movedAt = await movedAwayAt(store);
  if (movedAt !== undefined) remark(`Warning: ${movedText(movedAt)}. The new store will not see a change made here.`);
}

/** Opens an existing store, also while a service uses it. A missing store is an error: only `init` makes one. */
async function openExisting(config: Config): Promise<Store> {
  return openStore(config, 'command').catch((error: Error) => {
    if (todoOf(error) !== undefined) throw error;
    throw new CommandFailure('store', `the store cannot be used: ${error.message}`, 'See: tessera doctor');
  });
}

/** The author of what a command does. Containers may run under a user id without a name. */
export function commandAuthor(): Author {
  try {
    return { as: 'command', user: userInfo().username };
  } catch {
    return { as: 'command', user: String(process.getuid?.() ?? 'unknown') };
  }
}

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
