import { readKeys } from '../../config/keys.ts';
import type { Config } from '../../config/schema.ts';
import { signingKeyOf } from '../../core/rules/signing-keys.ts';
import { checkKeyring } from '../../operations/admin/check-keyring.ts';
import { allPublishedKeys } from '../../operations/admin/signing-keys.ts';
import type { Store } from '../../store/store.ts';
import { Keyring } from '../../tokens/keyring.ts';
import { bad, type Finding, good } from './finding.ts';

/** Whether a service with this keyring would start on this store, and sign. */
export async function examineKeyring(config: Config, store: Store): Promise<Finding[]> {
  try {
    const keys = readKeys(config, process.env);
    const keyring = await checkKeyring(keys && new Keyring(keys), store);
    return [
      good('keyring', `has every key in use; key ${keyring.minting.id} mints`),
      ...(await examineSigning(keyring, store)),
    ];
  } catch (error) {
    return [bad('keyring', (error as Error).message, 'The service does not start until this is fixed.')];
  }
}

async function examineSigning(keyring: Keyring, store: Store): Promise<Finding[]> {
  const signing = signingKeyOf(await allPublishedKeys(store));
  if (!signing) return [];
  if (keyring.signingKey(signing.id)) return [good('signing key', `key ${signing.id} signs`)];
  const todo =
    'Copy the keyring from a node that has it. If it is lost: tessera keyring add --signing ES256, then mint --force.';
  return [bad('signing key', `the keyring lacks key ${signing.id}, which signs`, todo)];
}
