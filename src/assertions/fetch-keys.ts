// Fetches the keys of a token issuer, by discovery (OpenID Connect Discovery 1.0) or from a known address.
import { whyNotPublicKeys } from '../core/client-document.ts';
import { parseObject } from '../core/json.ts';
import { type FetchSettings, isKeyAddress } from '../core/key-source.ts';
import { accept, type Outcome, refused } from '../core/outcome.ts';
import type { TokenIssuer } from '../core/token-issuer.ts';
import { download, type Fetch, tooLargeFor } from '../outbound/download.ts';
import { readKeySet } from './key-set.ts';

const DOCUMENT_BYTES = 65_536;
const KEY_SET_BYTES = 524_288;
const GUEST_KEY_SET_BYTES = 32_768;
/** For each of the two downloads. */
const FETCH_MS = 5_000;

export interface FetchedKeys {
  readonly text: string;
  /** Why the keys that were published count as withdrawn. */
  readonly flaw?: string;
}

const NO_KEYS = '{"keys":[]}';

/** A guest that publishes a set that must not be used has withdrawn its keys: those known before are not trusted any longer. */
export async function fetchKeys({ issuer, keys }: TokenIssuer, fetch: Fetch): Promise<Outcome<FetchedKeys, string>> {
  if (keys.from === 'file') return accept({ text: keys.set });
  const url = keys.from === 'url' ? accept(keys.url) : await discover(issuer, keys, fetch);
  if (!url.ok) return url;
  const most = keys.isOfGuest ? GUEST_KEY_SET_BYTES : KEY_SET_BYTES;
  const got = await get(url.value, most, keys, fetch);
  if (!got.ok) {
    const isTooLarge = got.refusal === `${url.value}: ${tooLargeFor(most)}`;
    return keys.isOfGuest && isTooLarge ? accept({ text: NO_KEYS, flaw: got.refusal }) : got;
  }
  const set = parseObject(got.value);
  const read = readKeySet(got.value);
  const why = (keys.isOfGuest && whyNotPublicKeys(set)) || (read.ok ? undefined : read.refusal);
  if (why === undefined) return accept({ text: got.value });
  const flaw = `${url.value}: ${why}`;
  return keys.isOfGuest && Array.isArray(set?.['keys']) ? accept({ text: NO_KEYS, flaw }) : refused(flaw);
}

export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** The address of the keys. The document must be that of this issuer (OpenID Connect Discovery 1.0, 4.3). */
async function discover(issuer: string, settings: FetchSettings, fetch: Fetch): Promise<Outcome<string, string>> {
  const url = discoveryUrl(issuer);
  const text = await get(url, DOCUMENT_BYTES, settings, fetch);
  if (!text.ok) return text;
  const document = parseObject(text.value);
  if (!document) return refused(`${url}: it is not a JSON object`);
  if (document['issuer'] !== issuer) return refused(`${url}: its issuer is not ${issuer}`);
  const keys = document['jwks_uri'];
  if (typeof keys !== 'string' || !isKeyAddress(keys)) return refused(`${url}: its jwks_uri is not an https address`);
  return accept(keys);
}

async function get(
  url: string,
  maxBytes: number,
  { allowedAddresses: allowed = [], authorities }: FetchSettings,
  fetch: Fetch,
): Promise<Outcome<string, string>> {
  const got = await download(fetch, url, {
    maxBytes,
    withinMs: FETCH_MS,
    allowed,
    headers: { accept: 'application/json' },
    ...(authorities !== undefined && { authorities }),
  });
  return got.ok ? accept(new TextDecoder().decode(got.value)) : refused(`${url}: ${got.refusal}`);
}
