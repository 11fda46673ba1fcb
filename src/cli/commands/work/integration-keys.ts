// What integrations authenticate with: `tessera integration key` and `tessera integration secret`.
import { readFileSync } from 'node:fs';
import { type Integration, keyNames } from '../../../core/integration.ts';
import { isoTime, type Seconds } from '../../../core/time.ts';
import { findIntegration } from '../../../operations/admin/find-integration.ts';
import {
  addIntegrationKeys,
  type KeyAddition,
  removeIntegrationKey,
} from '../../../operations/admin/integration-keys.ts';
import { dropIntegrationSecrets, makeIntegrationSecret } from '../../../operations/admin/integration-secret.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { print, printJson, printOnly, printTable, remark, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';

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
  workplace: Workplace,
): Promise<void> {
  const integration = accepted(await addIntegrationKeys(clientId, additionOf(file, flags), workplace));
  const names = keyNames(integration.keys);
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

export async function printKeys(clientId: string, { json }: { json?: true }, workplace: Workplace): Promise<void> {
  const { keys } = accepted(await findIntegration(clientId, workplace));
  if (keys?.from === 'url') return json ? printJson([{ url: keys.url }]) : printTable(['keys from'], [[keys.url]]);
  const found = keys ? (JSON.parse(keys.set) as { readonly keys: readonly Record<string, string>[] }).keys : [];
  if (json) return printJson(found);
  const lines = found.map(({ kid = '', kty = '', crv = '', alg = '' }) => [kid, `${kty} ${crv}`.trim(), alg]);
  printTable(['kid', 'kind', 'alg'], lines);
}

export async function removeKey(clientId: string, kid: string, _: unknown, workplace: Workplace): Promise<void> {
  accepted(await removeIntegrationKey(clientId, kid, workplace));
  print(`${kid} no longer authenticates ${clientId}`);
  result({ clientId, removed: kid });
}

/** The secret alone goes to standard output, so that it can be sent to a file. */
export async function makeSecret(clientId: string, flags: SecretFlags, workplace: Workplace): Promise<void> {
  const { endsIn, dropOld, dropAll = false } = flags;
  if (dropOld || dropAll) {
    accepted(await dropIntegrationSecrets(clientId, { all: dropAll }, workplace));
    print(`The ${dropAll ? 'secrets' : 'old secret'} of ${clientId} ${dropAll ? 'are' : 'is'} no longer valid`);
    return result({ clientId });
  }
  if (endsIn === undefined)
    throw new CommandFailure('usage', 'a secret needs an end', 'Give --ends-in 90d, or less; 180d at most.');
  const { secret, endsAt } = accepted(await makeIntegrationSecret(clientId, endsIn, workplace));
  printOnly(secret.reveal(), { clientId, secret: secret.reveal(), endsAt: isoTime(endsAt) });
  remark(`This is shown once. It is valid within a second, until ${isoTime(endsAt)}.`);
}

/** What operators see of keys and secrets: their names and times. */
export function shownProofs({ keys, secrets }: Integration) {
  const made = (secrets ?? []).map(({ createdAt, endsAt }) => ({
    createdAt: isoTime(createdAt),
    endsAt: isoTime(endsAt),
  }));
  return { ...(keys && { keys: keyNames(keys) }), ...(secrets && { secrets: made }) };
}
