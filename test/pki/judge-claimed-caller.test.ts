// What operators see of a refused certificate: its names, and the issuer that signed it, even if it was removed.
import assert from 'node:assert/strict';
import { mock, suite, test } from 'node:test';
import { makeAuthority } from '../authority.ts';
import { ecKeys } from '../signed-der.ts';
import { approve, judge, NOW } from './approved.ts';
import { countWork } from './count-work.ts';

const root = makeAuthority({ name: 'Root' });
const below = root.makeIntermediate({ name: 'Below' });
const removed = [approve(root, { enabled: false })];

function claimOf(chain: readonly Uint8Array[], issuers = removed) {
  return judge({ chain, issuers }).claimed;
}

suite('what is known of a refused certificate', () => {
  test('its subject, its issuer and its serial number', () => {
    const { chain } = root.issue({ commonName: 'nina', serial: Uint8Array.of(0xca, 0xfe), notAfter: '2025-01-01' });
    const said = { subject: 'CN=nina', issuer: 'CN=Root', serial: 'cafe', label: 'TEST' };
    assert.deepEqual(claimOf(chain, [approve(root)]), said);
  });

  test('the removed issuer that signed it, or an intermediate above it', () => {
    for (const { chain } of [root.issue(), below.issue()]) {
      const { outcome, issuer, mark } = judge({ chain, issuers: removed, now: NOW });
      assert.equal(!outcome.ok && outcome.refusal.reason, 'certificate-issuer-not-approved');
      assert.deepEqual([issuer, mark], [undefined, undefined], 'it is not approved by that');
      assert.equal(claimOf(chain)?.label, 'TEST');
    }
    const registered = [approve(root, { enabled: false, intermediates: [below.certificate] })];
    assert.equal(claimOf([below.issue().certificate], registered)?.label, 'TEST');
  });

  test('no issuer, if the certificate only names one', () => {
    const forger = makeAuthority({ name: 'Root' });
    for (const { chain } of [forger.issue(), forger.makeIntermediate().issue(), makeAuthority().issue()])
      assert.equal(claimOf(chain)?.label, undefined);
  });

  test('short texts, whatever it has', () => {
    const said = claimOf(
      makeAuthority({ name: '\u202e'.repeat(300) }).issue({
        commonName: ['\r\n"<>', 'x'.repeat(400), '\u0000'.repeat(100)],
        serial: new Uint8Array(500).fill(7),
      }).chain,
    );
    assert.ok(JSON.stringify(said).length < 500, JSON.stringify(said));
    assert.doesNotMatch(JSON.stringify(said), /[\p{Cc}\p{Cf}]/u);
    assert.equal(said?.serial, undefined);
    assert.equal(said?.issuer?.length, 200);
  });

  test('at the cost of a few signature checks', () => {
    const forger = makeAuthority({ name: 'Root', keys: ecKeys('P-521') });
    const forged = Array.from({ length: 31 }, () => forger.makeIntermediate({ name: 'Namesake' }));
    const chain = [forged[0]?.issue().certificate, ...forged.map(({ certificate }) => certificate)].flatMap(
      (each) => each ?? [],
    );
    const roots = Array.from({ length: 20 }, () => makeAuthority({ name: 'Root', keys: ecKeys('P-521') }));
    const issuers = roots.map((each) => approve(each, { enabled: false }));
    const { checks } = countWork(() => judge({ chain, issuers }));
    assert.ok(checks <= 4, `${checks} checks`);
  });

  test('however many issuers were removed, also of one name', () => {
    const keys = ecKeys('P-256');
    const old = Array.from({ length: 60 }, (_, n) => makeAuthority({ name: n % 2 ? 'Root' : `Old ${n}`, keys }));
    const named = [...old, root].map((each) => approve(each, { enabled: false }));
    assert.equal(claimOf(below.issue().chain, named)?.label, 'TEST');
    const forger = makeAuthority({ name: 'Root' });
    const sent = Array.from({ length: 31 }, (_, n) => forger.makeIntermediate({ name: `Namesake ${n}` }).certificate);
    const chain = [forger.issue().certificate, ...sent];
    const workFor = (issuers: typeof named) => {
      claimOf(chain, issuers);
      const compared = mock.method(Buffer, 'compare');
      claimOf(chain, issuers);
      compared.mock.restore();
      return compared.mock.callCount();
    };
    const [few, many] = [workFor(named.slice(0, 16)), workFor(named)];
    assert.ok(many <= few, `${many} comparisons, with fewer issuers ${few}`);
  });
});
