import { acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import { rows } from '../../store/pages.ts';
import { keyMarks } from '../../store/tables/key-marks.ts';
import { addKey, KEY_ID_MAX, nextKeyId, type StoredKey } from '../../tokens/keyring.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

/** Returns the keys with a new check-only key. The caller stores them. */
export async function addToKeyring(
  keys: readonly StoredKey[],
  { store, by }: AdminPorts,
): Promise<AdminOutcome<readonly StoredKey[]>> {
  const used = await Array.fromAsync(rows(store, keyMarks), ({ id }) => id);
  const id = nextKeyId(keys, used);
  if (id > KEY_ID_MAX) return decline('key-ids-exhausted', `${KEY_ID_MAX}`);
  await store.change(keyMarks, String(id), (_, at) => ({
    outcome: undefined,
    events: [acted({ kind: 'key', id: String(id), did: 'added' }, { at, by })],
  }));
  return accept(addKey(keys, id));
}
