// Untrusted certificates cost little: those without an approved issuer are not parsed in full, and all other work is bounded.
// `npm run figures -- verdicts` measures the time; these tests show that the expensive work is skipped.
import assert from 'node:assert/strict';
import { mock, suite, test } from 'node:test';
import { writeSequence } from '../../src/pki/der/der-write.ts';
import { type Authority, makeAuthority } from '../authority.ts';
import { ecKeys, nameOf } from '../signed-der.ts';
import { approve, judge, verdict } from './approved.ts';

const root = makeAuthority({ name: 'Root' });
const stranger = makeAuthority({ name: 'Stranger' });
const issuers = [approve(root)];
const NOT_APPROVED = 'certificate-issuer-not-approved: issuer-approved';
const marks = (count: number) => `a${'\u0301\u0323'.repeat(count / 2)}`;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** How many characters `work` normalised: this is the part with quadratic cost. */
function normalised(work: () => unknown): number {
  const spy = mock.method(String.prototype, 'normalize');
  try {
    work();
    return spy.mock.calls.reduce((characters, call) => characters + String(call.this).length, 0);
  } finally {
    spy.mock.restore();
  }
}

suite('before a signature of an approved issuer is found', () => {
  for (const [what, chain] of [
    ['as subject', stranger.issue({ commonName: marks(28_000) }).chain],
    ['as issuer', makeAuthority({ name: marks(28_000) }).issue().chain],
    ['as issuer, within the length of a name', makeAuthority({ name: marks(1_800) }).issue().chain],
    ['in every certificate sent', times(20, () => makeAuthority({ name: marks(1_800) }).issue().certificate)],
  ] as const) {
    test(`runs of combining marks ${what} are not normalised`, () => {
      let said = '';
      const characters = normalised(() => {
        said = verdict({ chain, issuers });
      });
      assert.equal(said, NOT_APPROVED);
      assert.equal(characters, 0);
    });
  }

  test('names are normalised up to a total limit', () => {
    const chain = times(31, () => makeAuthority({ name: '\ufdfa'.repeat(1_000) }).issue().certificate);
    const characters = normalised(() => assert.equal(verdict({ chain, issuers }), NOT_APPROVED));
    assert.ok(characters > 0 && characters < 200_000, `${characters} characters`);
  });

  test('no signature of an unknown CA is checked: thirty CAs that sign each other end the search at once', () => {
    const keys = ecKeys();
    const family = times(30, () => makeAuthority({ name: 'Loop', keys }));
    const chain = [family[0]?.issue().certificate ?? assert.fail(), ...family.map(({ certificate }) => certificate)];
    const { steps } = judge({ chain, issuers });
    assert.match(steps[0]?.words ?? '', /its issuer is CN=Loop/);
  });

  test('forged signatures of an approved issuer are checked a bounded number of times', () => {
    const forger = makeAuthority({ name: 'Root' });
    const forged = times(31, () => forger.makeIntermediate({ name: 'Namesake' }));
    const chain = [forged[0]?.issue().certificate ?? assert.fail(), ...forged.map(({ certificate }) => certificate)];
    const { steps } = judge({ chain, issuers });
    assert.match(steps[0]?.words ?? '', /stopped at its limit/);
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
  test('CAs that sign each other cost a bounded number of steps', () => {
    const keys = ecKeys();
    const subject = nameOf('Loop');
    const loop = makeAuthority({ subject, keys });
    const others = times(29, () => loop.makeIntermediate({ subject, keys }));
    const first = root.makeIntermediate({ subject, keys });
    const leaf = makeAuthority({ subject }).issue();
    const chain = [leaf.certificate, first.certificate, ...others.map(({ certificate }) => certificate)];
    const { outcome, steps } = judge({ chain, issuers });
    assert.equal(outcome.ok, false);
    assert.match(steps[0]?.words ?? '', /stopped at its limit/);
  });

  test('names are normalised only when they are compared', () => {
    const chain = root.issue({ commonName: 'zoë' }).chain;
    assert.equal(
      normalised(() => assert.equal(verdict({ chain, issuers }), 'accepted zoë')),
      0,
    );
  });
});

suite('the right path behind 28 wrong candidates of the same name', () => {
  const right = root.makeIntermediate({ name: 'Twin' });
  const bare = root.makeIntermediate({ name: 'Twin', without: ['subjectKeyIdentifier', 'authorityKeyIdentifier'] });
  const found = (wrong: (index: number) => Authority, twin: Authority, leaf = twin.issue()) => {
    const chain = [leaf.certificate, ...times(28, (index) => wrong(index).certificate), twin.certificate];
    return verdict({ chain, issuers });
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
