// The public keys that an integration authenticates with (private_key_jwt).
import { type ClientKeys, type Integration, keyMarks } from '../../core/integration.ts';
import { type FetchSettings, isKeyAddress } from '../../core/key-source.ts';
import { accept } from '../../core/outcome.ts';
import type { StorePort } from '../../store/store.ts';
import { readPublicJwk, readPublicKeys } from '../../tokens/jwk.ts';
import { answering } from './acts/act.ts';
import { checkedFetch } from './acts/work/token-issuer.ts';
import { type Acted, type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { ending, findThing, rewrite } from './perform.ts';

/** The text of a file with public keys, or the address of a key set, which replaces what was there. */
export type KeyAddition = { readonly file: string } | ({ readonly url: string } & FetchSettings);

const MOST_KEYS = 10;

/** Its members are texts. */
type Jwk = Readonly<Record<string, string>> & { readonly kid: string; readonly thumbprint: string };

export function addIntegrationKeys(clientId: string, given: KeyAddition, ports: AdminPorts): Acted<Integration> {
  return rewrite('integration', clientId, ports, (before) => {
    const keys = 'file' in given ? fromFile(given.file, knownIn(before.keys)) : fromAddress(given);
    if (!keys.ok) return keys;
    const [known, now] = [keyMarks(before.keys), keyMarks(keys.value)];
    const ended = known.filter((mark) => !now.includes(mark));
    const key = now.filter((mark) => !known.includes(mark)).join(' ');
    const next = { ...before, keys: keys.value, confidential: true };
    const first = ended.length > 0 && ({ first: { did: 'key-removed', ended } } as const);
    return accept({ next, ...first, deed: { did: 'key-added', key } });
  });
}

/** `name`: the id of the key, or the address of the keys. */
export function removeIntegrationKey(clientId: string, name: string, ports: AdminPorts): Acted<Integration> {
  return rewrite('integration', clientId, ports, (before, at) => {
    const ended = keyMarks(before.keys, name);
    return ended.length > 0
      ? ending('integration', before, { did: 'key-removed', ended }, at)
      : decline('public-key-unknown', name);
  });
}

function fromAddress({ url, ...settings }: { readonly url: string } & FetchSettings): AdminOutcome<ClientKeys> {
  if (!isKeyAddress(url)) return decline('key-address-malformed', url);
  const checked = checkedFetch(settings);
  return checked.ok ? accept({ from: 'url', url, ...checked.value }) : checked;
}

/** All keys at once, as files and requests have them. An empty set: none. */
export function replacedKeys(keys: ClientKeys): AdminOutcome<ClientKeys | undefined> {
  if (keys.from === 'url') return fromAddress(keys);
  const found = readPublicKeys(keys.set);
  return typeof found !== 'string' && found.length === 0 ? accept(undefined) : fromFile(keys.set, []);
}

/** The keys, or where they are fetched from. */
export async function listKeys(clientId: string, ports: StorePort) {
  const found = await findThing('integration', clientId, ports);
  return answering(found, ({ keys }) => ({ items: keys?.from === 'url' ? [{ url: keys.url }] : knownIn(keys) }));
}

function knownIn(keys: Integration['keys']): readonly Jwk[] {
  return keys?.from === 'file' ? (JSON.parse(keys.set) as { readonly keys: readonly Jwk[] }).keys : [];
}

function fromFile(text: string, known: readonly Jwk[]): AdminOutcome<ClientKeys> {
  const found = readPublicKeys(text);
  if (typeof found === 'string') return decline('public-key-unusable', found);
  const added: Jwk[] = [];
  for (const value of found) {
    const read = readPublicJwk(value);
    if (typeof read === 'string') return decline('public-key-unusable', read);
    const { kid, alg } = value;
    const name = typeof kid === 'string' && kid !== '' ? kid : read.thumbprint;
    const { members, thumbprint } = read;
    if (known.some((other) => other.kid === name && other.thumbprint !== thumbprint))
      return decline(
        'public-key-unusable',
        `another key has the kid ${name}; remove that first, or give this one a new kid`,
      );
    if (NAME.test(name) && !added.some((other) => other.kid === name))
      added.push({ ...members, kid: name, thumbprint, ...(typeof alg === 'string' && { alg }), use: 'sig' });
    else return decline('public-key-unusable', 'a kid is longer than 200 characters, has a space, or occurs twice');
  }
  const others = known.filter(({ kid }) => !added.some((key) => key.kid === kid));
  const all = [...others, ...added];
  if (added.length === 0) return decline('public-key-unusable', 'it has none');
  if (all.length > MOST_KEYS) return decline('public-keys-too-many', `${MOST_KEYS}`);
  return accept({ from: 'file', set: JSON.stringify({ keys: all }) });
}

const NAME = /^[!-~]{1,200}$/;
