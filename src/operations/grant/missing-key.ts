// Tokens of a key that this node does not have. While a new key is rolled out, other nodes may mint with it already.
import type { KeyMark } from '../../core/signing-key.ts';
import { rows } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { keyMarks } from '../../store/tables/signing-keys.ts';
import { isSigned } from '../../tokens/access-token.ts';
import { namedKeyOf } from '../../tokens/jwt/jwt.ts';
import { KeyMissing } from '../../tokens/keyring.ts';
import { keyIdOf } from '../../tokens/opaque/token-text.ts';
import type { Ports } from '../ports.ts';

const KEPT_MS = 1_000;
/** Caches for a second whether a key is in use. At most 255 entries per store, whatever callers send. */
const answersOf = new WeakMap<Store, Map<number, { readonly at: number; readonly inUse: Promise<boolean> }>>();

/** For a token that did not parse: throws KeyMissing if its key is in use, because then the token may be authentic. */
export async function failIfKeyMissing(
  text: string,
  ports: Pick<Ports, 'store' | 'keyring' | 'registry' | 'clock'>,
): Promise<void> {
  const signing = namedKeyOf(text, ports.registry);
  if (signing !== undefined && !ports.keyring.signingKey(signing)) throw new KeyMissing(signing);
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
export async function missingKeys(ports: Pick<Ports, 'store' | 'keyring' | 'registry'>): Promise<(number | string)[]> {
  return [...(await missingMacKeys(ports)), ...missingSigningKeys(ports)];
}

async function missingMacKeys({ store, keyring }: Pick<Ports, 'store' | 'keyring'>): Promise<number[]> {
  const marks: readonly KeyMark[] = await Array.fromAsync(rows(store, keyMarks));
  return marks
    .filter(({ id, fingerprint, retired }) => !retired && keyring.key(id)?.fingerprint !== fingerprint)
    .map(({ id }) => id);
}

/** The key that signs must be here if an integration needs it. Others may come with the next copy of the keyring. */
function missingSigningKeys({ keyring, registry }: Pick<Ports, 'keyring' | 'registry'>): string[] {
  const { signingKey, integrations } = registry;
  if (signingKey && keyring.signingKey(signingKey.id)) return [];
  const isNeeded = integrations.some(({ accessTokenFormat }) => isSigned(accessTokenFormat));
  return isNeeded ? [signingKey?.id ?? 'for JWTs'] : [];
}
