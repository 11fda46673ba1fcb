// How a path is found in the certificates sent, how long it may be, and which extra certificates may be sent.
import { type Authority, type Issued, makeAuthority } from '../../authority.ts';
import { ecKeys } from '../../signed-der.ts';
import { approve } from '../approved.ts';
import { ACCEPTED, below, byRule, type Case, casesOf, issue, NOT_APPROVED, ROOT, type Row, rootWith } from './case.ts';
import { times } from './pieces.ts';

const LENGTH = byRule('path-length');

/** A chain of this many authorities below the given one, each with its own name and key. */
function deep(count: number, top: Authority = ROOT): Authority {
  let lowest = top;
  for (let level = 1; level <= count; level++) lowest = lowest.makeIntermediate({ name: `Level ${level}` });
  return lowest;
}

/** The same chain in another order, or with something more or less. */
function sending(issued: Issued, change: (above: readonly Uint8Array[]) => readonly Uint8Array[]): Issued {
  const [leaf = new Uint8Array(), ...above] = issued.chain;
  return { ...issued, chain: [leaf, ...change(above)] };
}

const strangers = (count: number, name: string): Uint8Array[] =>
  times(count, () => makeAuthority({ name }).certificate);

/** Authorities with the same name and different keys, all signed by the root; the last one issues. */
const namesakes = times(28, () => ROOT.makeIntermediate({ name: 'Namesake', keys: ecKeys() }).certificate);
const rightNamesake = ROOT.makeIntermediate({ name: 'Namesake', keys: ecKeys() });
const withoutIdentifier = issue({ without: ['authorityKeyIdentifier', 'subjectKeyIdentifier'] }, rightNamesake);
const behind = (issued: Issued, wrong: readonly Uint8Array[]): Issued =>
  sending(issued, (above) => [...wrong, ...above]);

const short = (pathLength: number) => rootWith({ pathLength });
const selfIssued = (of: Authority) => of.makeIntermediate({ subject: of.subject, keys: ecKeys() });
const plain = below();

type Told = readonly [what: string, made: () => Issued, verdict: string, rest?: Partial<Row>];

const LENGTHS: readonly Told[] = [
  ['no intermediate under path length 0', () => issue({}, short(0)), ACCEPTED, { approved: short(0) }],
  ['one intermediate under path length 0', () => issue({}, deep(1, short(0))), LENGTH, { approved: short(0) }],
  ['one intermediate under path length 1', () => issue({}, deep(1, short(1))), ACCEPTED, { approved: short(1) }],
  ['two intermediates under path length 1', () => issue({}, deep(2, short(1))), LENGTH, { approved: short(1) }],
  [
    'a self-issued intermediate under path length 0',
    () => issue({}, selfIssued(short(0))),
    ACCEPTED,
    { approved: short(0) },
  ],
  [
    'a self-issued and another intermediate under path length 0',
    () => issue({}, deep(1, selfIssued(short(0)))),
    LENGTH,
    { approved: short(0) },
  ],
  ['an intermediate that limits those below', () => issue({}, deep(1, below({ pathLength: 0 }))), LENGTH],
  [
    'an intermediate cannot lengthen',
    () => issue({}, deep(1, below({ pathLength: 5 }, short(1)))),
    LENGTH,
    { approved: short(1) },
  ],
  ['eight intermediates', () => issue({}, deep(8)), ACCEPTED],
  ['nine intermediates, one more than anyone needs', () => issue({}, deep(9)), NOT_APPROVED],
];

const ORDERS: readonly Told[] = [
  ['the intermediates in their order', () => issue({}, deep(3)), ACCEPTED],
  ['the intermediates reversed', () => sending(issue({}, deep(3)), (above) => above.toReversed()), ACCEPTED],
  ['the root sent along', () => sending(issue({}, plain), (above) => [...above, ROOT.certificate]), ACCEPTED],
  ['the root first', () => sending(issue({}, plain), (above) => [ROOT.certificate, ...above]), ACCEPTED],
  ['the intermediate left out', () => sending(issue({}, plain), () => []), NOT_APPROVED],
  [
    'the middle one of three left out',
    () => sending(issue({}, deep(3)), ([one, , three]) => [one, three].flatMap((der) => der ?? [])),
    NOT_APPROVED,
  ],
  [
    'an intermediate twice, and more behind it',
    () => sending(issue({}, deep(2)), ([one, two]) => [one, one, two].flatMap((der) => der ?? [])),
    ACCEPTED,
  ],
  ['the leaf twice', () => behind(issue({}, plain), [issue().certificate]), ACCEPTED],
  ['a stranger’s certificate between', () => behind(issue({}, plain), strangers(1, 'Stranger')), ACCEPTED],
  [
    'a stranger of the same name between',
    () => behind(issue({}, plain), strangers(1, 'Corpus Intermediate')),
    ACCEPTED,
  ],
  [
    'the right path behind 28 strangers of the same name',
    () => behind(issue({}, plain), strangers(28, 'Corpus Intermediate')),
    ACCEPTED,
  ],
  ['the right one behind 28 siblings of the same name', () => behind(issue({}, rightNamesake), namesakes), ACCEPTED],
  ['the right one behind 28 siblings, and no key identifier', () => behind(withoutIdentifier, namesakes), ACCEPTED],
  ['two intermediates of one name', () => behind(issue({}, rightNamesake), namesakes.slice(0, 1)), ACCEPTED],
  [
    'more certificates than anyone sends',
    () => behind(issue({}, plain), strangers(40, 'Stranger')),
    byRule('bounded-work'),
  ],
];

const expired = ROOT.makeIntermediate({ name: 'Renewed', keys: plain.keys, notAfter: '2025-01-01' });
const renewed = ROOT.makeIntermediate({ name: 'Renewed', keys: plain.keys });
const cross = makeAuthority({ name: 'Other Root' });
const crossSigned = cross.makeIntermediate({ name: 'Renewed', keys: plain.keys });
const forger = makeAuthority({ name: 'Corpus Root' });
const leafAuthority = makeAuthority({ name: 'leaf' });

const TRUST: readonly Told[] = [
  ['an unknown authority', () => issue({}, cross), NOT_APPROVED],
  ['the approved name with another key', () => issue({}, forger), NOT_APPROVED],
  [
    'the approved key under another name',
    () => issue({}, makeAuthority({ name: 'Renamed', keys: ROOT.keys })),
    NOT_APPROVED,
  ],
  ['a certificate that signed itself', () => ({ ...forger, chain: [forger.certificate] }), NOT_APPROVED],
  ['the approved issuer itself', () => ({ ...ROOT, chain: [ROOT.certificate] }), byRule('leaf-is-no-authority')],
  ['an intermediate itself', () => plain, byRule('leaf-is-no-authority')],
  ['a leaf as authority', signedByLeaf, byRule('authority-is-ca')],
  ['an approved intermediate without its root', () => issue({}, plain), ACCEPTED, { approved: plain }],
  [
    'an approved intermediate, asked for another of its root',
    () => issue({}, rightNamesake),
    NOT_APPROVED,
    { approved: plain },
  ],
  ['an intermediate that has ended', () => issue({}, expired), 'certificate-expired: expired'],
  [
    'an intermediate that has ended, and its renewal',
    () => behind(issue({}, renewed), [expired.certificate]),
    ACCEPTED,
  ],
  [
    'a cross-certificate of an unknown root beside the right one',
    () => behind(issue({}, renewed), [crossSigned.certificate]),
    ACCEPTED,
  ],
  [
    'a root that has ended',
    () => issue({}, rootWith({ notAfter: '2025-01-01' })),
    'certificate-expired: expired',
    { approved: rootWith({ notAfter: '2025-01-01' }) },
  ],
  [
    'a root that has not begun',
    () => issue({}, rootWith({ notBefore: '2030-01-01' })),
    'certificate-not-yet-valid: not-yet-valid',
    { approved: rootWith({ notBefore: '2030-01-01' }) },
  ],
  ['an issuer that is disabled', () => issue(), NOT_APPROVED, { settings: { enabled: false } }],
  [
    'the intermediate registered with the issuer',
    () => sending(issue({}, plain), () => []),
    ACCEPTED,
    { settings: { intermediates: [plain.certificate] } },
  ],
];

function signedByLeaf(): Issued {
  const leaf = issue({ commonName: 'leaf', keys: leafAuthority.keys });
  const victim = issue({}, leafAuthority);
  return { ...victim, chain: [victim.certificate, leaf.certificate] };
}

const of =
  (clause: string) =>
  ([what, made, verdict, rest]: Told): Row => ({ clause, approved: ROOT, what, made, verdict, ...rest });

/** Two approved issuers, and a path that is valid only under the second. */
function underSecond(): Case {
  const first = rootWith({ pathLength: 0 });
  const issued = issue({}, deep(1));
  const issuers = [approve(first), approve(ROOT)];
  return { clause: 'RFC 5280 6.1', what: 'the same key approved twice', ...issued, issuers, verdict: ACCEPTED };
}

export const PATH_CASES: readonly Case[] = [
  ...casesOf([
    ...LENGTHS.map(of('4.2.1.9, 6.1.4')),
    ...ORDERS.map(of('RFC 5246 7.4.2, RFC 8446 4.4.2')),
    ...TRUST.map(of('6.1')),
  ]),
  underSecond(),
];
