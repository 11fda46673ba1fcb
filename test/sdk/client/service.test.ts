// The client against the real service, over TLS.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { assertion } from '../../../sdk/client/src/by/assertion.ts';
import { certificate } from '../../../sdk/client/src/by/certificate.ts';
import { type DevicePrompt, device } from '../../../sdk/client/src/by/device.ts';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import type { Way } from '../../../sdk/client/src/by/way.ts';
import type { TokenFailure } from '../../../sdk/client/src/failure.ts';
import { tokenSource } from '../../../sdk/client/src/token-source.ts';
import { writeTokens } from '../../../sdk/client/src/tokens.ts';
import { seconds } from '../../../src/core/time.ts';
import type { Caller } from '../../e2e/caller.ts';
import { startPublic } from '../../e2e/public-service.ts';
import { clientId, type TestService } from '../../e2e/service.ts';
import { confirm, deny, verify } from '../../e2e/steps.ts';
import { registerWorkload, WORKLOAD_CLIENT } from '../../e2e/workload.ts';
import { eventually } from '../../eventually.ts';
import { anIntegration } from '../../samples.ts';
import { fileFor } from './token-file.ts';

suite('@tessera/client against the service', () => {
  let service: TestService & { readonly issuer: string };
  let caller: Caller;
  let byCertificate: Way;
  const file = (name: string, text: string) => {
    const path = join(service.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  before(async () => {
    service = await startPublic();
    caller = service.caller();
    byCertificate = certificate({
      certificate: file('ada.crt', service.ada.pem),
      key: file('ada.key', service.ada.key),
      scope: 'orders:read',
    });
    const short = { accessTokenLifetime: seconds(3), refresh: true };
    await service.register(anIntegration({ clientId: clientId('short'), overrides: short }));
  });
  after(async () => {
    caller.close();
    await service.stop();
  });
  const source = (by: Way, store: string, integration = 'orders-sync') =>
    tokenSource({ server: service.issuer, clientId: integration, by, store, ca: service.authority.pem });

  test('by certificate: a token, no refresh token, and a new grant after revoke', async (t) => {
    const tokens = source(byCertificate, fileFor(t));
    const first = await tokens.get();
    const { json } = await verify(caller, first);
    assert.equal(json['application'], 'orders-sync');
    assert.equal(json['scope'], 'orders:read');
    await tokens.revoke();
    assert.equal((await verify(caller, first)).status, 401);
    assert.equal((await verify(caller, await tokens.get())).status, 200);
  });

  test('by certificate with refreshes: every token it returns is valid, through several expiries', async (t) => {
    const tokens = source(byCertificate, fileFor(t), 'short');
    const seen = new Set<string>();
    await eventually('it has refreshed several times', async () => {
      const token = await tokens.get();
      seen.add(token);
      assert.equal((await verify(caller, token)).status, 200);
      return seen.size >= 5;
    });
  });

  test('by device: a person confirms; the pair is refreshed by another process that has only the file', async (t) => {
    const store = fileFor(t);
    const show = ({ userCode, verificationUriComplete }: DevicePrompt) => {
      assert.ok(verificationUriComplete.startsWith(`${service.issuer}/`));
      setTimeout(() => void confirm(service, { user_code: userCode, device_code: '' }), 1300);
    };
    const { refreshToken } = await source(device({ show, scope: 'orders:read' }), store).login();
    assert.ok(refreshToken);
    assert.equal((await verify(caller, await source(stored(), store).get())).status, 200);
  });

  test('by device: a person who denies, and Ctrl-C', async (t) => {
    const refuse = ({ userCode }: DevicePrompt) => deny(service, { user_code: userCode, device_code: '' });
    await assert.rejects(source(device({ show: refuse }), fileFor(t)).login(), /The request was denied/);
    const stop = new AbortController();
    const waiting = source(device({ show: () => stop.abort() }), fileFor(t)).login({ signal: stop.signal });
    await assert.rejects(waiting, { name: 'AbortError' });
  });

  test('by assertion: a token and no refresh token; the file of the platform is read for each grant', async (t) => {
    const sign = await registerWorkload(service);
    const path = file('assertion.jwt', `${await sign()}\n`);
    const tokens = source(assertion({ assertion: path, scope: 'orders:read' }), fileFor(t), WORKLOAD_CLIENT);
    const first = await tokens.get();
    const { json } = await verify(caller, first);
    assert.deepEqual([json['application'], json['scope']], [WORKLOAD_CLIENT, 'orders:read']);
    assert.match(String(json['identity']), /^ci:/);
    await tokens.revoke();
    assert.equal((await verify(caller, first)).status, 401);
    await assert.rejects(tokens.get(), (error: TokenFailure) => {
      assert.deepEqual([error.reason, error.error], ['refused', 'invalid_grant'], 'it is good for one grant');
      assert.doesNotMatch(error.message, /eyJ/);
      return true;
    });
    writeFileSync(path, await sign());
    assert.equal((await verify(caller, await tokens.get())).status, 200);
  });

  test('by assertion with refreshes: a grant that was revoked is replaced by the next assertion', async (t) => {
    const sign = await registerWorkload(service, { accessTokenLifetime: seconds(2), refresh: true });
    let signed = 0;
    const by = assertion({
      assertion: () => {
        signed++;
        return sign();
      },
    });
    const store = fileFor(t);
    const tokens = source(by, store, WORKLOAD_CLIENT);
    const first = await tokens.login();
    assert.ok(first.refreshToken);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    assert.notEqual(await tokens.get(), first.accessToken);
    assert.equal(signed, 1, 'the second token came by refresh');
    await source(stored(), store, WORKLOAD_CLIENT).revoke();
    writeFileSync(store, writeTokens(first), { mode: 0o600 }); // as a process that does not know
    assert.equal((await verify(caller, await source(by, store, WORKLOAD_CLIENT).get())).status, 200);
    assert.equal(signed, 2);
  });

  test('an integration that binds its refreshes gets the certificate with each', async (t) => {
    const bound = { accessTokenLifetime: seconds(1), refresh: true };
    await service.register(
      anIntegration({ clientId: clientId('bound-short'), binding: 'certificate', overrides: bound }),
    );
    const store = fileFor(t);
    const first = await source(byCertificate, store, 'bound-short').get();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await assert.rejects(
      source(stored(), store, 'bound-short').get(),
      (error: TokenFailure) => error.reason === 'login-needed',
    );
    const options = { certificate: service.ada.pem, key: service.ada.key };
    assert.notEqual(await source(stored(options), store, 'bound-short').get(), first);
  });

  test('a certificate that is not accepted is refused with the reason', async (t) => {
    const tokens = source(byCertificate, fileFor(t), 'no-certificate');
    await assert.rejects(tokens.get(), (error: TokenFailure) => error.error === 'unauthorized_client');
    const unknown = source(byCertificate, fileFor(t), 'nobody');
    await assert.rejects(unknown.get(), (error: TokenFailure) => error.error === 'invalid_client');
  });

  test('a certificate that has expired is refused, not retried', async (t) => {
    const { pem, key } = service.authority.issue({ commonName: 'ada', notAfter: '2025-01-01' });
    const tokens = source(certificate({ certificate: pem, key }), fileFor(t));
    await assert.rejects(tokens.get(), (error: TokenFailure) => {
      assert.equal(error.reason, 'refused', error.message);
      return true;
    });
  });

  test('a server whose certificate is not trusted gets nothing, and the caller learns what to do', async (t) => {
    const options = { server: service.issuer, clientId: 'orders-sync', by: byCertificate, store: fileFor(t) };
    await assert.rejects(tokenSource(options).get(), (error: TokenFailure) => {
      assert.equal(error.reason, 'usage');
      assert.match(error.message, /certificate of https:\S+ is not trusted: .*NODE_EXTRA_CA_CERTS/);
      return true;
    });
  });
});
