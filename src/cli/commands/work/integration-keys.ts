// What integrations authenticate with: `tessera integration key` and `tessera integration secret`.
import { readFileSync } from 'node:fs';
import type { Seconds } from '../../../core/time.ts';
import type { KeyAddition } from '../../../operations/admin/integration-keys.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { print, printJson, printOnly, printTable, remark, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Administration } from './steps.ts';

interface KeyFlags {
  readonly url?: string;
  readonly caFile?: string;
  readonly allowAddress?: readonly string[];
}

interface SecretFlags {
  readonly endsIn?: Seconds;
  readonly dropOld?: true;
  readonly dropAll?: true;
}

export async function addKeys(
  clientId: string,
  file: string | undefined,
  flags: KeyFlags,
  { act }: Administration,
): Promise<void> {
  const body = additionOf(file, flags);
  const { keys: names = [] } = accepted(await act('integration-key-add', { id: clientId, body })).value;
  print(`${clientId} authenticates with ${names.join(', ')}`);
  result({ clientId, keys: names });
}

function additionOf(file: string | undefined, { url, caFile, allowAddress }: KeyFlags): KeyAddition {
  if ((file === undefined) === (url === undefined))
    throw new CommandFailure('usage', 'give either a file or --url', 'One of them holds the public keys.');
  if (url === undefined) return { file: readFileSync(file === '-' || file === undefined ? 0 : file, 'utf8') };
  return {
    url,
    ...(caFile !== undefined && { authorities: readFileSync(caFile, 'latin1') }),
    ...(allowAddress && { allowedAddresses: allowAddress }),
  };
}

export async function printKeys(id: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('integration-key-list', { id })).value;
  if (json) return printJson(items);
  const [{ url } = {}] = items;
  if (url !== undefined) return printTable(['keys from'], [[url]]);
  const lines = items.map(({ kid = '', kty = '', crv = '', alg = '' }) => [kid, `${kty} ${crv}`.trim(), alg]);
  printTable(['kid', 'kind', 'alg'], lines);
}

export async function removeKey(clientId: string, kid: string, _: unknown, { act }: Administration): Promise<void> {
  accepted(await act('integration-key-remove', { id: clientId, query: { key: kid } }));
  print(`${kid} no longer authenticates ${clientId}`);
  result({ clientId, removed: kid });
}

/** The secret alone goes to standard output, so that it can be sent to a file. */
export async function makeSecret(id: string, flags: SecretFlags, { act }: Administration): Promise<void> {
  const { endsIn, dropOld, dropAll: all = false } = flags;
  if (dropOld || all) {
    accepted(await act('integration-secret-drop', { id, query: { all } }));
    print(`The ${all ? 'secrets' : 'old secret'} of ${id} ${all ? 'are' : 'is'} no longer valid`);
    return result({ clientId: id });
  }
  if (endsIn === undefined)
    throw new CommandFailure('usage', 'a secret needs an end', 'Give --ends-in 90d, or less; 180d at most.');
  const { secret, endsAt } = accepted(await act('integration-secret-make', { id, query: { endsIn } })).value;
  printOnly(secret, { clientId: id, secret, endsAt });
  remark(`This is shown once. It is valid within a second, until ${endsAt}.`);
}
