// Warnings of `tessera doctor` about issuer settings: those that map more certificates to an identity than expected, and ignored ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineCurves, examineIdentitySources } from '../../src/cli/doctor/contents.ts';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { issuerOf } from '../../src/pki/judge/explain.ts';

const issuer = (label: string, settings: Partial<ApprovedIssuer>) => issuerOf(new Uint8Array(), label, settings);
const said = (...approved: ApprovedIssuer[]) =>
  examineIdentitySources(approved).map(({ verdict, about, says }) => `${verdict} ${about}: ${says}`);

test('with several identity sources a certificate chooses by the names it lacks', () => {
  assert.deepEqual(said(issuer('corp', { identitySources: ['upn-san', 'common-name'] })), [
    'poor issuer corp: identity from upn-san, common-name: a certificate without the first is identified by the next',
  ]);
  assert.deepEqual(said(issuer('corp', { identitySources: ['upn-san'] })), []);
});

test('curves of earlier versions are ignored, and said to be', () => {
  const curves = ['P-224', 'brainpoolP256r1', 'secp256k1'] as unknown as ApprovedIssuer['curves'] & {};
  const findings = examineCurves(issuer('corp', { curves })).map(({ says }) => says);
  assert.deepEqual(findings, ['curves that are no longer supported are ignored: P-224, secp256k1']);
  assert.deepEqual(examineCurves(issuer('corp', { curves: ['brainpoolP384r1'] })), []);
});

test('one name maps to the same identity under two issuers, unless identities are derived', () => {
  const listed = { identities: 'directory', identitySources: ['email-san'] } as const;
  assert.deepEqual(said(issuer('a', listed), issuer('b', listed)), [
    'poor issuers: a, b: the same email-san is the same identity of the directory under each',
  ]);
  assert.deepEqual(said(issuer('a', listed), issuer('b', { ...listed, identities: 'derived' })), []);
  assert.deepEqual(said(issuer('a', listed), issuer('b', { ...listed, identitySources: ['upn-san'] })), []);
});
