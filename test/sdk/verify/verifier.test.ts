// @tessera/verify against the real service: which tokens are good, and how soon one is refused.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { type Guard, Misconfigured } from '../../../sdk/verify/src/verify.ts';
import { enableIntegration } from '../../../src/operations/admin/acts/work/integration.ts';
import { enableIdentity } from '../../../src/operations/admin/identities.ts';
import { changeIntegration } from '../../administer.ts';
import { registryFollows } from '../../e2e/registry-follows.ts';
import { CLIENT, forged, pairByCertificate, revoke } from '../../e2e/steps.ts';
import { eventually } from '../../eventually.ts';
import { given, prepare } from '../../given.ts';
import { ADA, OPERATOR } from '../../samples.ts';
import { FORMATS, JWT_CLIENT, startProtected } from './protected-api.ts';

let guard: Guard;
const admin = () => ({ store: api.ports.store, by: OPERATOR });
const clientOf = { jwt: JWT_CLIENT, opaque: CLIENT };

const api = given(() => startProtected());
prepare(async () => {
  guard = await api.guard();
});

after(async () => {
  guard.close();
});

async function reasonFor(token: string, certificate?: Uint8Array): Promise<string> {
  const checked = await guard.check(token, { certificate });
  return checked.ok ? 'allowed' : checked.reason;
}

const refused = (token: string) =>
  eventually('it is refused', async () => (await reasonFor(token)) === 'token-invalid');
const allowed = (token: string) => eventually('it is allowed', async () => (await reasonFor(token)) === 'allowed');

for (const format of FORMATS)
  suite(format, () => {
    test('a good token says who calls and what is allowed here', async () => {
      const token = await api.token(format, 'orders:read,write;stock:read');
      const checked = await guard.check(token);
      assert.ok(checked.ok);
      const { expiresAt, ...rest } = checked;
      assert.deepEqual(rest, {
        ok: true,
        identity: ADA,
        integration: clientOf[format],
        scope: ['orders:read', 'orders:write'],
        ...(format === 'opaque' && { name: 'ada' }),
      });
      assert.ok(expiresAt > api.now());
    });

    test('a revoked one is refused within a second, also if it was checked before', async () => {
      const token = await api.token(format);
      assert.equal(await reasonFor(token), 'allowed');
      await revoke(api.holder, token);
      const began = performance.now();
      await refused(token);
      assert.ok(performance.now() - began < 5_000, 'well before the cache ends');
    });

    test('a disabled identity is refused, and allowed again', async () => {
      const token = await api.token(format);
      assert.equal(await reasonFor(token), 'allowed');
      await enableIdentity(ADA, false, admin());
      await refused(token);
      await enableIdentity(ADA, true, admin());
      await allowed(token);
    });

    test('a disabled integration is refused; a narrower scope applies', async () => {
      const token = await api.token(format, 'orders:read,write');
      assert.equal(await reasonFor(token), 'allowed');
      await enableIntegration(clientOf[format], false, admin());
      await refused(token);
      await enableIntegration(clientOf[format], true, admin());
      await allowed(token);
      await changeIntegration(clientOf[format], { scope: 'orders:read' }, admin());
      await eventually('the scope is narrower', async () => {
        const checked = await guard.check(token);
        return checked.ok && checked.scope.join() === 'orders:read';
      });
      await changeIntegration(clientOf[format], { scope: 'orders:read,write;stock:read' }, admin());
      await registryFollows();
    });

    test('who may no longer use the integration is refused', async () => {
      const token = await api.token(format);
      assert.equal(await reasonFor(token), 'allowed');
      await changeIntegration(
        clientOf[format],
        { access: { to: 'named', identities: [], groups: ['nobody'] } },
        admin(),
      );
      await refused(token);
      await changeIntegration(clientOf[format], { access: { to: 'everyone' } }, admin());
      await allowed(token);
      await registryFollows();
    });

    test('a token for another API, a forged one and a refresh token are refused', async () => {
      assert.equal(await reasonFor(await api.token(format, 'stock:read')), 'token-invalid');
      assert.equal(await reasonFor(forged(await api.token(format))), 'token-invalid');
      const { refresh_token } = await pairByCertificate(api.holder, clientOf[format]);
      assert.equal(await reasonFor(refresh_token), 'token-invalid');
    });
  });

suite('a token that is bound to a certificate (RFC 8705 3)', () => {
  test('is good on a connection with this certificate, and only there', async () => {
    const { access_token: token } = await pairByCertificate(api.holder, 'bound-jwt', 'orders:read');
    const own = api.ada.chain[0];
    const other = api.authority.issue({ commonName: 'mallory' }).chain[0];
    assert.equal(await reasonFor(token, own), 'allowed');
    assert.equal(await reasonFor(token, other), 'token-invalid');
    assert.equal(await reasonFor(token), 'token-invalid');
  });
});

suite('settings', () => {
  test('a wrong secret fails at the start, and says so', async () => {
    const resourceServer = { ...api.options.resourceServer, secret: 'tsc_wrong' };
    await assert.rejects(api.guard({ resourceServer }), Misconfigured);
  });

  test('an address that the certificate of the service does not name fails at the start', async () => {
    const issuer = api.issuer.replace('localhost', '127.0.0.1');
    await assert.rejects(
      api.guard({ issuer }),
      (fault) => fault instanceof Misconfigured && /altnames/.test(fault.message),
    );
  });
});
