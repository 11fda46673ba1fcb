import { X509Certificate } from 'node:crypto';
import { discoveryUrl, isKeyAddress } from '../../assertions/fetch-keys.ts';
import { readKeySet } from '../../assertions/key-set.ts';
import type { FetchSettings, KeySource } from '../../core/key-source.ts';
import { accept } from '../../core/outcome.ts';
import { type Seconds, seconds } from '../../core/time.ts';
import type { AssertionAlgorithm, TokenIssuer } from '../../core/token-issuer.ts';
import { isAddressRange } from '../../outbound/address-filter.ts';
import { readPem } from '../../pki/der/pem.ts';
import { type AdminOutcome, decline } from './admin.ts';
import { readRules } from './assertion-rules.ts';

/** Fields that are left out get their default, or keep their value. */
export interface TokenIssuerDraft {
  readonly keys?: KeyDraft;
  readonly allowedAddresses?: readonly string[];
  /** PEM; an empty text: those of the system. */
  readonly authorities?: string;
  readonly algorithms?: readonly AssertionAlgorithm[];
  /** An empty text: our own issuer. */
  readonly audience?: string;
  readonly assertions?: TokenIssuer['assertions'];
  readonly maxAssertionLifetime?: Seconds;
  readonly kind?: 'platform' | 'enterprise';
  readonly tokenEndpointAudience?: boolean;
  /** In the format of a file: see assertion-rules.ts. */
  readonly rules?: unknown;
}

export type KeyDraft =
  | { readonly from: 'discovery' }
  | { readonly from: 'url'; readonly url: string }
  | { readonly from: 'file'; readonly set: string };

/** What common platforms sign with. */
const USUAL_ALGORITHMS: readonly AssertionAlgorithm[] = ['RS256', 'ES256'];
const USUAL_LIFETIME = seconds(3600);
/** Kubernetes can make tokens for a year. */
const LONGEST_LIFETIME = seconds(366 * 86_400);
const TEXT_MAX_LENGTH = 512;

/** A new token issuer, or `before` with the draft's changes. */
export function draftedTokenIssuer(
  { label, issuer }: Pick<TokenIssuer, 'label' | 'issuer'>,
  draft: TokenIssuerDraft,
  before?: TokenIssuer,
): AdminOutcome<TokenIssuer> {
  if (!isText(issuer)) return decline('token-issuer-malformed', issuer);
  const keys = draftedKeys(issuer, draft, before?.keys);
  if (!keys.ok) return keys;
  const rules = draft.rules === undefined && before ? accept(before.rules) : readRules(draft.rules);
  if (!rules.ok) return rules;
  const audience = draft.audience ?? before?.audience;
  if (audience && !isText(audience)) return decline('assertion-audience-malformed', audience);
  const maxAssertionLifetime = draft.maxAssertionLifetime ?? before?.maxAssertionLifetime ?? USUAL_LIFETIME;
  if (maxAssertionLifetime < 1 || maxAssertionLifetime > LONGEST_LIFETIME)
    return decline('assertion-lifetime-malformed', `${maxAssertionLifetime}`);
  const { kind, tokenEndpointAudience } = { ...before, ...draft };
  return accept({
    label,
    issuer,
    keys: keys.value,
    algorithms: draft.algorithms ?? before?.algorithms ?? USUAL_ALGORITHMS,
    ...(kind === 'enterprise' && { kind }),
    ...(audience && { audience }),
    ...(tokenEndpointAudience && { tokenEndpointAudience }),
    assertions: draft.assertions ?? before?.assertions ?? 'once',
    maxAssertionLifetime,
    rules: rules.value,
    enabled: true,
  });
}

function draftedKeys(
  issuer: string,
  { keys: given, allowedAddresses, authorities }: TokenIssuerDraft,
  before: KeySource | undefined,
): AdminOutcome<KeySource> {
  const checked = checkedFetch({ ...(allowedAddresses && { allowedAddresses }), ...(authorities && { authorities }) });
  if (!checked.ok) return checked;
  const keys = given ?? before ?? { from: 'discovery' };
  if (keys.from === 'file') {
    const read = readKeySet(keys.set);
    if (!read.ok) return decline('key-set-unusable', read.refusal);
    if (read.value.isEmpty) return decline('key-set-unusable', 'it has no public key for signatures');
    return accept({ from: 'file', set: keys.set });
  }
  const url = keys.from === 'url' ? keys.url : discoveryUrl(issuer);
  if (!isKeyAddress(url)) return decline('key-address-malformed', url);
  const settings = settingsOf({
    ...settingsOf(before?.from === 'file' ? {} : before),
    ...(allowedAddresses && { allowedAddresses }),
    ...(authorities !== undefined && { authorities }),
  });
  return accept(keys.from === 'url' ? { from: 'url', url, ...settings } : { from: 'discovery', ...settings });
}

/** The settings, if they can be used. */
export function checkedFetch(settings: FetchSettings): AdminOutcome<FetchSettings> {
  const { allowedAddresses = [], authorities } = settings;
  const wrong = allowedAddresses.find((text) => !isAddressRange(text));
  if (wrong !== undefined) return decline('address-range-malformed', wrong);
  if (authorities !== undefined && !areCertificates(authorities)) return decline('authorities-unreadable', '');
  return accept(settings);
}

/** They stay if only the address of the keys changes. Empty ones are removed. */
function settingsOf({ allowedAddresses = [], authorities }: FetchSettings = {}): FetchSettings {
  return { ...(allowedAddresses.length > 0 && { allowedAddresses }), ...(authorities && { authorities }) };
}

function areCertificates(pem: string): boolean {
  const found = readPem(pem, 'CERTIFICATE');
  try {
    return found.map((der) => new X509Certificate(der)).length > 0;
  } catch {
    return false;
  }
}

function isText(text: string): boolean {
  return text.length > 0 && text.length <= TEXT_MAX_LENGTH && !/[\p{C}\s]/u.test(text);
}
