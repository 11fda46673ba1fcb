// How a caller of the standard door says who it is (RFC 6749 2.3, RFC 7521 4.2, RFC 7662 2.1).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { challengeOf, readClient, readProof } from '../../../src/doors/oauth/client.ts';
import type { ClientParameters } from '../../../src/doors/oauth/schemas.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.AA`;
const ASSERTED = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };

type Case = readonly [what: string, authorization: string | undefined, parameters: ClientParameters, found: unknown];

suite('a client', () => {
  const own = jwt({ iss: 'me', sub: 'me' });
  const OWN = { client_assertion: own, ...ASSERTED };
  const platform = jwt({ iss: 'https://ci.example', sub: 'me' });
  const PLATFORM = { client_assertion: platform, ...ASSERTED };
  const secret = (clientId: string, text: string) => ({ clientId, sent: { by: 'secret', secret: text } });
  const assertion = (clientId: string, text: string, isOfPlatform: boolean) => ({
    ...{ clientId, sent: { by: 'assertion', assertion: text }, isOfPlatform },
  });
  const cases: readonly Case[] = [
    ['nothing', undefined, {}, { clientId: undefined }],
    ['client_id', undefined, { client_id: 'me' }, { clientId: 'me' }],
    ['Basic without a password', basic('me:'), {}, { clientId: 'me' }],
    ['Basic and the same client_id', basic('me:'), { client_id: 'me' }, { clientId: 'me' }],
    ['Basic and another client_id', basic('me:'), { client_id: 'you' }, 'client-id-ambiguous'],
    ['Basic with a password', basic('me:word'), {}, secret('me', 'word')],
    ['Basic, form-encoded', basic('m%C3%A9+1:a%3Ab'), {}, secret('mé 1', 'a:b')],
    ['Basic without a user', basic(':word'), {}, 'client-authentication-unsupported'],
    ['Basic without a colon', basic('me'), {}, 'client-authentication-unsupported'],
    ['Basic with two colons', basic('me:a:b'), {}, 'client-authentication-unsupported'],
    ['Basic with a broken escape', basic('me:%zz'), {}, 'client-authentication-unsupported'],
    ['Basic that is not base64', 'Basic me:word', {}, 'client-authentication-unsupported'],
    ['Basic with more than base64', `${basic('me:word')}!`, {}, 'client-authentication-unsupported'],
    ['Basic alone', 'basic', {}, 'client-authentication-unsupported'],
    ['another scheme is ignored', 'Bearer x', { client_id: 'me' }, { clientId: 'me' }],
    ['a secret in the form', undefined, { client_id: 'me', client_secret: 'word' }, secret('me', 'word')],
    ['a secret of nobody', undefined, { client_secret: 'word' }, 'client-id-missing'],
    ['a user in Basic, its secret in the form', basic('me:'), { client_secret: 'word' }, secret('me', 'word')],
    ['two secrets', basic('me:word'), { client_secret: 'word' }, 'client-authentication-repeated'],
    ['a secret and an assertion', undefined, { client_secret: 'word', ...OWN }, 'client-authentication-repeated'],
    ['Basic and an assertion', basic('me:word'), OWN, 'client-authentication-repeated'],
    ['an assertion of its own', undefined, OWN, assertion('me', own, false)],
    ['the same and client_id', undefined, { client_id: 'me', ...OWN }, assertion('me', own, false)],
    ['that of a platform', undefined, { client_id: 'me', ...PLATFORM }, assertion('me', platform, true)],
    ['that of a platform, for nobody', undefined, PLATFORM, 'client-id-missing'],
    ['an assertion without iss', undefined, { ...OWN, client_assertion: jwt({}) }, 'client-id-missing'],
    ['an assertion that is none', undefined, { ...OWN, client_assertion: 'x' }, 'client-id-missing'],
    ['of another type', undefined, { ...OWN, client_assertion_type: 'x' }, 'client-assertion-type-unsupported'],
    ['an assertion without a type', undefined, { client_assertion: own }, 'client-assertion-type-unsupported'],
  ];
  for (const [what, authorization, parameters, expected] of cases)
    test(what, () => {
      const read = readClient(authorization, parameters);
      assert.deepEqual(read.ok ? read.value : read.refusal.reason, expected);
    });
});

suite('a resource server', () => {
  const by = { by: 'handshake', chain: [Buffer.from('leaf')], hasIgnoredHeader: false } as never;
  const without = { presented: { by: 'nothing' }, requestId: 'r' } as const;
  const withCertificate = { presented: by, requestId: 'r' };
  const proof = (authorization: string | undefined, parameters: ClientParameters, presentation = without as object) => {
    const read = readProof(authorization, parameters, presentation as typeof without);
    return read.ok ? read.value : read.refusal.reason;
  };

  test('proves itself by exactly one method', () => {
    const secret = { by: 'secret', id: 'api', secret: 'word' };
    assert.deepEqual(proof(basic('api:word'), {}), secret);
    assert.deepEqual(proof(basic('api:word'), { client_id: 'api' }), secret);
    assert.deepEqual(proof(undefined, { client_id: 'api', client_secret: 'word' }), secret);
    const token = { by: 'access-token', id: undefined, accessToken: 'x', ...without };
    assert.deepEqual(proof('Bearer x', {}), token);
    assert.deepEqual(proof('bearer x', { client_id: 'api' }), { ...token, id: 'api' });
    const certificate = { by: 'certificate', id: 'api', ...withCertificate };
    assert.deepEqual(proof(undefined, { client_id: 'api' }, withCertificate), certificate);
    assert.deepEqual(proof(basic('api:word'), {}, withCertificate), secret, 'a certificate counts only if it is alone');
  });

  test('that proves nothing is told what is missing', () => {
    assert.equal(proof(undefined, {}), 'resource-server-proof-missing');
    assert.equal(proof(undefined, { client_secret: 'word' }), 'client-id-missing');
    assert.equal(proof(basic('api:word'), { client_id: 'other' }), 'client-id-ambiguous');
    for (const header of ['Bearer', 'Digest x', 'Basic x', basic('api:'), basic(':word')])
      assert.equal(proof(header, {}, withCertificate), 'resource-server-unproven', header);
    assert.equal(proof(undefined, { client_assertion: 'x' }), 'resource-server-unproven');
    for (const parameters of [{ client_secret: 'word' }, { client_assertion: 'x' }])
      assert.equal(proof(basic('api:word'), parameters), 'client-authentication-repeated');
    assert.equal(proof(undefined, { client_secret: 'a', client_assertion: 'x' }), 'client-authentication-repeated');
  });
});

test('a challenge names the scheme that was used, Basic if there was none [RFC 6749 5.2, RFC 6750 3]', () => {
  for (const header of ['Bearer x', 'bearer'])
    assert.equal(challengeOf(header), 'Bearer realm="tessera", error="invalid_token"');
  for (const header of [undefined, '', 'Basic x', 'Bearerx'])
    assert.equal(challengeOf(header), 'Basic realm="tessera"');
});
