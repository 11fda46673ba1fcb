// How a path is found in the certificates sent, how long it may be, and which extra certificates may be sent.
import { type Authority, type Issued, makeAuthority } from '../../authority.ts';
import { ecKeys } from '../../signed-der.ts';
import { approve } from '../approved.ts';
import { ACCEPTED, below, byRule, type Case, casesOf, issue, NOT_APPROVED, ROOT, type Row, rootWith } from './case.ts';

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
  Array.from({ length: count }, () => makeAuthority({ name }).certificate);

/** Authorities with the same name and different keys, all signed by the root; the last one issues. */
const namesakes = Array.from({ length: 28 }, () => ROOT.makeIntermediate({ name: 'Namesake', keys: ecKeys() }));
const rightNamesake = ROOT.makeIntermediate({ name: 'Namesake', keys: ecKeys() });
const withoutIdentifier = issue({ without: ['authorityKeyIdentifier', 'subjectKeyIdentifier'] }, rightNamesake);
const behind = (issued: Issued, wrong: readonly Uint8Array[]): Issued =>
  sending(issued, (above) => [...wrong, ...above]);

const short = (pathLength: number) => rootWith({ pathLength });
const selfIssued = (of: Authority) => of.makeIntermediate({ subject: of.subject, keys: ecKeys() });
const plain = below();

interface Told extends Omit<Row, 'clause' | 'made'> {
  readonly clause?: string;
  readonly made: () => Issued;
}

const LENGTHS: readonly Told[] = [
  {
    what: 'no intermediate under path length 0',
    made: () => issue({}, short(0)),
    approved: short(0),
    verdict: ACCEPTED,
  },
  {
    what: 'one intermediate under path length 0',
    made: () => issue({}, deep(1, short(0))),
    approved: short(0),
    verdict: LENGTH,
  },
  {
    what: 'one intermediate under path length 1',
    made: () => issue({}, deep(1, short(1))),
    approved: short(1),
    verdict: ACCEPTED,
  },
  {
    what: 'two intermediates under path length 1',
    made: () => issue({}, deep(2, short(1))),
    approved: short(1),
    verdict: LENGTH,
  },
  {
    what: 'a self-issued intermediate under path length 0',
    made: () => issue({}, selfIssued(short(0))),
    approved: short(0),
    verdict: ACCEPTED,
  },
  {
    what: 'a self-issued and another intermediate under path length 0',
    made: () => issue({}, deep(1, selfIssued(short(0)))),
    approved: short(0),
    verdict: LENGTH,
  },
  {
    what: 'an intermediate that limits those below',
    made: () => issue({}, deep(1, below({ pathLength: 0 }))),
    verdict: LENGTH,
  },
  {
    what: 'an intermediate cannot lengthen',
    made: () => issue({}, deep(1, below({ pathLength: 5 }, short(1)))),
    approved: short(1),
    verdict: LENGTH,
  },
  { what: 'eight intermediates', made: () => issue({}, deep(8)), verdict: ACCEPTED },
  { what: 'nine intermediates, one more than anyone needs', made: () => issue({}, deep(9)), verdict: NOT_APPROVED },
];

const ORDERS: readonly Told[] = [
  { what: 'the intermediates in their order', made: () => issue({}, deep(3)), verdict: ACCEPTED },
  {
    what: 'the intermediates reversed',
    made: () => sending(issue({}, deep(3)), (above) => above.toReversed()),
    verdict: ACCEPTED,
  },
  {
    what: 'the root sent along',
    made: () => sending(issue({}, plain), (above) => [...above, ROOT.certificate]),
    verdict: ACCEPTED,
  },
  {
    what: 'the root first',
    made: () => sending(issue({}, plain), (above) => [ROOT.certificate, ...above]),
    verdict: ACCEPTED,
  },
  { what: 'the intermediate left out', made: () => sending(issue({}, plain), () => []), verdict: NOT_APPROVED },
  {
    what: 'the middle one of three left out',
    made: () => sending(issue({}, deep(3)), ([one, , three]) => [one, three].flatMap((der) => der ?? [])),
    verdict: NOT_APPROVED,
  },
  {
    what: 'an intermediate twice, and more behind it',
    made: () => sending(issue({}, deep(2)), ([one, two]) => [one, one, two].flatMap((der) => der ?? [])),
    verdict: ACCEPTED,
  },
  { what: 'the leaf twice', made: () => behind(issue({}, plain), [issue().certificate]), verdict: ACCEPTED },
  {
    what: 'a stranger’s certificate between',
    made: () => behind(issue({}, plain), strangers(1, 'Stranger')),
    verdict: ACCEPTED,
  },
  {
    what: 'a stranger of the same name between',
    made: () => behind(issue({}, plain), strangers(1, 'Corpus Intermediate')),
    verdict: ACCEPTED,
  },
  {
    what: 'the right path behind 28 strangers of the same name',
    made: () => behind(issue({}, plain), strangers(28, 'Corpus Intermediate')),
    verdict: ACCEPTED,
  },
  {
    what: 'the right one behind 28 siblings of the same name',
    made: () =>
      behind(
        issue({}, rightNamesake),
        namesakes.map(({ certificate }) => certificate),
      ),
    verdict: ACCEPTED,
  },
  {
    what: 'the right one behind 28 siblings, and no key identifier',
    made: () =>
      behind(
        withoutIdentifier,
        namesakes.map(({ certificate }) => certificate),
      ),
    verdict: ACCEPTED,
  },
  {
    what: 'two intermediates of one name',
    made: () =>
      behind(
        issue({}, rightNamesake),
        namesakes.slice(0, 1).map(({ certificate }) => certificate),
      ),
    verdict: ACCEPTED,
  },
  {
    what: 'more certificates than anyone sends',
    made: () => behind(issue({}, plain), strangers(40, 'Stranger')),
    verdict: byRule('bounded-work'),
  },
];

const expired = ROOT.makeIntermediate({ name: 'Renewed', keys: plain.keys, notAfter: '2025-01-01' });
const renewed = ROOT.makeIntermediate({ name: 'Renewed', keys: plain.keys });
const cross = makeAuthority({ name: 'Other Root' });
const crossSigned = cross.makeIntermediate({ name: 'Renewed', keys: plain.keys });
const forger = makeAuthority({ name: 'Corpus Root' });
const leafAuthority = makeAuthority({ name: 'leaf' });

const TRUST: readonly Told[] = [
  { what: 'an unknown authority', made: () => issue({}, cross), verdict: NOT_APPROVED },
  { what: 'the approved name with another key', made: () => issue({}, forger), verdict: NOT_APPROVED },
  {
    what: 'the approved key under another name',
    made: () => issue({}, makeAuthority({ name: 'Renamed', keys: ROOT.keys })),
    verdict: NOT_APPROVED,
  },
  {
    what: 'a certificate that signed itself',
    made: () => ({ ...forger, chain: [forger.certificate] }),
    verdict: NOT_APPROVED,
  },
  {
    what: 'the approved issuer itself',
    made: () => ({ ...ROOT, chain: [ROOT.certificate] }),
    verdict: byRule('leaf-is-no-authority'),
  },
  { what: 'an intermediate itself', made: () => plain, verdict: byRule('leaf-is-no-authority') },
  { what: 'a leaf as authority', made: signedByLeaf, verdict: byRule('authority-is-ca') },
  {
    what: 'an approved intermediate without its root',
    made: () => issue({}, plain),
    approved: plain,
    verdict: ACCEPTED,
  },
  {
    what: 'an approved intermediate, asked for another of its root',
    made: () => issue({}, rightNamesake),
    approved: plain,
    verdict: NOT_APPROVED,
  },
  { what: 'an intermediate that has ended', made: () => issue({}, expired), verdict: 'certificate-expired: expired' },
  {
    what: 'an intermediate that has ended, and its renewal',
    made: () => behind(issue({}, renewed), [expired.certificate]),
    verdict: ACCEPTED,
  },
  {
    what: 'a cross-certificate of an unknown root beside the right one',
    made: () => behind(issue({}, renewed), [crossSigned.certificate]),
    verdict: ACCEPTED,
  },
  {
    what: 'a root that has ended',
    made: () => issue({}, rootWith({ notAfter: '2025-01-01' })),
    approved: rootWith({ notAfter: '2025-01-01' }),
    verdict: 'certificate-expired: expired',
  },
  {
    what: 'a root that has not begun',
    made: () => issue({}, rootWith({ notBefore: '2030-01-01' })),
    approved: rootWith({ notBefore: '2030-01-01' }),
    verdict: 'certificate-not-yet-valid: not-yet-valid',
  },
  { what: 'an issuer that is disabled', made: () => issue(), settings: { enabled: false }, verdict: NOT_APPROVED },
  {
    what: 'the intermediate registered with the issuer',
    made: () => sending(issue({}, plain), () => []),
    settings: { intermediates: [plain.certificate] },
    verdict: ACCEPTED,
  },
];

function signedByLeaf(): Issued {
  const leaf = issue({ commonName: 'leaf', keys: leafAuthority.keys });
  const victim = issue({}, leafAuthority);
  return { ...victim, chain: [victim.certificate, leaf.certificate] };
}

const of =
  (clause: string) =>
  (told: Told): Row => ({ clause, approved: ROOT, ...told });

/** Two approved issuers, and a path that is valid only under the second. */
function underSecond(): Case {
  const first = rootWith({ pathLength: 0 });
  const issued = issue({}, deep(1));
  const issuers = [approve(first), approve(ROOT)];
  return { clause: 'RFC 5280 6.1', what: 'the same key approved twice', ...issued, issuers, verdict: ACCEPTED };
}

export const PATH_CASES: readonly Case[] = [
  ...casesOf([
    ...LENGTHS.map(of('RFC 5280 4.2.1.9, 6.1.4')),
    ...ORDERS.map(of('RFC 5246 7.4.2, RFC 8446 4.4.2')),
    ...TRUST.map(of('RFC 5280 6.1')),
  ]),
  underSecond(),
];
