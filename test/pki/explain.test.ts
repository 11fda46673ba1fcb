// The dry run gives the verdict of a real request, in the same words.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { explainCertificate, printExplanation } from '../../src/pki/judge/explain.ts';
import { makeAuthority } from '../authority.ts';
import { approve, NOW } from './approved.ts';

const root = makeAuthority({ name: 'Root' });
const explain = (chain: readonly Uint8Array[], profile: 'rfc5280' | 'strict' = 'rfc5280', approved = root) =>
  explainCertificate({
    chain,
    issuers: [approve(approved, { profile })],
    evidence: { lists: [], responses: [] },
    now: NOW,
  });

suite('a dry run', () => {
  test('shows issuer, identity and every step of an accepted certificate', () => {
    const explanation = explain(root.issue({ commonName: 'john' }).chain);
    assert.equal(explanation.accepted, true);
    assert.equal(explanation.issuer, 'TEST');
    assert.deepEqual(explanation.identity, { source: 'common-name', name: 'john' });
    assert.equal(explanation.integrations, 'all');
    assert.ok(explanation.steps.length > 20 && explanation.steps.every(({ passed }) => passed));
    assert.equal(
      printExplanation(explanation).at(-1),
      'accepted: common-name john by issuer TEST, for every integration',
    );
  });

  test('names the rule and setting of a refusal', () => {
    const lines = printExplanation(explain(root.issue({ without: ['extendedKeyUsage'] }).chain, 'strict'));
    assert.ok(lines.some((line) => /^FAIL client-usage-explicit \[leaf CN=caller\] .*\{profile: strict\}$/.test(line)));
    assert.equal(lines.at(-1), 'refused: certificate-refused-by-policy (client-usage-explicit)');
  });

  test('names the certificate of the path that breaks a rule together with the one below it', () => {
    const unnamed = makeAuthority({ name: 'Unnamed', without: ['subjectKeyIdentifier'] });
    const { steps } = explain(unnamed.issue().chain, 'strict', unnamed);
    const judged = steps.filter(({ rule }) => rule === 'key-identifiers-consistent');
    assert.deepEqual(
      judged.map(({ about, passed }) => [about, passed]),
      [
        ['approved issuer CN=Unnamed', false],
        ['leaf CN=caller', true],
      ],
    );
  });

  test('shows every failure, not only the first', () => {
    const { steps } = explain(root.issue({ notAfter: '2025-01-01', serial: Uint8Array.of(0) }).chain);
    assert.deepEqual(
      steps.filter(({ passed }) => !passed).map(({ rule }) => rule),
      ['expired', 'serial-number'],
    );
  });

  test('keeps hostile names on one line', () => {
    const lines = printExplanation(explain(root.issue({ commonName: 'x\r\naccepted: \u202eroot\u001b[2J' }).chain));
    for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
  });

  test('does not let a long name fill the log', () => {
    const commonName = Array.from({ length: 500 }, () => 'x'.repeat(64));
    const { steps } = explain(root.issue({ commonName }).chain);
    for (const { about } of steps) assert.ok(about.length < 2_000);
  });

  test('says why bytes are not a certificate', () => {
    const lines = printExplanation(explain([Buffer.from('junk')]));
    assert.equal(lines.at(-1), 'refused: certificate-unreadable (readable)');
  });
});
