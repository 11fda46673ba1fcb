// Tokens of a key that this node does not have. While a new key is rolled out, other nodes may mint with it already.
import { rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { type KeyMark, keyMarks } from '../../store/tables/registry.ts';
import { KeyMissing, type Keyring } from '../../tokens/keyring.ts';
import { keyIdOf } from '../../tokens/opaque/token-text.ts';
import type { Ports } from '../ports.ts';

const KEPT_MS = 1_000;
/** Caches for a second whether a key is in use. At most 255 entries per store, whatever callers send. */
const answersOf = new WeakMap<Store, Map<number, { readonly at: number; readonly inUse: Promise<boolean> }>>();

/** For a token that did not parse: throws KeyMissing if its key is in use, because then the token may be authentic. */
export async function failIfKeyMissing(text: string, ports: Pick<Ports, 'store' | 'keyring' | 'clock'>): Promise<void> {
  const id = keyIdOf(text);
  if (id === undefined || ports.keyring.key(id)) return;
  if (await isInUse(id, ports)) throw new KeyMissing(id);
}

function isInUse(id: number, { store, clock }: Pick<Ports, 'store' | 'clock'>): Promise<boolean> {
  const answers = answersOf.get(store) ?? new Map();
  answersOf.set(store, answers);
  const now = clock.milliseconds();
  const last = answers.get(id);
  if (last && Math.abs(now - last.at) < KEPT_MS) return last.inUse;
  const inUse = store.load(keyMarks, String(id)).then(({ found }) => found !== undefined && !found.row.retired);
  inUse.catch(() => answers.delete(id));
  answers.set(id, { at: now, inUse });
  return inUse;
}

/** Keys in use that this keyring does not have, or has with another fingerprint. */
export async function missingKeys({ store, keyring }: { store: Store; keyring: Keyring }): Promise<number[]> {
  const marks: readonly KeyMark[] = await Array.fromAsync(rows(store, keyMarks));
  return marks
    .filter(({ id, fingerprint, retired }) => !retired && keyring.key(id)?.fingerprint !== fingerprint)
    .map(({ id }) => id);
}
