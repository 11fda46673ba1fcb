// Which identity a certificate names: hostile names, and invisible characters.
import type { IdentitySource } from '../../../src/core/certificate.ts';
import type { CertificateOptions } from '../../authority.ts';
import { HOSTILE_NAMES } from '../hostile-names.ts';
import { ACCEPTED, byRule, type Case, casesOf, type Row } from './case.ts';
import { dns, email, ip, keyUsage, uri } from './pieces.ts';

const FORM = byRule('alternative-names-well-formed');

const UNPARSED = [
  'an OCTET STRING',
  'an INTEGER',
  'octets that are not UTF-8',
  'overlong UTF-8',
  'a surrogate in UTF-8',
];

const hostile = HOSTILE_NAMES.map(({ what, from, made, verdict }): Row => {
  const identitySources = typeof from === 'string' ? [from] : from;
  const row = { clause: 'T: identity from the leaf', what, leaf: made, settings: { identitySources }, verdict };
  return UNPARSED.includes(what) ? { ...row, noHandshake: 'OpenSSL cannot parse the name' } : row;
});

const INVISIBLE: Readonly<Record<string, string>> = {
  'a Hangul filler': '\u3164',
  'a half-width Hangul filler': '\uffa0',
  'a Hangul choseong filler': '\u115f',
  'a Hangul jungseong filler': '\u1160',
  'an empty Braille pattern': '\u2800',
  'a combining grapheme joiner': '\u034f',
  'variation selector 1': '\ufe00',
  'variation selector 16': '\ufe0f',
  'a variation selector of the supplement': '\u{e0100}',
  'a Mongolian variation selector': '\u180b',
  'a Mongolian vowel separator': '\u180e',
  'a no-break space': '\u00a0',
  'an Ogham space': '\u1680',
  'an en quad': '\u2000',
  'a hair space': '\u200a',
  'a narrow no-break space': '\u202f',
  'a mathematical space': '\u205f',
  'an ideographic space': '\u3000',
  'a zero-width joiner': '\u200d',
  'a word joiner': '\u2060',
  'a soft hyphen': '\u00ad',
  'a tag character': '\u{e0061}',
  'a next-line control': '\u0085',
};

const SOURCES: readonly [IdentitySource, (name: string) => CertificateOptions][] = [
  ['common-name', (name) => ({ commonName: name })],
  ['upn-san', (name) => ({ upns: [`${name}@corp.example`] })],
];

const invisible = Object.entries(INVISIBLE).flatMap(([what, character]) =>
  SOURCES.map(
    ([source, made]): Row => ({
      clause: 'T: no invisible characters in an identity, UTS 39',
      what: `${what} in the ${source}`,
      leaf: made(`ad${character}a`),
      settings: { identitySources: [source] },
      verdict: `certificate-name-malformed: ${source}`,
    }),
  ),
);

const VISIBLE: readonly string[] = [
  'Ada Lovelace',
  'ada',
  'Zoë',
  '王秀英',
  'עדה',
  'O’Neil',
  'ada.lovelace+1',
  'Ａｄａ',
];
const visible = VISIBLE.map(
  (name): Row => ({
    clause: 'T: names of people',
    what: `the name ${name}`,
    leaf: { commonName: name },
    verdict: `accepted ${name}`,
  }),
);

/** Names that are not used as identity: only profile strict checks their form. */
const BYSTANDERS: readonly [what: string, name: Uint8Array][] = [
  ['an underscore in a DNS name', dns('under_score.x.com')],
  ['a trailing dot in a DNS name', dns('x.com.')],
  ['a wildcard in the middle', dns('a.*.x.com')],
  ['a DNS name of one label with a hyphen first', dns('-x.com')],
  ['a space for a DNS name', dns(' ')],
  ['an address of five octets', ip(1, 2, 3, 4, 5)],
  ['a URI without a scheme', uri('x.com/path')],
  ['a mailbox without a domain', email('john')],
];

const bystanders = BYSTANDERS.map(
  ([what, name]): Row => ({
    clause: '4.2.1.6',
    what,
    leaf: { alternativeNames: [name] },
    verdict: ACCEPTED,
    strict: FORM,
  }),
);

const addresses = ['192.0.2.1', '192.0.2.1.'].map(
  (address): Row => ({
    clause: '4.2.1.6',
    what: `the address ${address} as a DNS name`,
    leaf: { alternativeNames: [dns(address)] },
    verdict: byRule('dns-name-no-address'),
    strict: FORM,
  }),
);

const WORKLOAD = { identitySources: ['spiffe-id'], trustDomains: ['x.com'] } as const;
const workloads = ['spiffe://x.com/ns/a', 'spiffe://y.com/ns/a', 'spiffe://X.com/ns/a'].map(
  (id): Row => ({
    clause: 'X.509-SVID 2',
    what: `the SPIFFE ID ${id}`,
    leaf: { alternativeNames: [uri(id)] },
    settings: WORKLOAD,
    verdict: id.includes('//x.com/') ? `accepted ${id}` : byRule('spiffe-trust-domain'),
  }),
);

const listSigner: Row = {
  clause: 'X.509-SVID 5.2',
  what: 'a SPIFFE ID in a leaf that may sign lists',
  leaf: { alternativeNames: [uri('spiffe://x.com/ns/a')], extensions: [keyUsage(1, 0x82)] },
  settings: WORKLOAD,
  verdict: byRule('leaf-signs-no-lists'),
};

export const IDENTITY_CASES: readonly Case[] = casesOf([
  ...workloads,
  listSigner,
  ...hostile,
  ...invisible,
  ...visible,
  ...bystanders,
  ...addresses,
]);
