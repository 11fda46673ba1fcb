// What integrations authenticate with: `tessera integration key` and `tessera integration secret`.
import { readFileSync } from 'node:fs';
import { isLocked } from '../../core/rules/client.ts';
import type { Seconds } from '../../core/time.ts';
import type { KeyAddition } from '../../operations/admin/integration-keys.ts';
import type { WrittenIntegration } from '../../operations/admin/objects.ts';
import { systemClock } from '../../system.ts';
import { group } from '../terminal/command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { readInput } from '../terminal/input.ts';
import { AS_JSON, argument, duration, flag, insteadOf, optionalArgument, text, texts } from '../terminal/options.ts';
import { print, printJson, printOnly, printTable, remark, result } from '../terminal/output.ts';
import { administers } from './administration.ts';
import type { Administration } from './steps.ts';

const CLIENT_ID = { clientId: argument('what callers send as client_id') };

export const key = group('public keys that an integration authenticates with (private_key_jwt)', {
  add: administers({
    about: 'add public keys; the private ones stay with the caller',
    arguments: {
      ...CLIENT_ID,
      file: optionalArgument('public keys: PEM, or JSON (a key or a key set); - for standard input'),
    },
    options: {
      url: text('<url>', 'fetch the keys from this address instead of a file; replaces what was there'),
      caFile: text('<file>', 'PEM: trust only these authorities when keys are fetched'),
      allowAddress: texts('<address>', 'an address or network off the public internet to fetch from'),
    },
    examples: [
      'tessera integration key add orders-sync orders-sync.pub.pem',
      'tessera integration key add orders-sync --url https://orders.example.com/jwks',
    ],
    run: addKeys,
  }),
  list: administers({
    about: 'list the public keys of an integration',
    arguments: CLIENT_ID,
    options: AS_JSON,
    examples: ['tessera integration key list orders-sync'],
    run: printKeys,
  }),
  remove: administers({
    about: 'accept a key no longer; existing grants stay',
    arguments: { ...CLIENT_ID, kid: argument('the id of the key, or the address of the keys') },
    examples: ['tessera integration key remove orders-sync 2027-01'],
    run: removeKey,
  }),
});

export const secret = administers({
  about: 'make a secret and print it, this once; an earlier one stays valid beside it, until its own end',
  arguments: CLIENT_ID,
  options: {
    endsIn: duration('how long it is valid; required, at most 180d'),
    dropOld: insteadOf(['endsIn', 'dropAll'], flag('make none; end the older of two')),
    dropAll: insteadOf(['endsIn'], flag('make none; end all of them')),
  },
  examples: [
    'tessera integration secret orders-sync --ends-in 90d > orders-sync.secret',
    'tessera integration secret orders-sync --drop-old',
  ],
  run: makeSecret,
});

function remarkIfLocked(integration: WrittenIntegration): void {
  if (isLocked(integration, systemClock.milliseconds()))
    remark('It has no key or secret now, and stays confidential: it authenticates nobody until it has one.');
}

interface KeyFlags {
  readonly clientId: string;
  readonly file?: string;
  readonly url?: string;
  readonly caFile?: string;
  readonly allowAddress?: readonly string[];
}

interface SecretFlags {
  readonly clientId: string;
  readonly endsIn?: Seconds;
  readonly dropOld?: true;
  readonly dropAll?: boolean;
}

async function addKeys({ clientId, ...flags }: KeyFlags, { act }: Administration): Promise<void> {
  const body = additionOf(flags);
  const { keys: names = [] } = await act('integration-key-add', { id: clientId, body });
  print(`${clientId} authenticates with ${names.join(', ')}`);
  result({ clientId, keys: names });
}

function additionOf({ file, url, caFile, allowAddress }: Omit<KeyFlags, 'clientId'>): KeyAddition {
  if ((file === undefined) === (url === undefined))
    throw new CommandFailure('usage', 'give either a file or --url', 'One of them holds the public keys.');
  if (url === undefined) return { file: readInput(file) };
  return {
    url,
    ...(caFile !== undefined && { authorities: readFileSync(caFile, 'latin1') }),
    ...(allowAddress && { allowedAddresses: allowAddress }),
  };
}

type ListFlags = { readonly clientId: string; readonly json?: true };

async function printKeys({ clientId: id, json }: ListFlags, { act }: Administration): Promise<void> {
  const { items } = await act('integration-key-list', { id });
  if (json) return printJson(items);
  const [{ url } = {}] = items;
  if (url !== undefined) return printTable(['keys from'], [[url]]);
  const lines = items.map(({ kid = '', kty = '', crv = '', alg = '' }) => [kid, `${kty} ${crv}`.trim(), alg]);
  printTable(['kid', 'kind', 'alg'], lines);
}

type RemoveFlags = { readonly clientId: string; readonly kid: string };

async function removeKey({ clientId, kid }: RemoveFlags, { act }: Administration): Promise<void> {
  const left = await act('integration-key-remove', { id: clientId, query: { key: kid } });
  print(`${kid} no longer authenticates ${clientId}`);
  remarkIfLocked(left);
  result({ clientId, removed: kid });
}

/** The secret alone goes to standard output, so that it can be sent to a file. */
async function makeSecret(flags: SecretFlags, { act }: Administration): Promise<void> {
  const { clientId: id, endsIn, dropOld, dropAll: all = false } = flags;
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
