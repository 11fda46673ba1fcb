// Verdicts are cached no longer than they are valid.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { Verdicts } from '../../src/pki/judge/certificate-judge.ts';
import { readRevocationList } from '../../src/pki/revocation/crl.ts';
import { readOcspResponse } from '../../src/pki/revocation/ocsp.ts';
import { makeAuthority } from '../authority.ts';
import { approve, CRL_REQUIRED, NOW, worded } from './approved.ts';
import { countWork } from './count-work.ts';

const root = makeAuthority();
const issuers = [approve(root)];
const nothing = { lists: [], responses: [] };
const leaf = root.issue({ notAfter: '2026-12-01T00:00:00Z' });
const end = epochSeconds(Date.parse('2026-12-01T00:00:00Z') / 1000);

suite('a cached verdict', () => {
  test('costs no second validation', () => {
    const verdicts = new Verdicts();
    const ask = (now: typeof NOW) =>
      countWork(() => verdicts.judge({ chain: leaf.chain, issuers, evidence: nothing, now }));
    assert.ok(ask(NOW).checks > 0);
    const { result, checks } = ask(end);
    assert.deepEqual([worded(result), checks], ['accepted caller', 0]);
  });

  test('expires with the certificate', () => {
    const verdicts = new Verdicts();
    verdicts.judge({ chain: leaf.chain, issuers, evidence: nothing, now: NOW });
    const later = verdicts.judge({ chain: leaf.chain, issuers, evidence: nothing, now: epochSeconds(end + 1) });
    assert.equal(worded(later), 'certificate-expired: expired');
  });

  test('is dropped when the issuers change', () => {
    const verdicts = new Verdicts();
    verdicts.judge({ chain: leaf.chain, issuers, evidence: nothing, now: NOW });
    const without = verdicts.judge({ chain: leaf.chain, issuers: [], evidence: nothing, now: NOW });
    assert.equal(without.outcome.ok, false);
  });

  test('expires with its CRL, and is dropped when a new list arrives', () => {
    const verdicts = new Verdicts();
    const closed = [approve(root, { revocation: CRL_REQUIRED })];
    const lists = listsOf(root.crl({ nextUpdate: '2026-11-16' }));
    const ask = (from: ReturnType<typeof listsOf>, now: typeof NOW) =>
      worded(verdicts.judge({ chain: leaf.chain, issuers: closed, evidence: { lists: from, responses: [] }, now }));
    assert.equal(ask(lists, NOW), 'accepted caller');
    assert.equal(ask(lists, epochSeconds(NOW + 86_400)), 'certificate-revocation-unknown: crl-unknown');
    assert.equal(ask(listsOf(root.crl({ revoked: [leaf.serial] })), NOW), 'certificate-revoked: crl-revoked');
  });

  test('applies to the whole chain: the same leaf with another chain is validated again', () => {
    const verdicts = new Verdicts();
    const intermediate = root.makeIntermediate();
    const [alone, ...above] = intermediate.issue().chain;
    const ask = (chain: readonly Uint8Array[]) =>
      worded(verdicts.judge({ chain, issuers, evidence: nothing, now: NOW }));
    assert.match(ask([alone ?? assert.fail()]), /^certificate-issuer-not-approved/);
    assert.equal(ask([alone ?? assert.fail(), ...above]), 'accepted caller');
  });

  test('of refusal lasts half a minute, whatever dates an unknown CA writes', () => {
    const verdicts = new Verdicts();
    const { chain } = makeAuthority().issue({ notBefore: '2026-11-15T12:00:10Z' });
    const at = (now: typeof NOW) => verdicts.recall({ chain, issuers, evidence: nothing, now });
    verdicts.judge({ chain, issuers, evidence: nothing, now: NOW });
    for (const after of [0, 30]) assert.ok(at(epochSeconds(NOW + after)));
    for (const after of [-1, 31]) assert.equal(at(epochSeconds(NOW + after)), undefined);
  });

  test('of refusal ends when a certificate, a list or an OCSP response becomes valid', () => {
    const closed = [approve(root, { revocation: CRL_REQUIRED })];
    const asking = [approve(root, { revocation: { ...CRL_REQUIRED, crl: 'off', ocsp: 'required' } })];
    // Ten seconds after NOW, or ten seconds and the tolerance for clocks.
    const response = readOcspResponse(root.ocsp(leaf.serial, { thisUpdate: '2026-11-15T12:05:10Z' }));
    const early = root.makeIntermediate({ notBefore: '2026-11-15T12:00:10Z' });
    const responses = response.ok ? [response.value] : assert.fail();
    for (const [what, given] of Object.entries({
      leaf: { chain: root.issue({ notBefore: '2026-11-15T12:00:10Z' }).chain, issuers, evidence: nothing },
      intermediate: { chain: early.issue().chain, issuers, evidence: nothing },
      list: {
        chain: leaf.chain,
        issuers: closed,
        evidence: { lists: listsOf(root.crl({ thisUpdate: '2026-11-15T12:05:10Z' })), responses: [] },
      },
      response: { chain: leaf.chain, issuers: asking, evidence: { lists: [], responses } },
    })) {
      const verdicts = new Verdicts();
      const ask = (after: number) => worded(verdicts.judge({ ...given, now: epochSeconds(NOW + after) }));
      assert.match(ask(0), /^certificate-(?:not-yet-valid|revocation-unknown)/, what);
      assert.match(ask(9), /^certificate-(?:not-yet-valid|revocation-unknown)/, what);
      assert.ok(verdicts.recall({ ...given, now: epochSeconds(NOW + 9) }), what);
      assert.equal(verdicts.recall({ ...given, now: epochSeconds(NOW + 10) }), undefined, what);
      assert.equal(ask(10), 'accepted caller', what);
    }
  });

  test('of two certificates does not apply to their octets sent as one', () => {
    const verdicts = new Verdicts();
    const { chain } = root.makeIntermediate().issue();
    const ask = (sent: readonly Uint8Array[]) =>
      worded(verdicts.judge({ chain: sent, issuers, evidence: nothing, now: NOW }));
    assert.equal(ask(chain), 'accepted caller');
    assert.equal(ask([Buffer.concat(chain)]), 'certificate-unreadable: readable');
  });
});

function listsOf(crl: Uint8Array) {
  const list = readRevocationList(crl);
  return list.ok ? [list.value] : assert.fail(list.refusal);
}
