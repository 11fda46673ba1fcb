import type { Author } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import type { Store } from '../../store/store.ts';
import { keyMarks } from '../../store/tables/key-marks.ts';
import { type Key, KeyringFault } from '../../tokens/keyring.ts';

/** Records, before a key's first token, that it mints. From then on every node needs it. True if this was new. */
export function markMinting(
  key: Key,
  before: Key | undefined,
  { store, by }: { store: Store; by: Author },
): Promise<boolean> {
  const { id, fingerprint } = key;
  return store.change(keyMarks, String(id), (found, at) => {
    if (found && found.row.fingerprint !== fingerprint) throw new KeyringFault(`the store knows another key ${id}`);
    const isSame = found && before === undefined;
    if (isSame) return { outcome: false };
    const act = { kind: 'key', id: String(id), did: 'minting', ...(before && { before: before.id }) } as const;
    const events = [acted(act, { at, by })];
    return { outcome: true, next: { id, fingerprint, retired: false }, events };
  });
}
