// The public keys that an integration authenticates with (private_key_jwt).
import { isKeyAddress } from '../../assertions/fetch-keys.ts';
import { type ClientKeys, type Integration, keyNames } from '../../core/integration.ts';
import type { FetchSettings } from '../../core/key-source.ts';
import { accept } from '../../core/outcome.ts';
import { readPublicJwk, readPublicKeys } from '../../tokens/jwk.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { rewriteIntegration } from './change-integration.ts';
import { ending } from './perform.ts';
import { checkedFetch } from './token-issuer-draft.ts';

/** The text of a file with public keys, or the address of a key set, which replaces what was there. */
export type KeyAddition = { readonly file: string } | ({ readonly url: string } & FetchSettings);

const MOST_KEYS = 10;

type Jwk = Readonly<Record<string, unknown>> & { readonly kid: string };

export function addIntegrationKeys(
  clientId: string,
  given: KeyAddition,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  return rewriteIntegration(clientId, ports, (before) => {
    const keys = 'file' in given ? fromFile(given.file, before) : fromAddress(given);
    if (!keys.ok) return keys;
    const known = keyNames(before.keys);
    const key = keyNames(keys.value).filter((name) => !known.includes(name));
    return accept({ next: { ...before, keys: keys.value }, deed: { did: 'key-added', key: key.join(' ') } });
  });
}

/** `name`: the id of the key, or the address of the keys. */
export function removeIntegrationKey(
  clientId: string,
  name: string,
  ports: AdminPorts,
): Promise<AdminOutcome<Integration>> {
  return rewriteIntegration(clientId, ports, (before, at) =>
    keyNames(before.keys).includes(name)
      ? ending('integration', before, { did: 'key-removed', ended: [name] }, at)
      : decline('public-key-unknown', name),
  );
}

function fromAddress({ url, ...settings }: { readonly url: string } & FetchSettings): AdminOutcome<ClientKeys> {
  if (!isKeyAddress(url)) return decline('key-address-malformed', url);
  const checked = checkedFetch(settings);
  return checked.ok ? accept({ from: 'url', url, ...settings }) : checked;
}

function fromFile(text: string, { keys: before }: Integration): AdminOutcome<ClientKeys> {
  const found = readPublicKeys(text);
  if (typeof found === 'string') return decline('public-key-unusable', found);
  const known = before?.from === 'file' ? (JSON.parse(before.set) as { readonly keys: readonly Jwk[] }).keys : [];
  const added: Jwk[] = [];
  for (const value of found) {
    const read = readPublicJwk(value);
    if (typeof read === 'string') return decline('public-key-unusable', read);
    const { kid, alg } = value;
    const name = typeof kid === 'string' && kid !== '' ? kid : read.thumbprint;
    if (NAME.test(name) && !added.some((other) => other.kid === name))
      added.push({ ...read.members, kid: name, ...(typeof alg === 'string' && { alg }), use: 'sig' });
    else return decline('public-key-unusable', 'a kid is longer than 200 characters, has a space, or occurs twice');
  }
  const others = known.filter(({ kid }) => !added.some((key) => key.kid === kid));
  const all = [...others, ...added];
  if (added.length === 0 || all.length > MOST_KEYS) return decline('public-keys-too-many', `${MOST_KEYS}`);
  return accept({ from: 'file', set: JSON.stringify({ keys: all }) });
}

const NAME = /^[!-~]{1,200}$/;
