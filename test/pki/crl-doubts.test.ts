// Why a list does not show that a certificate is good, in the words of the step that operators see.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../../src/pki/der/der-write.ts';
import { isOlder, readRevocationList } from '../../src/pki/revocation/crl.ts';
import { checkLists } from '../../src/pki/revocation/crl-check.ts';
import { readCertificate } from '../../src/pki/x509/certificate.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { revokedEntry } from '../authority-lists.ts';
import { extension, integer } from '../signed-der.ts';
import { approve, CRL_REQUIRED, judge, NOW } from './approved.ts';
import { flag, point } from './corpus/list-case.ts';
import { countWork } from './count-work.ts';

const root = makeAuthority({ name: 'Root' });
const caller = root.issue();
type CrlOptions = NonNullable<Parameters<typeof root.crl>[0]>;

const scope = (...fields: Uint8Array[]): CrlOptions => ({
  extensions: [extension(EXTENSION.issuingDistributionPoint, writeSequence(...fields), true)],
});
const five = integer(Uint8Array.of(5));
const GOOD = 'a current CRL from its issuer does not list it';
const NO_NUMBER = 'it has no CRL number, or an invalid or critical one (RFC 5280 5.2.3)';

function wordsOf(
  crls: readonly Uint8Array[],
  { chain }: { readonly chain: readonly Uint8Array[] } = caller,
  issuer = root,
): string | undefined {
  const issuers = [approve(issuer, { revocation: CRL_REQUIRED })];
  return judge({ chain, issuers, crls }).steps.find(({ rule }) => rule.startsWith('crl'))?.words;
}

const INCONCLUSIVE: readonly (readonly [CrlOptions, string])[] = [
  [{ version: 1 }, 'it is not version 2'],
  [
    { extensions: [extension('1.2.3', five), extension('1.2.3', five)] },
    'its extensions cannot be read: an extension appears twice',
  ],
  [scope(), 'its scope cannot be read: it is empty'],
  [scope(flag(1), flag(2)), 'its scope cannot be read: the scope contradicts itself'],
  [scope(flag(2), flag(5)), 'its scope cannot be read: the scope contradicts itself'],
  [{ entries: [writeSequence(five)] }, 'an entry has no date'],
  [
    { entries: [revokedEntry(Uint8Array.of(5), extension('1.2.3', five, true))] },
    'an entry has the critical extension 1.2.3',
  ],
  [
    { entries: [revokedEntry(Uint8Array.of(5), five)] },
    'the extensions of an entry cannot be read: expected tag 48, found 2',
  ],
  [{ extensions: [extension(EXTENSION.deltaCrlIndicator, five, true)] }, 'it is a delta CRL'],
  [{ withoutNumber: true }, NO_NUMBER],
  [{ withoutNumber: true, extensions: [extension(EXTENSION.crlNumber, five, true)] }, NO_NUMBER],
  [{ extensions: [extension('1.2.3', five, true)] }, 'it has the unknown critical extension 1.2.3'],
  [scope(flag(4)), 'it is an indirect CRL that the certificate does not name'],
];

suite('a CRL that proves nothing good says why', () => {
  test('because it is odd', () => {
    for (const [options, why] of INCONCLUSIVE)
      assert.equal(wordsOf([root.crl(options)]), `the CRL is inconclusive: ${why}`);
    for (const fine of [{}, { extensions: [extension('1.2.3', five)] }, scope(flag(1))])
      assert.equal(wordsOf([root.crl(fine)]), GOOD);
  });

  test('because it is about other certificates', () => {
    assert.equal(wordsOf([]), 'there is no CRL from its issuer');
    assert.equal(wordsOf([makeAuthority({ name: 'Other' }).crl()]), 'there is no CRL from its issuer');
    assert.equal(wordsOf([root.crl(scope(flag(2)))]), 'the CRL covers authorities only');
    const attributes = { ...scope(flag(5)), revoked: [caller.serial] };
    assert.equal(wordsOf([root.crl(attributes)]), 'the CRL covers attributes only');
    const elsewhere = root.crl(scope(point('http://crl.test/other')));
    assert.equal(wordsOf([elsewhere]), 'the CRL is for another distribution point');
    assert.equal(wordsOf([elsewhere, root.crl()]), GOOD);
    const below = root.makeIntermediate({ name: 'Below' });
    assert.equal(wordsOf([root.crl(scope(flag(1)))], below.issue()), 'the CRL covers leaves only');
    const [publisher, host] = [writeContext(4, below.subject), write(contextTag(2, 'primitive'), Buffer.from('host'))];
    const by = (...names: Uint8Array[]) => {
      const named = write(contextTag(2, 'constructed'), ...names);
      const points = writeSequence(writeSequence(point('http://crl.test/1'), named));
      return { chain: root.issue({ extensions: [extension(EXTENSION.crlDistributionPoints, points)] }).chain };
    };
    const direct = 'the CRL is inconclusive: the certificate names an indirect CRL, and this is not one';
    for (const names of [[publisher], [host, publisher]]) {
      const caller = { chain: [...by(...names).chain, below.certificate] };
      assert.equal(wordsOf([below.crl()], caller), direct);
    }
  });

  test('because the certificate names it for some reasons only (RFC 5280 6.3.3 d)', () => {
    const url = 'http://crl.test/1';
    const forReasons = (...octets: number[]) =>
      writeSequence(point(url), write(contextTag(1, 'primitive'), Uint8Array.from(octets)));
    const by = (...points: Uint8Array[]) =>
      root.issue({ extensions: [extension(EXTENSION.crlDistributionPoints, writeSequence(...points))] });
    const list = root.crl(scope(point(url)));
    const [some, others] = [forReasons(6, 0x40), forReasons(7, 0x3f, 0x80)];
    for (const points of [[writeSequence(point(url))], [some, others], [some, writeSequence(point(url))]])
      assert.equal(wordsOf([list], by(...points)), GOOD);
    for (const each of [some, others]) assert.notEqual(wordsOf([list], by(each)), GOOD);
    assert.equal(wordsOf([root.crl()], by(some)), GOOD, 'a list without a point covers all reasons');
  });

  test('because of its signature', () => {
    const namesake = makeAuthority({ name: 'Root' });
    assert.equal(wordsOf([namesake.crl()]), 'the CRL is not signed by the issuer');
    for (const odd of [{ digest: 'sha1' }, { claimedDigest: 'sha1' }] as const)
      assert.match(wordsOf([root.crl(odd)]) ?? '', /^the CRL is not used: signature algorithm ECDSA with sha/);
    const keyCertSign = extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(2, 0x04)), true);
    const mute = makeAuthority({ extensions: [keyCertSign] });
    assert.equal(wordsOf([mute.crl()], mute.issue(), mute), 'the signer of the CRL lacks cRLSign');
    const open = makeAuthority({ without: ['keyUsage'] });
    assert.equal(wordsOf([open.crl()], open.issue(), open), GOOD);
  });

  test('because of its dates; several reasons are listed, each once', () => {
    const early = root.crl({ thisUpdate: '2026-11-15T12:05:01Z' });
    const stale = root.crl({ nextUpdate: '2026-11-15T11:59:59Z' });
    const [notBefore, staleSince] = [
      'the CRL is not valid before 2026-11-15T12:05:01Z',
      'the CRL has been stale since 2026-11-15T11:59:59Z',
    ];
    assert.equal(wordsOf([early]), notBefore);
    assert.equal(
      wordsOf([root.crl({ thisUpdate: '2026-11-15T12:05:00Z' })]),
      GOOD,
      'clocks may differ by five minutes',
    );
    assert.equal(wordsOf([stale]), staleSince);
    assert.equal(wordsOf([root.crl({ nextUpdate: null })]), 'the CRL has no nextUpdate');
    assert.equal(wordsOf([early, stale, stale]), `${notBefore}; ${staleSince}`);
  });
});

test('a verdict counts until the first next update of the lists that show it', () => {
  const [sooner, later] = ['2026-11-18T00:00:00Z', '2026-11-20T00:00:00Z'].map((nextUpdate) =>
    root.crl({ nextUpdate }),
  );
  const stale = root.crl({ nextUpdate: '2026-11-15T11:59:59Z' });
  const issuers = [approve(root, { revocation: CRL_REQUIRED })];
  for (const crls of [
    [sooner, later],
    [later, sooner],
    [stale, sooner],
    [sooner, stale],
  ]) {
    const { outcome } = judge({ chain: caller.chain, issuers, crls: crls.flatMap((list) => list ?? []) });
    assert.equal(outcome.ok && outcome.value.until, Date.parse('2026-11-18T00:00:00Z') / 1000);
  }
});

test('a CRL is verified once with each key', () => {
  const [list, certificate, issuer] = [
    readRevocationList(root.crl()),
    readCertificate(caller.certificate),
    readCertificate(root.certificate),
  ];
  if (!list.ok || !certificate.ok || !issuer.ok) return assert.fail();
  const check = () => checkLists(certificate.value, [list.value], () => [issuer.value], NOW).state;
  for (const checks of [1, 0]) {
    const work = countWork(check);
    assert.deepEqual([work.result, work.checks], ['good', checks]);
  }
});

test('a CRL is older than another of its issuer if it is behind in number or date and ahead in neither', () => {
  const listOf = (number: number, day: number, authority = root) => {
    const crlNumber = extension(EXTENSION.crlNumber, integer(Uint8Array.of(number)));
    const read = readRevocationList(
      authority.crl({ withoutNumber: true, extensions: [crlNumber], thisUpdate: `2026-11-0${day}` }),
    );
    return read.ok ? read.value : assert.fail();
  };
  const than = listOf(5, 5);
  for (const [number, day, expected] of [
    [4, 4, true],
    [4, 5, true],
    [5, 4, true],
    [5, 5, false],
    [4, 6, false],
    [6, 4, false],
    [6, 6, false],
  ] as const)
    assert.equal(isOlder(listOf(number, day), than), expected, `${number} ${day}`);
  assert.equal(isOlder(listOf(4, 4, makeAuthority({ name: 'Other' })), than), false);
});
