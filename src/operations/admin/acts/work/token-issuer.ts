import { X509Certificate } from 'node:crypto';
import { discoveryUrl } from '../../../../assertions/fetch-keys.ts';
import { readKeySet } from '../../../../assertions/key-set.ts';
import { isLabel } from '../../../../core/identity.ts';
import { type FetchSettings, isKeyAddress, type KeySource } from '../../../../core/key-source.ts';
import { accept } from '../../../../core/outcome.ts';
import type { TokenIssuer } from '../../../../core/token-issuer.ts';
import { isAddressRange } from '../../../../outbound/address-filter.ts';
import { readPem } from '../../../../pki/der/pem.ts';
import { rows } from '../../../../store/pages.ts';
import type { StorePort } from '../../../../store/store.ts';
import { integrations } from '../../../../store/tables/integrations.ts';
import { issuers } from '../../../../store/tables/issuers.ts';
import { tokenIssuers } from '../../../../store/tables/token-issuers.ts';
import { type AdminOutcome, decline } from '../../admin.ts';
import { readRules, writtenRules } from '../../assertion-rules.ts';
import { LONGEST_ASSERTION, TokenIssuerObject, type WrittenTokenIssuer } from '../../issuer-objects.ts';
import { CLAIM_TEXT } from '../../text-forms.ts';
import { allThatDiffers, claim, type ObjectKind, rowOf, unlessEmpty, type Whole } from './kind.ts';
import { thingWork } from './thing.ts';

export const KIND: ObjectKind<'token-issuer'> = {
  kind: 'token-issuer',
  section: 'tokenIssuers',
  schema: TokenIssuerObject,
  keyOf: ({ label }) => label,
  written: ({ keys, rules, kind, ...rest }) => {
    const fetched = { allowedAddresses: undefined, authorities: undefined, ...keys };
    const { allowedAddresses, authorities, ...source } = fetched;
    return {
      ...rest,
      ...(kind === 'enterprise' && { kind }),
      keys: source,
      ...(allowedAddresses && { allowedAddresses }),
      ...(authorities !== undefined && { authorities }),
      rules: writtenRules(rules),
    };
  },
  /** `iss` stays: another one would be somebody else under the same label. */
  drafted: (label, body, before, ports) => {
    const { issuer, algorithms, audience, assertions, maxAssertionLifetime, kind, tokenEndpointAudience } = body;
    if (!isLabel(label)) return decline('label-malformed', label);
    if (before && before.issuer !== issuer) return decline('token-issuer-iss-differs', label);
    if (issuer === ports.issuer) return decline('token-issuer-ours', issuer);
    if (!CLAIM_TEXT.test(issuer)) return decline('token-issuer-malformed', issuer);
    const keys = draftedKeys(body);
    if (!keys.ok) return keys;
    const rules = readRules(body.rules);
    if (!rules.ok) return rules;
    if (audience && !CLAIM_TEXT.test(audience)) return decline('assertion-audience-malformed', audience);
    if (maxAssertionLifetime < 1 || maxAssertionLifetime > LONGEST_ASSERTION)
      return decline('assertion-lifetime-malformed', `${maxAssertionLifetime}`);
    const next: Whole<TokenIssuer> = {
      label,
      issuer,
      keys: keys.value,
      algorithms,
      kind: kind === 'enterprise' ? kind : undefined,
      audience: unlessEmpty(audience),
      tokenEndpointAudience: unlessEmpty(tokenEndpointAudience),
      assertions,
      maxAssertionLifetime,
      rules: rules.value,
      enabled: true,
    };
    return accept(rowOf(next, before));
  },
  /** Every `iss` has one label, and is no client id; every label is that of one issuer, of whatever kind. */
  objection: async ({ label, issuer }, before, ports) => {
    if (before) return undefined; // its label and its iss stay
    if ((await ports.store.load(integrations, issuer)).found) return decline('client-id-of-token-issuer', issuer);
    if ((await ports.store.load(issuers, label)).found) return decline('label-taken', label);
    const namesake = await tokenIssuerOf(issuer, ports);
    return namesake && namesake.label !== label ? decline('token-issuer-registered', namesake.label) : undefined;
  },
  made: ({ issuer, rules }) => ({ did: 'added', issuer, rules: rules.length }),
  changed: allThatDiffers,
  // The row stays, so that the list of all shows who had the label.
  removal: () => ({ did: 'removed' }),
  claims: ({ label, issuer }) => [
    claim('label', label, 'label-taken'),
    claim('iss', issuer, 'token-issuer-registered', label),
    claim('caller', issuer, 'client-id-of-token-issuer'),
  ],
};

export const THINGS = thingWork(KIND);

function draftedKeys(body: Required<WrittenTokenIssuer>): AdminOutcome<KeySource> {
  const { keys, issuer, allowedAddresses, authorities } = body;
  const settings = checkedFetch({ allowedAddresses, authorities });
  if (!settings.ok) return settings;
  if (keys.from === 'file') {
    const read = readKeySet(keys.set);
    if (!read.ok) return decline('key-set-unusable', read.refusal);
    if (read.value.isEmpty) return decline('key-set-unusable', 'it has no public key for signatures');
    return accept({ from: 'file', set: keys.set });
  }
  const url = keys.from === 'url' ? keys.url : discoveryUrl(issuer);
  return isKeyAddress(url) ? accept({ ...keys, ...settings.value }) : decline('key-address-malformed', url);
}

/** The one with this `iss`: with two labels, an assertion would have two identities. */
export async function tokenIssuerOf(issuer: string, { store }: StorePort) {
  for await (const known of rows(store, tokenIssuers)) {
    if (known.enabled && known.issuer === issuer) return known;
  }
  return undefined;
}

/** The settings, if they can be used, without empty ones. */
export function checkedFetch({ allowedAddresses = [], authorities }: FetchSettings): AdminOutcome<FetchSettings> {
  const wrong = allowedAddresses.find((text) => !isAddressRange(text));
  if (wrong !== undefined) return decline('address-range-malformed', wrong);
  if (authorities && !areCertificates(authorities)) return decline('authorities-unreadable', '');
  return accept({ ...(allowedAddresses.length > 0 && { allowedAddresses }), ...(authorities && { authorities }) });
}

function areCertificates(pem: string): boolean {
  const found = readPem(pem, 'CERTIFICATE');
  try {
    return found.map((der) => new X509Certificate(der)).length > 0;
  } catch {
    return false;
  }
}
