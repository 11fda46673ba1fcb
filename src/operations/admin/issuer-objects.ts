// Token issuers and approved issuers, as they are written (objects.ts).
import { IDENTITY_SOURCES, UPN_COMPARISONS } from '../../core/certificate.ts';
import { type ApprovedIssuer, OPTIONAL_CURVES } from '../../core/issuer.ts';
import { KEY_ADDRESS } from '../../core/key-source.ts';
import { seconds } from '../../core/time.ts';
import { ASSERTION_ALGORITHMS, type TokenIssuer } from '../../core/token-issuer.ts';
import { boolean, described, integer, object, optional, type Schema, type ValueOf } from '../../schema.ts';
import {
  ADDRESSES,
  AUTHORITIES,
  CLOSED,
  flag,
  form,
  formOrNone,
  KEY_URL,
  keyFile,
  lifetime,
  list,
  oneOf,
  pem,
  ranges,
  shown,
  text,
  texts,
  usually,
} from './members.ts';
import { RulesObject } from './rule-object.ts';
import { CLAIM_TEXT, DIRECTORY, POLICY, TRUST_DOMAIN } from './text-forms.ts';

/** Kubernetes can make tokens for a year. */
export const LONGEST_ASSERTION = seconds(366 * 86_400);

const DIRECTORIES = 'The directories that names are looked up in, by label; none: the local one.';

type KeyDraft = { from: 'discovery' } | { from: 'url'; url: string } | { from: 'file'; set: string };
const KeysObject = described<KeyDraft>({
  description: 'Where its public keys come from. Left out: from its discovery document.',
  anyOf: [
    object({ from: oneOf(['discovery'], 'From its discovery document.') }, CLOSED),
    object(KEY_URL, CLOSED),
    keyFile('jwk-set'),
  ],
});

/** Its address leads to the discovery document. */
const DISCOVERED_BY_ADDRESS = {
  if: { properties: { keys: { properties: { from: { const: 'discovery' } } } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { issuer: { pattern: KEY_ADDRESS.source } } },
};

export const TokenIssuerObject = object(
  {
    label: shown(text('Its name, and the label of derived identities.')),
    issuer: form(CLAIM_TEXT, 'token-issuer-malformed', 'The iss of its assertions, exactly. It never changes.'),
    keys: usually(KeysObject, { from: 'discovery' }),
    allowedAddresses: usually(ranges(ADDRESSES), []),
    authorities: usually(AUTHORITIES, ''),
    algorithms: usually(list(oneOf(ASSERTION_ALGORITHMS, 'An algorithm.'), 'What it may sign with.'), [
      'RS256',
      'ES256',
    ]),
    audience: usually(
      formOrNone(
        CLAIM_TEXT,
        'assertion-audience-malformed',
        'What aud must contain, if not the address of this service; empty for that.',
      ),
      '',
    ),
    assertions: usually(
      oneOf(['once', 'reusable'], 'Whether an assertion gives one grant, or any number until it expires.'),
      'once',
    ),
    maxAssertionLifetime: usually(
      lifetime(
        'The longest lifetime of an assertion, at most 366d.',
        [1, LONGEST_ASSERTION],
        'assertion-lifetime-malformed',
      ),
      seconds(3600),
    ),
    kind: usually(
      oneOf(['platform', 'enterprise'], 'Whose JWTs: of a platform, or of the provider of an enterprise (ID-JAG).'),
      'platform',
    ),
    tokenEndpointAudience: flag('Whether aud may also be the token endpoint.', false),
    rules: RulesObject,
    enabled: shown(boolean({ description: 'False: it was removed.' })),
  } satisfies Record<keyof TokenIssuer | 'allowedAddresses' | 'authorities', Schema>,
  { ...CLOSED, title: 'TokenIssuer', ...DISCOVERED_BY_ADDRESS },
);
export type WrittenTokenIssuer = ValueOf<typeof TokenIssuerObject>;

const CHECKS = ['required', 'if-available', 'off'] as const;

const REVOCATION = {
  crl: optional(oneOf(CHECKS, 'Revocation lists. Default: required with list files, else if-available.')),
  ocsp: usually(oneOf(CHECKS, 'Asking the authority about each certificate (OCSP).'), 'if-available'),
  crlFiles: usually(texts('List files on the machines of the service. New ones are named there.'), []),
  allowedAddresses: usually(ranges(ADDRESSES), []),
  endGrants: flag('Whether grants end when their certificate is revoked.', true),
} satisfies Record<keyof ApprovedIssuer['revocation'], Schema>;

/** SPIFFE IDs are of a trust domain, and are looked up nowhere. */
const NAMES_AND_IDENTITIES = {
  if: { properties: { identitySources: { contains: { const: 'spiffe-id' } } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    properties: { trustDomains: { minItems: 1 }, identities: { const: 'derived' }, directories: { maxItems: 0 } },
    required: ['trustDomains', 'identities'],
  },
  else: {
    if: { properties: { directories: { minItems: 1 } }, required: ['directories'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { identities: { const: 'directory' } } },
  },
};

export const IssuerObject = object(
  {
    label: shown(text('Its name, and the label of derived identities.')),
    pem: pem('PEM: the certificate of the authority, followed by intermediates. Its key never changes.'),
    identitySources: list(
      oneOf(IDENTITY_SOURCES, 'A part.'),
      'Where a certificate says who is calling; the first that is present counts.',
      { minItems: 1 },
    ),
    identities: usually(oneOf(['directory', 'derived'], 'Where identities come from.'), 'directory'),
    directories: usually(list(form(DIRECTORY, 'issuer-setting-malformed'), DIRECTORIES), []),
    profile: usually(oneOf(['rfc5280', 'strict'], 'How strict it is.'), 'rfc5280'),
    curves: usually(
      list(oneOf(OPTIONAL_CURVES, 'A curve.'), 'Elliptic curves to allow beside P-256, P-384 and P-521.'),
      [],
    ),
    trustDomains: usually(
      list(form(TRUST_DOMAIN, 'issuer-setting-malformed'), 'With spiffe-id: the trust domains of its certificates.'),
      [],
    ),
    policies: usually(
      list(form(POLICY, 'issuer-setting-malformed'), 'Certificate policies, of which a path needs one.'),
      [],
    ),
    mlDsa: flag('Whether keys and signatures of ML-DSA (FIPS 204) are accepted.', false),
    upnComparison: usually(
      oneOf(UPN_COMPARISONS, 'How user principal names compare: active-directory ignores ASCII case.'),
      'exact',
    ),
    revocation: optional(object(REVOCATION, { ...CLOSED, description: 'How revocation is checked.' })),
    integrations: usually(texts('The only integrations that its certificates may use. Empty: all.'), []),
    enabled: shown(boolean({ description: 'False: it was removed.' })),
    subject: shown(text('Of the certificate.')),
    expires: shown(text('The date on which the certificate expires.')),
    fingerprint: shown(text('SHA-256 of the certificate.')),
    intermediates: shown(integer({ description: 'How many intermediates are stored with it.' })),
  } satisfies Record<
    Exclude<keyof ApprovedIssuer, 'certificate'> | 'pem' | 'subject' | 'expires' | 'fingerprint',
    Schema
  >,
  { ...CLOSED, title: 'Issuer', ...NAMES_AND_IDENTITIES },
);
export type WrittenIssuer = ValueOf<typeof IssuerObject>;
