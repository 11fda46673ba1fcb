import type { Store } from '../../store/store.ts';
import { keyMarks } from '../../store/tables/key-marks.ts';
import { type Key, KeyringFault } from '../../tokens/keyring.ts';
import { administered } from './admin.ts';

/** Records, before a key's first token, that it mints. From then on every node needs it. True if this was new. */
export function markMinting(
  key: Key,
  before: Key | undefined,
  { store, by }: { store: Store; by: string },
): Promise<boolean> {
  const { id, fingerprint } = key;
  return store.change(keyMarks, String(id), (found, at) => {
    if (found && found.row.fingerprint !== fingerprint) throw new KeyringFault(`the store knows another key ${id}`);
    const isSame = found && before === undefined;
    if (isSame) return { outcome: false };
    const detail = { key: id, ...(before && { before: before.id }) };
    const events = [administered('key minting', { at, by, detail })];
    return { outcome: true, next: { id, fingerprint, retired: false }, events };
  });
}
