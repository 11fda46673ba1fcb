// Untrusted certificates cost little: those without an approved issuer are not parsed in full, and all other work is bounded.
// These tests show that the expensive work is skipped.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../../src/pki/der/der-write.ts';
import { judgeCertificate } from '../../src/pki/judge/judge.ts';
import { readRevocationList } from '../../src/pki/revocation/crl.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Authority, makeAuthority } from '../authority.ts';
import { attribute, ecKeys, extension, nameOf } from '../signed-der.ts';
import { approve, CRL_REQUIRED, judge, NOW, verdict } from './approved.ts';
import { dns, times, uri } from './corpus/pieces.ts';
import { countWork } from './count-work.ts';

const root = makeAuthority({ name: 'Root' });
const stranger = makeAuthority({ name: 'Stranger' });
const issuers = [approve(root)];
const checking = [approve(root, { revocation: CRL_REQUIRED })];
const NOT_APPROVED = 'certificate-issuer-not-approved: issuer-approved';
const marks = (count: number) => `a${'\u0301\u0323'.repeat(count / 2)}`;

/** A leaf and 31 intermediates in the name of these issuers, signed with another key of the same kind. */
function forgedBy(approved: readonly Authority[], curve: string) {
  const forger = makeAuthority({ name: 'Root', keys: ecKeys(curve) });
  const forged = times(31, () => forger.makeIntermediate({ name: 'Namesake' }));
  const chain = [forged[0]?.issue().certificate ?? assert.fail(), ...forged.map(({ certificate }) => certificate)];
  return { chain, issuer: approved.map((each) => approve(each)) };
}

suite('before a signature of an approved issuer is found', () => {
  for (const [what, chain] of [
    ['as subject', stranger.issue({ commonName: marks(28_000) }).chain],
    ['as issuer', makeAuthority({ name: marks(28_000) }).issue().chain],
    ['as issuer, within the length of a name', makeAuthority({ name: marks(1_800) }).issue().chain],
    ['in every certificate sent', times(20, () => makeAuthority({ name: marks(1_800) }).issue().certificate)],
  ] as const) {
    test(`runs of combining marks ${what} are not normalised`, () => {
      const { result, characters } = countWork(() => verdict({ chain, issuers }));
      assert.equal(result, NOT_APPROVED);
      assert.equal(characters, 0);
    });
  }

  test('names are normalised up to a total limit', () => {
    const chain = times(31, (n) => makeAuthority({ name: '\ufdfa'.repeat(300) + n }).issue().certificate);
    const { result, characters } = countWork(() => verdict({ chain, issuers }));
    assert.equal(result, NOT_APPROVED);
    // Of 1,800 characters, each normalised twice; the second time it is eighteen.
    assert.ok(characters > 0 && characters <= 1_800 * 19, `${characters} characters`);
  });

  test('a name whose attributes have other types is not normalised', () => {
    const subject = writeSequence(write(TAG.set, attribute('2.5.4.10', 'zoë')));
    const { result, characters } = countWork(() =>
      verdict({ chain: makeAuthority({ subject }).issue().chain, issuers }),
    );
    assert.equal(result, NOT_APPROVED);
    assert.equal(characters, 0);
  });

  test('no signature of an unknown CA is checked: thirty CAs that sign each other end the search at once', () => {
    const keys = ecKeys();
    const family = times(30, () => makeAuthority({ name: 'Loop', keys }));
    const chain = [family[0]?.issue().certificate ?? assert.fail(), ...family.map(({ certificate }) => certificate)];
    const { result, checks, keys: loaded } = countWork(() => judge({ chain, issuers }));
    assert.match(result.steps[0]?.words ?? '', /its issuer is CN=Loop/);
    assert.deepEqual({ checks, loaded }, { checks: 0, loaded: 0 });
  });

  for (const [curve, most] of [
    ['P-256', 31],
    ['P-384', 3],
    ['P-521', 1],
  ] as const) {
    test(`forged signatures of an approved issuer with ${curve} are checked ${most} times at most`, () => {
      const { chain, issuer } = forgedBy([makeAuthority({ name: 'Root', keys: ecKeys(curve) })], curve);
      const { result, checks } = countWork(() => judge({ chain, issuers: issuer }));
      assert.match(result.steps[0]?.words ?? '', most < 31 ? /stopped at its limit/ : /its issuer is CN=Namesake/);
      assert.ok(checks >= 1 && checks <= most, `${checks} checks`);
    });
  }

  test('two approved issuers of one name are both tried, whatever a check costs', () => {
    const roots = times(2, () => makeAuthority({ name: 'Root', keys: ecKeys('P-521') }));
    for (const authority of roots) {
      const { chain } = authority.issue({ without: ['authorityKeyIdentifier'] });
      assert.equal(verdict({ chain, issuers: roots.map((each) => approve(each)) }), 'accepted caller');
    }
    const { chain, issuer } = forgedBy(roots, 'P-521');
    assert.equal(countWork(() => verdict({ chain, issuers: issuer })).checks, 2);
  });

  test('of approved issuers of one name, the one with the key identifier is tried first', () => {
    const roots = times(9, () => makeAuthority({ name: 'Root' }));
    const chain = roots.at(-1)?.issue().chain ?? [];
    const { result, checks } = countWork(() => verdict({ chain, issuers: roots.map((each) => approve(each)) }));
    assert.deepEqual([result, checks], ['accepted caller', 1]);
  });

  test('a certificate that is sent many times is checked once', () => {
    const forged = makeAuthority({ name: 'Root' }).makeIntermediate({ name: 'Namesake' });
    const chain = [forged.issue().certificate, ...times(31, () => forged.certificate)];
    const { result, checks } = countWork(() => verdict({ chain, issuers }));
    assert.deepEqual({ result, checks }, { result: NOT_APPROVED, checks: 1 });
  });

  test('a registered intermediate is an authority that the operator knows, and costs a stranger nothing more', () => {
    const registered = root.makeIntermediate({ name: 'Registered' });
    const approved = [approve(root, { intermediates: [registered.certificate] })];
    assert.equal(verdict({ chain: [registered.issue().certificate], issuers: approved }), 'accepted caller');
    const forger = makeAuthority({ name: 'Registered' });
    const forged = times(31, () => forger.makeIntermediate({ name: 'Namesake' }).certificate);
    const chain = [makeAuthority({ name: 'Namesake' }).issue().certificate, ...forged];
    for (const question of [approved, [approve(root, { intermediates: [registered.certificate] })]]) {
      const { result, checks } = countWork(() => verdict({ chain, issuers: question }));
      assert.equal(result, NOT_APPROVED);
      assert.ok(checks <= 32, `${checks} checks`);
    }
  });

  test('an unreadable extension of a stranger’s certificate is not parsed', () => {
    const broken = { extensions: [writeSequence()] };
    assert.equal(verdict({ chain: stranger.issue(broken).chain, issuers }), NOT_APPROVED);
    assert.equal(verdict({ chain: root.issue(broken).chain, issuers }), 'certificate-unreadable: readable');
  });

  test('too many certificates or bytes are refused before they are parsed', () => {
    const [leaf = assert.fail()] = root.issue().chain;
    const large = stranger.issue({ commonName: 'x'.repeat(60_000) }).certificate;
    for (const sent of [times(32, () => root.certificate), times(3, () => large)]) {
      assert.equal(verdict({ chain: [leaf, ...sent], issuers }), 'certificate-refused-by-policy: bounded-work');
    }
  });
});

suite('after a signature of an approved issuer is found', () => {
  test('a public intermediate beside it lets no unknown CA cause work: its key is not used', () => {
    const issued = root.makeIntermediate({ name: 'Public' });
    let lowest = makeAuthority({ name: 'Public', keys: ecKeys('P-521') });
    const forged = times(8, (n) => {
      lowest = lowest.makeIntermediate({ name: `Forged ${n}`, keys: ecKeys('P-521') });
      return lowest.certificate;
    });
    const chain = [lowest.issue().certificate, ...forged, issued.certificate];
    const { checks, result } = countWork(() => judge({ chain, issuers }));
    assert.match(result.steps[0]?.words ?? '', /its issuer is CN=Forged 7/);
    assert.ok(checks <= 2, `${checks} checks`);
  });

  test('CAs that sign each other cost a bounded number of steps, and one signature check for each', () => {
    const keys = ecKeys();
    const subject = nameOf('Loop');
    const loop = root.makeIntermediate({ subject, keys });
    const family = times(28, () => loop.makeIntermediate({ subject, keys }).certificate);
    const server = loop.issue({ usages: ['1.3.6.1.5.5.7.3.1'] }).certificate;
    const chain = [server, ...family, loop.certificate];
    const { checks, result } = countWork(() => verdict({ chain, issuers }));
    assert.equal(result, 'certificate-refused-by-policy: client-usage');
    assert.ok(checks <= 60, `${checks} checks`);
  });

  test('a leaf that no sent authority signed ends the search: two checks for each of them', () => {
    const sent = times(28, () => root.makeIntermediate({ name: 'Loop' }).certificate);
    const keys = ecKeys();
    const chain = [makeAuthority({ name: 'Loop', keys }).issue().certificate, ...sent];
    const { checks, result } = countWork(() => verdict({ chain, issuers }));
    assert.equal(result, NOT_APPROVED);
    assert.ok(checks <= 2 * 28, `${checks} checks`);
  });

  test('a name beside the path is not normalised, although its certificate names the key of the approved issuer', () => {
    const intermediate = root.makeIntermediate({ without: ['authorityKeyIdentifier'] });
    const beside = makeAuthority({ name: 'zoë', keys: root.keys }).makeIntermediate();
    const chain = [...intermediate.issue().chain, beside.certificate];
    const { result, characters } = countWork(() => verdict({ chain, issuers }));
    assert.deepEqual({ result, characters }, { result: 'accepted caller', characters: 0 });
  });

  test('all paths together make a bounded number of name comparisons', () => {
    const keys = ecKeys();
    const subtrees = times(1_000, (n) => writeSequence(dns(`c${n}.example.com`)));
    const value = writeSequence(writeContext(1, ...subtrees, writeSequence(dns('example.org'))));
    const crossed = times(6, () =>
      root.makeIntermediate({ name: 'Crossed', keys, extensions: [extension(EXTENSION.nameConstraints, value, true)] }),
    );
    const [first = assert.fail()] = crossed;
    const leaf = first.issue({ dnsNames: [...times(15, (n) => `h${n}.example.net`), 'example.org'] });
    const chain = [leaf.certificate, ...crossed.map(({ certificate }) => certificate)];
    const { result, comparisons } = countWork(() => verdict({ chain, issuers }));
    assert.equal(result, 'certificate-refused-by-policy: name-constraints');
    assert.ok(comparisons > 10_000 && comparisons < 60_000, `${comparisons} comparisons`);
  });

  test('directory names are normalised a bounded number of times for all constraints and paths', () => {
    const keys = ecKeys();
    const directory = (n: number) => writeContext(4, nameOf(`${'\ufdfa'.repeat(400)}${n}`));
    const value = writeSequence(writeContext(1, ...times(8, (n) => writeSequence(directory(n)))));
    const crossed = times(4, () =>
      root.makeIntermediate({ name: 'Crossed', keys, extensions: [extension(EXTENSION.nameConstraints, value, true)] }),
    );
    const leaf = crossed[0]?.issue({ alternativeNames: times(8, (n) => directory(n + 100)) }).certificate;
    const chain = [leaf ?? assert.fail(), ...crossed.map(({ certificate }) => certificate)];
    const { result, characters } = countWork(() => verdict({ chain, issuers }));
    assert.equal(result, 'certificate-refused-by-policy: name-constraints');
    assert.ok(characters <= 2_500 * 19, `${characters} characters`);
  });

  test('a name is normalised once for all constraints', () => {
    const org = (n: number) => writeContext(4, writeSequence(write(TAG.set, attribute('2.5.4.10', `Zoë ${n}`))));
    const value = writeSequence(writeContext(1, ...times(20, (n) => writeSequence(org(n)))));
    const authority = root.makeIntermediate({ extensions: [extension(EXTENSION.nameConstraints, value, true)] });
    const { chain } = authority.issue({ alternativeNames: times(20, (n) => org(n + 100)) });
    const { result, characters } = countWork(() => verdict({ chain, issuers }));
    assert.equal(result, 'accepted caller');
    assert.ok(characters < 2_000, `${characters} characters`);
  });

  test('signers of revocation lists are searched within one limit for all lists and certificates', () => {
    const between = root.makeIntermediate({ name: 'Twin' });
    const twins = times(14, () => root.makeIntermediate({ name: 'Twin', keys: ecKeys('P-384') }));
    // Each needs two checks, one of them with an expensive key.
    const below = twins.map((twin) => twin.makeIntermediate({ name: 'Twin' }).certificate);
    const crls = [between.crl({ number: 1 }), between.crl({ number: 2 }), root.crl()];
    const chain = [
      between.issue().certificate,
      between.certificate,
      ...below,
      ...twins.map(({ certificate }) => certificate),
    ];
    const { result, checks } = countWork(() => verdict({ chain, issuers: checking, crls }));
    assert.equal(result, 'accepted caller');
    assert.ok(checks < 32, `${checks} checks`);
  });

  test('a distribution point is compared with those of a list in linear time', () => {
    const uris = times(1_000, (n) => uri(`http://a/${n}`));
    const points = times(1_000, (n) => writeSequence(writeContext(0, writeContext(0, uri(`http://b/${n}`)))));
    const leaf = root.issue({ extensions: [extension(EXTENSION.crlDistributionPoints, writeSequence(...points))] });
    const scope = extension(
      EXTENSION.issuingDistributionPoint,
      writeSequence(writeContext(0, writeContext(0, ...uris))),
      true,
    );
    const list = readRevocationList(root.crl({ extensions: [scope] }));
    assert.ok(list.ok);
    let reads = 0;
    const names = list.value.scope.names.map((name) => ({
      ...name,
      get kind() {
        reads++;
        return name.kind;
      },
    })) as typeof list.value.scope.names;
    const lists = [{ ...list.value, scope: { ...list.value.scope, names } }];
    const evidence = { lists, responses: [] };
    const { steps } = judgeCertificate({ chain: leaf.chain, issuers: checking, evidence, now: NOW });
    assert.match(steps.at(-1)?.words ?? '', /another distribution point/);
    assert.ok(reads > 0 && reads < 5_000, `${reads} reads`);
  });
});

suite('the right path behind 28 wrong candidates of the same name', () => {
  const right = root.makeIntermediate({ name: 'Twin' });
  const bare = root.makeIntermediate({ name: 'Twin', without: ['subjectKeyIdentifier', 'authorityKeyIdentifier'] });
  const found = (wrong: (index: number) => Authority, twin: Authority, leaf = twin.issue()) => {
    const chain = [leaf.certificate, ...times(28, (index) => wrong(index).certificate), twin.certificate];
    const { result, checks } = countWork(() => verdict({ chain, issuers }));
    assert.ok(checks <= 2 * 29, `${checks} checks`);
    return result;
  };

  test('other keys of the same authority', () => {
    assert.equal(
      found(() => root.makeIntermediate({ name: 'Twin' }), right),
      'accepted caller',
    );
  });

  test('without key identifiers', () => {
    const leaf = bare.issue({ without: ['authorityKeyIdentifier'] });
    const wrong = () => root.makeIntermediate({ name: 'Twin', without: ['subjectKeyIdentifier'] });
    assert.equal(found(wrong, bare, leaf), 'accepted caller');
  });

  test('CAs of the same name under other roots, and self-signed ones', () => {
    assert.equal(
      found((n) => (n % 2 ? stranger.makeIntermediate({ name: 'Twin' }) : makeAuthority({ name: 'Twin' })), bare),
      'accepted caller',
    );
  });

  test('forgeries in the name of the root', () => {
    const forger = makeAuthority({ name: 'Root' });
    assert.equal(
      found(() => forger.makeIntermediate({ name: 'Twin' }), right),
      'accepted caller',
    );
  });
});
