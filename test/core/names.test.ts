// Names: of directories, keys, scopes and certificates, and acts in words.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { actWords, authorWords, isEnding, isNews, lifeOf } from '../../src/core/act.ts';
import { foldName, isPlainName, isPresented, readSpiffeId } from '../../src/core/certificate.ts';
import { showClaim } from '../../src/core/claims.ts';
import { deviceState, isPolledTooFast } from '../../src/core/device.ts';
import { foldCase, isKnown, isLabel, isLocal, labelOf, localIdentityId } from '../../src/core/identity.ts';
import { type Integration, keyMarks, keyNames, withoutKeys } from '../../src/core/integration.ts';
import { parseObject } from '../../src/core/json.ts';
import {
  concernsAdministration,
  hasOpaqueItems,
  narrowToResources,
  parseResource,
  scopeItems,
} from '../../src/core/scope.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { isAlgorithmAllowed } from '../../src/core/token-issuer.ts';
import { ADA, aDevice, anIdentity, anIntegration, NOW, scopeOf } from '../samples.ts';

suite('a label', () => {
  test('is that of a directory or an issuer, never that of our own identities', () => {
    for (const label of ['corp', 'AD+corp', 'a', 'localx', 'x'.repeat(64)]) assert.ok(isLabel(label), label);
    for (const label of ['local', 'LOCAL', 'integration', 'Integration', '', '1a', 'a b', 'x'.repeat(65)])
      assert.ok(!isLabel(label), label);
  });

  test('is the part of an identity before the colon', () => {
    assert.equal(labelOf({ id: 'AD+corp:aa' as typeof ADA }), 'AD+corp');
    assert.equal(localIdentityId('x'), 'local:{x}');
    assert.equal(isLocal({ id: ADA }), true);
    assert.equal(isLocal({ id: 'local:aa' as typeof ADA }), false);
    assert.equal(foldCase('ÄA a\u0308'), 'Äa ä');
    const pushed = { userName: 'a', active: true, emails: [] };
    assert.deepEqual(
      [undefined, anIdentity(), anIdentity({ pushed }), anIdentity({ pushed: { ...pushed, isGone: true } })].map(
        isKnown,
      ),
      [...[false, false, true, false]],
    );
  });
});

suite('keys of an integration', () => {
  const set = JSON.stringify({
    keys: [{ kid: 'a', thumbprint: 't1' }, { kid: 'a', thumbprint: 't2' }, { kid: 'b' }, {}],
  });
  const file = { from: 'file', set } as const;
  const url = { from: 'url', url: 'https://a.example/keys' } as const;

  test('have names, and marks that distinguish keys of one name', () => {
    assert.deepEqual([keyNames(undefined), keyNames(file), keyNames(url)], [[], ['a', 'a', 'b', ''], [url.url]]);
    assert.deepEqual(keyMarks(file), ['t1', 't2', 'b', '']);
    assert.deepEqual(keyMarks(file, 'a'), ['t1', 't2']);
    assert.deepEqual(
      [keyMarks(url), keyMarks(url, url.url), keyMarks(url, 'x'), keyMarks(undefined)],
      [...[[url.url], [url.url], [], []]],
    );
  });

  test('are removed by their marks', () => {
    const left = (keys: Integration['keys'], ...marks: string[]) =>
      keyMarks(withoutKeys(anIntegration(keys && { keys }), marks).keys);
    assert.deepEqual(left(file, 't1'), ['t2', 'b', '']);
    assert.deepEqual(left(file, 'x'), ['t1', 't2', 'b', '']);
    assert.deepEqual(left(url, url.url), []);
    const none = withoutKeys(anIntegration({ keys: file }), ['t1', 't2', 'b', '']);
    assert.equal('keys' in none, false);
    assert.equal(withoutKeys(none, ['t1']), none);
  });
});

test('parts of a scope', () => {
  assert.deepEqual(scopeItems(scopeOf('stock;orders:write,read')), ['orders:read', 'orders:write', 'stock']);
  assert.equal(
    narrowToResources(scopeOf('orders:read,write;stock;a:x'), new Set(['orders', 'stock']))?.text,
    'orders:read,write;stock',
  );
  const scope = scopeOf('orders:read');
  assert.equal(narrowToResources(scope, new Set(['orders', 'stock'])), scope);
  assert.equal(narrowToResources(scope, new Set(['stock'])), undefined);
  assert.deepEqual(['Orders', 'api://X/.default', 'a:b', ''].map(parseResource), [
    'orders',
    'api://X/.default',
    undefined,
    undefined,
  ]);
  assert.deepEqual([hasOpaqueItems('api://x/y'), hasOpaqueItems('orders:read')], [true, false]);
  assert.deepEqual(['tessera:read', 'orders:read;tessera', 'orders:read'].map(concernsAdministration), [
    true,
    true,
    false,
  ]);
});

suite('a name in a certificate', () => {
  test('compares without the case of its domain, or without any in Active Directory', () => {
    assert.equal(foldName('email-san', 'Ada@Example.COM'), 'Ada@example.com');
    assert.equal(foldName('upn-san', 'Ada@Example.COM'), 'Ada@example.com');
    assert.equal(foldName('upn-san', 'Ada@Example.COM', 'active-directory'), 'ada@example.com');
    assert.equal(foldName('email-san', 'Ada@Example.COM', 'active-directory'), 'Ada@example.com');
    for (const source of ['common-name', 'spiffe-id'] as const) assert.equal(foldName(source, 'A@B'), 'A@B');
  });

  test('is readable, and cannot be mistaken for another', () => {
    for (const name of ['a', 'Ada Lovelace', 'x'.repeat(256)]) assert.ok(isPlainName(name));
    for (const name of ['', ' a', 'a ', 'a\u200bb', 'a\u00a0b', 'x'.repeat(257)]) assert.ok(!isPlainName(name));
  });

  test('may be a SPIFFE ID', () => {
    assert.deepEqual(readSpiffeId('spiffe://a.example/x/y'), { domain: 'a.example', path: '/x/y' });
    assert.deepEqual(readSpiffeId('spiffe://a.example'), { domain: 'a.example', path: '' });
    for (const uri of [
      'https://a.example/x',
      'spiffe://A.example/x',
      'spiffe://a/x/',
      'spiffe://a/./x',
      'spiffe://a/..',
      `spiffe://a/${'x'.repeat(2048)}`,
    ])
      assert.equal(readSpiffeId(uri), undefined);
    assert.ok(readSpiffeId(`spiffe://a/${'x'.repeat(2048 - 11)}`));
  });

  test('is there to judge if a handshake or a header brought one', () => {
    assert.equal(isPresented({ by: 'nothing' }), false);
    const handshake = (...chain: Uint8Array[]) => isPresented({ by: 'handshake', chain, hasIgnoredHeader: false });
    assert.deepEqual([handshake(), handshake(new Uint8Array(1))], [false, true]);
    const header = (...lines: string[]) => isPresented({ by: 'header', header: 'xfcc', lines, chainLines: ['x'] });
    assert.deepEqual([header(), header('x')], [false, true]);
  });
});

test('algorithms are those that are listed; EdDSA has two names [RFC 9864 2.2]', () => {
  assert.equal(isAlgorithmAllowed('ES256', ['RS256', 'ES256']), true);
  assert.equal(isAlgorithmAllowed('ES256', ['RS256']), false);
  assert.equal(isAlgorithmAllowed('EdDSA', ['Ed25519']), true);
  assert.equal(isAlgorithmAllowed('Ed25519', ['EdDSA']), true);
  assert.equal(isAlgorithmAllowed('EdDSA', ['ES256']), false);
  assert.equal(isAlgorithmAllowed(undefined, ['EdDSA']), false);
});

test('claims are shown escaped and cut; JSON must be an object', () => {
  assert.equal(showClaim('a\u001bé'), '"a\\u001b?"');
  assert.equal(showClaim(undefined), 'nothing');
  assert.equal(showClaim('x'.repeat(198)), `"${'x'.repeat(198)}"`);
  assert.equal(showClaim('x'.repeat(199)), `"${'x'.repeat(199)}…`);
  assert.deepEqual(parseObject('{"a":1}'), { a: 1 });
  for (const text of ['[]', 'null', '1', '{', '']) assert.equal(parseObject(text), undefined);
});

test('a device authorization expires, unless it was redeemed, and the first poll is never too fast', () => {
  const end = epochSeconds(NOW + 300);
  const by = { by: ADA, at: NOW };
  assert.equal(deviceState(aDevice(), epochSeconds(NOW + 299)), 'pending');
  assert.equal(deviceState(aDevice(), end), 'expired');
  assert.equal(deviceState(aDevice({ decision: { is: 'denied', ...by } }), NOW), 'denied');
  assert.equal(deviceState(aDevice({ decision: { is: 'redeemed', ...by } }), end), 'redeemed');
  assert.equal(isPolledTooFast(aDevice(), NOW), false);
  const polled = aDevice({ lastPolledAt: NOW });
  assert.deepEqual(
    [4, 5].map((offset) => isPolledTooFast(polled, epochSeconds(NOW + offset))),
    [true, false],
  );
});

test('acts in words, what they leave behind, and who did them', () => {
  const act = (kind: string, did: string, more = {}) => ({ kind, did, id: 'x', ...more }) as never;
  assert.equal(actWords(act('integration', 'key-removed')), 'integration key removed');
  assert.match(actWords(act('unknown', 'done', { words: 'tightened' })), /tightened$/);
  assert.deepEqual(
    [lifeOf(act('integration', 'registered')), lifeOf(act('integration', 'changed'))],
    ['opens', 'changes'],
  );
  assert.deepEqual([isEnding(act('integration', 'disabled')), isEnding(act('integration', 'enabled'))], [true, false]);
  assert.deepEqual([isNews(act('integration', 'disabled')), isNews(act('integration', 'key-added'))], [true, false]);
  assert.deepEqual([lifeOf(act('integration', 'of-later')), isNews(act('integration', 'of-later'))], ['changes', true]);
  assert.equal(authorWords({ as: 'identity', id: ADA, proof: 'token' }), `${ADA} by token`);
  assert.equal(authorWords({ as: 'command' }), 'command');
  assert.equal(authorWords({ as: 'command', user: 'root' }), 'command root');
  assert.equal(authorWords({ as: 'service', why: 'start' }), 'service, start');
});
