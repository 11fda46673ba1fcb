// What integrations authenticate with: `tessera integration key` and `tessera integration secret`.
import { readFileSync } from 'node:fs';
import { isLocked } from '../../core/rules/client.ts';
import type { Seconds } from '../../core/time.ts';
import type { KeyAddition } from '../../operations/admin/integration-keys.ts';
import type { WrittenIntegration } from '../../operations/admin/objects.ts';
import { systemClock } from '../../system.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { readInput } from '../terminal/input.ts';
import { print, printJson, printOnly, printTable, remark, result } from '../terminal/output.ts';
import { administering } from './administration.ts';
import type { Administration } from './steps.ts';

export const PROOFS_TEXT = `
integration key               public keys that an integration authenticates with (private_key_jwt)
integration key add <client_id> [file]  add public keys; the private ones stay with the caller
  [file]                      public keys: PEM, or JSON (a key or a key set); - for standard input
  --url <url>                 fetch the keys from this address instead of a file; replaces what was there
  --ca-file <file>            PEM: trust only these authorities when keys are fetched
  --allow-address <address>   an address or network off the public internet to fetch from; may be repeated
  $ tessera integration key add orders-sync orders-sync.pub.pem
  $ tessera integration key add orders-sync --url https://orders.example.com/jwks
integration key list <client_id>  list the public keys of an integration
  --json                      as JSON
  $ tessera integration key list orders-sync
integration key remove <client_id> <kid>  accept a key no longer; existing grants stay
  <kid>                       the id of the key, or the address of the keys
  $ tessera integration key remove orders-sync 2027-01
integration secret <client_id>  make a secret and print it, this once; an earlier one stays valid beside it, until its
      own end
  --ends-in <duration>        how long it is valid; required, at most 180d
  --drop-old                  make none; end the older of two
  --drop-all                  make none; end all of them
  $ tessera integration secret orders-sync --ends-in 90d > orders-sync.secret
  $ tessera integration secret orders-sync --drop-old
`;

export const PROOFS_WORKS = {
  'integration key add': administering(addKeys),
  'integration key list': administering(printKeys),
  'integration key remove': administering(removeKey),
  'integration secret': administering(makeSecret),
};

function remarkIfLocked(integration: WrittenIntegration): void {
  if (isLocked(integration, systemClock.milliseconds()))
    remark('It has no key or secret now, and stays confidential: it authenticates nobody until it has one.');
}

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

async function addKeys(clientId: string, file: string | undefined, flags: KeyFlags, { act }: Administration) {
  const body = additionOf(file, flags);
  const { keys: names = [] } = await act('integration-key-add', { id: clientId, body });
  print(`${clientId} authenticates with ${names.join(', ')}`);
  result({ clientId, keys: names });
}

function additionOf(file: string | undefined, { url, caFile, allowAddress }: KeyFlags): KeyAddition {
  if ((file === undefined) === (url === undefined))
    throw new CommandFailure('usage', 'give either a file or --url', 'One of them holds the public keys.');
  if (url === undefined) return { file: readInput(file) };
  return {
    url,
    ...(caFile !== undefined && { authorities: readFileSync(caFile, 'latin1') }),
    ...(allowAddress && { allowedAddresses: allowAddress }),
  };
}

async function printKeys(id: string, { json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = await act('integration-key-list', { id });
  if (json) return printJson(items);
  const [{ url } = {}] = items;
  if (url !== undefined) return printTable(['keys from'], [[url]]);
  const lines = items.map(({ kid = '', kty = '', crv = '', alg = '' }) => [kid, `${kty} ${crv}`.trim(), alg]);
  printTable(['kid', 'kind', 'alg'], lines);
}

async function removeKey(clientId: string, kid: string, _: unknown, { act }: Administration): Promise<void> {
  const left = await act('integration-key-remove', { id: clientId, query: { key: kid } });
  print(`${kid} no longer authenticates ${clientId}`);
  remarkIfLocked(left);
  result({ clientId, removed: kid });
}

/** The secret alone goes to standard output, so that it can be sent to a file. */
async function makeSecret(id: string, flags: SecretFlags, { act }: Administration): Promise<void> {
  const { endsIn, dropOld, dropAll: all = false } = flags;
  if (dropOld || all) {
    const left = await act('integration-secret-drop', { id, query: { all } });
    print(`The ${all ? 'secrets' : 'old secret'} of ${id} ${all ? 'are' : 'is'} no longer valid`);
    remarkIfLocked(left);
    return result({ clientId: id });
  }
  if (endsIn === undefined)
    throw new CommandFailure('usage', 'a secret needs an end', 'Give --ends-in 90d, or less; 180d at most.');
  const { secret, endsAt } = await act('integration-secret-make', { id, query: { endsIn } });
  printOnly(secret, { clientId: id, secret, endsAt });
  remark(`This is shown once. It is valid within a second, until ${endsAt}.`);
}
