import { readKeys } from '../../config/keys.ts';
import type { Config } from '../../config/schema.ts';
import { checkKeyring } from '../../operations/admin/check-keyring.ts';
import type { Store } from '../../store/store.ts';
import { Keyring } from '../../tokens/keyring.ts';
import { bad, type Finding, good } from './finding.ts';

/** Whether a service with this keyring would start on this store. */
export async function examineKeyring(config: Config, store: Store): Promise<Finding[]> {
  try {
    const keys = readKeys(config, process.env);
    const { minting } = await checkKeyring(keys && new Keyring(keys), store);
    return [good('keyring', `has every key in use; key ${minting.id} mints`)];
  } catch (error) {
    return [bad('keyring', (error as Error).message, 'The service does not start until this is fixed.')];
  }
}
