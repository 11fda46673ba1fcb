// The dry run gives the verdict of a real request, in the same words.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ClientId } from '../../src/core/integration.ts';
import {
  explainCertificate,
  explainFiles,
  issuerOf,
  printExplanation,
  printStep,
} from '../../src/pki/judge/explain.ts';
import { makeAuthority } from '../authority.ts';
import { approve, judge, NOW } from './approved.ts';

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

suite('in a dry run, no path to an approved issuer', () => {
  const stepOf = (chain: readonly Uint8Array[], labels = ['TEST']) => {
    const issuers = labels.map((label) => issuerOf(root.certificate, label));
    return judge({ chain, issuers }).steps[0] ?? assert.fail();
  };
  const stranger = makeAuthority({ name: 'Stranger' });

  test('is explained by the name of the issuer, or by its key', () => {
    assert.match(stepOf(stranger.issue().chain).words, /key of an approved issuer: its issuer is CN=Stranger$/);
    const namesake = makeAuthority({ name: 'Root' });
    assert.match(stepOf(namesake.issue().chain).words, /has the name of its issuer, but another key signed it$/);
  });

  test('lists up to eight approved issuers', () => {
    const settingFor = (count: number) =>
      stepOf(
        stranger.issue().chain,
        Array.from({ length: count }, (_, n) => `I${n}`),
      ).setting;
    assert.equal(settingFor(0), 'approved issuers: none');
    assert.equal(settingFor(2), 'approved issuers: I0, I1');
    assert.equal(settingFor(8), 'approved issuers: I0, I1, I2, I3, I4, I5, I6, I7');
    assert.equal(settingFor(10), 'approved issuers: I0, I1, I2, I3, I4, I5, I6, I7, and 2 more');
  });

  test('is not even searched for among more than 32 certificates or 128 KiB; a leaf alone may have any size', () => {
    const leaf = root.issue().certificate;
    const ruleOf = (chain: Uint8Array[]) => stepOf(chain).rule;
    const filled = (octets: number) => [leaf, Buffer.alloc(octets - leaf.length)];
    assert.deepEqual([Array(32).fill(leaf), Array(33).fill(leaf)].map(ruleOf), ['issuer-approved', 'bounded-work']);
    assert.deepEqual([filled(131_072), filled(131_073)].map(ruleOf), ['issuer-approved', 'bounded-work']);
    assert.equal(ruleOf([Buffer.alloc(131_073)]), 'readable');
  });
});

suite('a printed dry run', () => {
  test('begins with what was presented', () => {
    const below = root.makeIntermediate({ name: 'Below' });
    const caller = below.issue({ commonName: 'john', serial: Uint8Array.of(0xca), emails: ['john@x.com'] });
    const lines = printExplanation(explain(caller.chain));
    assert.equal(lines[0], 'leaf: CN=john');
    assert.match(lines[1] ?? '', /^ {2}issued by CN=Below, serial ca, 20\S+Z to 20\S+Z$/);
    assert.match(lines[2] ?? '', /^ {2}EC P-256, signed by ECDSA with sha256, SHA-256 [0-9a-f]{64}$/);
    assert.deepEqual(lines.slice(3, 6), [
      '  common-name (utf8): john',
      '  email-san (ia5): john@x.com',
      'sent certificate 1: CN=Below',
    ]);
    assert.ok(lines.includes('judged as of 2026-11-15T12:00:00Z'));
  });

  test('says for which integrations an issuer counts', () => {
    const { certificate } = root;
    const { chain } = root.issue({ commonName: 'john' });
    const issuers = [issuerOf(certificate, 'TEST', { integrations: ['a', 'b'] as ClientId[] })];
    const found = explainCertificate({ chain, issuers, evidence: { lists: [], responses: [] }, now: NOW });
    assert.equal(printExplanation(found).at(-1), 'accepted: common-name john by issuer TEST, for a, b');
    assert.equal(printExplanation(explain([])).at(-1), 'refused: certificate-missing');
  });

  test('has a line for each step, with the setting if one decides', () => {
    const failed = { rule: 'r', passed: false, about: 'leaf', words: 'w', reason: 'certificate-expired' } as const;
    assert.equal(printStep(failed), 'FAIL r [leaf] w');
    assert.equal(printStep({ ...failed, passed: true, setting: 'a: b' }), 'pass r [leaf] w {a: b}');
  });
});

test('a dry run of files checks lists if any is given', () => {
  const caller = root.issue();
  const files = { certificate: Buffer.from(caller.pem), issuers: [root.certificate], now: NOW };
  const resultOf = (crls?: Uint8Array[]) => {
    const { accepted, issuer, refusal } = explainFiles({ ...files, ...(crls && { crls }) });
    return accepted ? issuer : refusal?.reason;
  };
  assert.equal(resultOf(), 'issuer 1');
  assert.equal(resultOf([root.crl()]), 'issuer 1');
  assert.equal(resultOf([root.crl({ revoked: [caller.serial] })]), 'certificate-revoked');
  assert.equal(resultOf([makeAuthority().crl()]), 'certificate-revocation-unknown');
});
