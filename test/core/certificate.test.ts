import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CertificateNames, callerName, type NameValue, type UpnComparison } from '../../src/core/certificate.ts';
import type { ClientId } from '../../src/core/integration.ts';
import { accept, refuse } from '../../src/core/outcome.ts';
import { type CertificateFacts, decideCertificate } from '../../src/core/rules/certificate.ts';
import { anIdentity, anIntegration, hexOf } from '../samples.ts';
import { assertOrder } from './ladder.ts';

const mark = { certificate: hexOf(16), issuerKey: hexOf(16), key: hexOf(32) };
const thumbprint = hexOf(32, 7);

function decide(difference: Partial<CertificateFacts> = {}): string {
  const outcome = decideCertificate({
    clientId: 'orders-sync',
    caller: accept({ identity: anIdentity(), mark, thumbprint }),
    integration: anIntegration(),
    scope: 'orders:read',
    resourceServers: [],
    ...difference,
  });
  return outcome.ok ? 'accepted' : outcome.refusal.reason;
}

test('an accepted certificate and an allowed scope yield a grant [contract 3]', () => {
  assert.equal(decide(), 'accepted');
});

test('order of checks: client_id missing, certificate, client_id unknown, flow, scope, resource, issuer, identity', () => {
  const ladder: [string, Partial<CertificateFacts>][] = [
    [
      'identity-without-api-access',
      { caller: accept({ identity: anIdentity({ mayUseApi: false }), mark, thumbprint }) },
    ],
    ['issuer-not-for-integration', { caller: accept({ identity: anIdentity(), mark, thumbprint, integrations: [] }) }],
    ['resource-unknown', { resource: ['https://unknown.example'] }],
    ['scope-exceeds-integration', { scope: 'orders:delete' }],
    ['certificate-flow-disabled', { integration: anIntegration({ flows: { device: true, certificate: false } }) }],
    ['integration-disabled', { integration: anIntegration({ enabled: false }) }],
    ['integration-unknown', { integration: undefined }],
    ['certificate-missing', { caller: refuse('certificate-missing') }],
    ['client-id-missing', { clientId: undefined }],
  ];
  assertOrder('authorize-certificate', decide, ladder);
});

test('an issuer limited to some integrations is refused for others', () => {
  const caller = (integrations: ClientId[]) => accept({ identity: anIdentity(), mark, thumbprint, integrations });
  assert.equal(decide({ caller: caller(['other' as ClientId]) }), 'issuer-not-for-integration');
  assert.equal(decide({ caller: caller(['orders-sync' as ClientId]) }), 'accepted');
});

function names(difference: Partial<CertificateNames>): CertificateNames {
  return { 'common-name': [], 'email-san': [], 'upn-san': [], 'spiffe-id': [], ...difference };
}

const utf8 = (value: string): NameValue => ({ type: 'utf8', value });
const ia5 = (value: string): NameValue => ({ type: 'ia5', value });

function nameOf(given: Partial<CertificateNames>, ...sources: (keyof CertificateNames)[]): string {
  const outcome = callerName(names(given), sources);
  return outcome.ok ? outcome.value.name : outcome.refusal.reason;
}

test('the identity comes from the first configured source that is present [contract 5.4]', () => {
  const given = { 'common-name': [utf8('ada')], 'email-san': [ia5('ada@example.org')] };
  assert.equal(nameOf(given, 'common-name'), 'ada');
  assert.equal(nameOf(given, 'email-san', 'common-name'), 'ada@example.org');
  assert.equal(nameOf(given, 'upn-san', 'common-name'), 'ada');
  assert.equal(nameOf(given, 'upn-san'), 'certificate-name-missing');
});

test('several candidate names are refused', () => {
  assert.equal(nameOf({ 'common-name': [utf8('ada'), utf8('ada')] }, 'common-name'), 'certificate-name-ambiguous');
});

test('names that are empty, too long, or have NUL, control or format characters or outer spaces are refused', () => {
  for (const value of [
    '',
    'john\0.evil',
    'a\nb',
    ' ada',
    'ada ',
    'a\u202eb',
    'a\u200bb',
    '\ufeffada',
    'x'.repeat(257),
  ]) {
    assert.equal(
      nameOf({ 'common-name': [utf8(value)] }, 'common-name'),
      'certificate-name-malformed',
      JSON.stringify(value),
    );
  }
});

test('invisible characters and non-ASCII spaces are refused', () => {
  const invisible = {
    'Hangul filler': '\u3164',
    'Hangul initial filler': '\u115f',
    'half width filler': '\uffa0',
    'empty Braille cell': '\u2800',
    'combining grapheme joiner': '\u034f',
    'soft hyphen': '\u00ad',
    'variation selector 16': '\ufe0f',
    'variation selector 17': '\u{e0100}',
    'Mongolian variation selector': '\u180b',
    'Khmer inherent vowel': '\u17b4',
    'object replacement': '\ufffc',
    'null notehead': '\u{1d159}',
    'tag letter': '\u{e0041}',
    'no-break space': '\u00a0',
    'em space': '\u2003',
    'ideographic space': '\u3000',
    'narrow no-break space': '\u202f',
    'Ogham space': '\u1680',
    'line separator': '\u2028',
    'private use': '\ue000',
    unassigned: '\u0378',
  };
  for (const [what, character] of Object.entries(invisible)) {
    for (const value of [`jo${character}hn`, `${character}john`, `john${character}`]) {
      assert.equal(nameOf({ 'common-name': [utf8(value)] }, 'common-name'), 'certificate-name-malformed', what);
    }
    assert.equal(nameOf({ 'upn-san': [utf8(`a${character}@corp`)] }, 'upn-san'), 'certificate-name-malformed', what);
  }
  for (const value of ['Ada Lovelace', 'Zoë', 'Ḋe\u0301', '山田', 'नमस्ते']) {
    assert.equal(nameOf({ 'common-name': [utf8(value)] }, 'common-name'), value);
  }
});

test('a name in the wrong ASN.1 string type is refused', () => {
  assert.equal(nameOf({ 'upn-san': [ia5('ada@corp')] }, 'upn-san'), 'certificate-name-malformed');
  assert.equal(nameOf({ 'email-san': [utf8('ada@example.org')] }, 'email-san'), 'certificate-name-malformed');
  assert.equal(
    nameOf({ 'common-name': [{ type: 'other', value: 'ada' }] }, 'common-name'),
    'certificate-name-malformed',
  );
});

test('user principal names ignore ASCII case if the issuer is configured so, as Active Directory does', () => {
  const upn = (value: string, comparison?: UpnComparison) => {
    const outcome = callerName(names({ 'upn-san': [utf8(value)] }), ['upn-san'], comparison);
    return outcome.ok && outcome.value.name;
  };
  assert.equal(upn('Ada@CORP.example'), 'Ada@corp.example');
  assert.equal(upn('Ada@CORP.example', 'exact'), 'Ada@corp.example');
  assert.equal(upn('Ada@CORP.example', 'active-directory'), 'ada@corp.example');
  assert.equal(upn('\u0130Ä\u212a@corp', 'active-directory'), '\u0130Ä\u212a@corp');
  const email = callerName(names({ 'email-san': [ia5('Ada@Corp')] }), ['email-san'], 'active-directory');
  assert.equal(email.ok && email.value.name, 'Ada@corp');
});

test('only the ASCII case of the domain part is folded; homographs stay different', () => {
  assert.equal(nameOf({ 'email-san': [ia5('Ada@Example.ORG')] }, 'email-san'), 'Ada@example.org');
  assert.notEqual(nameOf({ 'common-name': [utf8('\u0430da')] }, 'common-name'), 'ada');
  assert.equal(nameOf({ 'email-san': [ia5('ada')] }, 'email-san'), 'certificate-name-malformed');
  assert.equal(nameOf({ 'email-san': [ia5('a@b@c')] }, 'email-san'), 'certificate-name-malformed');
});
