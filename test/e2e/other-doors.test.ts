// Authorize/Certificate, Authorize/Device, Authorize/Verify and Revoke/Token, rule by rule.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { issuers } from '../../src/store/tables/registry.ts';
import { type Issued, makeAuthority } from '../authority.ts';
import { ADA } from '../samples.ts';
import { type Answer, bearer, type Caller, callerOver, form, json, PROTOCOLS, reachOf } from './caller.ts';
import {
  anIssuer,
  clientId,
  PUBLIC_URL,
  registryFollows,
  SERVER_AUTH,
  startService,
  type TestService,
} from './service.ts';
import {
  assertRefused,
  CERTIFICATE,
  CLIENT,
  confirm,
  DEVICE,
  forged,
  pairByCertificate,
  pairByDevice,
  REVOKE,
  refresh,
  refreshed,
  revoke,
  SCOPE,
  startedDevice,
  VERIFY,
  verify,
} from './steps.ts';

for (const protocol of PROTOCOLS) {
  suite(`the other doors over ${protocol}`, () => {
    let service: TestService;
    let caller: Caller;
    const stranger = makeAuthority({ name: 'Example Root' }); // the same name, another key
    const byEmail = makeAuthority({ name: 'Mail Root' });
    const byUpn = makeAuthority({ name: 'Directory Root' });
    const derived = makeAuthority({ name: 'Derived Root' });

    before(async () => {
      service = await startService();
      await service.put(issuers, anIssuer(byEmail, { label: 'mail', identitySources: ['email-san'] }));
      await service.put(issuers, anIssuer(byUpn, { label: 'upn', identitySources: ['upn-san'] }));
      await service.put(issuers, anIssuer(derived, { label: 'DERIVED', identities: 'derived' }));
      await registryFollows();
      caller = callerOver(protocol, reachOf(service, service.ada));
    });
    after(async () => {
      caller.close();
      await service.stop();
    });

    async function asking(
      certificate: Issued | undefined,
      body: object = { client_id: CLIENT, scope: SCOPE },
    ): Promise<Answer> {
      const other = callerOver(protocol, reachOf(service, certificate));
      try {
        return await other.ask({ path: CERTIFICATE, ...json(body) });
      } finally {
        other.close();
      }
    }

    suite('Authorize/Certificate', () => {
      const refused: readonly [why: string, certificate: () => Issued | undefined, about: RegExp][] = [
        ['no certificate', () => undefined, /No client certificate/],
        ['not from an approved issuer', () => stranger.issue({ commonName: 'ada' }), /approved issuer/],
        ['expired', () => service.authority.issue({ commonName: 'ada', notAfter: '2021-01-01' }), /expired/],
        [
          'not yet valid',
          () => service.authority.issue({ commonName: 'ada', notBefore: '2045-01-01' }),
          /not valid yet/,
        ],
        ['of another usage', () => service.authority.issue({ commonName: 'ada', usages: [SERVER_AUTH] }), /policy/],
        ['without the configured name', () => byEmail.issue({ commonName: 'ada' }), /no name/],
        ['with several names', () => service.authority.issue({ commonName: ['ada', 'mallory'] }), /several names/],
        ['of an unknown identity', () => service.authority.issue({ commonName: 'nobody' }), /No identity/],
        ['that two identities match', () => service.authority.issue({ commonName: 'twin' }), /Several identities/],
      ];
      for (const [why, certificate, about] of refused) {
        test(`a certificate ${why}: 401 invalid_client without WWW-Authenticate [spec-gaps: Authorize/Certificate]`, async () => {
          const answer = await asking(certificate());
          assertRefused(answer, 401, 'invalid_client', about);
          assert.equal(answer.headers['www-authenticate'], undefined);
          if (protocol === 'HTTP/1.1') assert.equal(answer.phrase, 'Unauthorized');
        });
      }

      test('the identity comes from the common name, the e-mail or the UPN, as configured per issuer [contract 5.4]', async () => {
        const certificates = [
          service.ada,
          byEmail.issue({ commonName: 'mallory', emails: ['ada@EXAMPLE.com'] }),
          byUpn.issue({ commonName: 'mallory', upns: ['ada@corp.example'] }),
        ];
        for (const certificate of certificates) {
          const answer = await asking(certificate);
          assert.deepEqual([answer.status, answer.json['identity']], [200, ADA], answer.text);
        }
      });

      test('a derived identity is LABEL:hex and always the same [contract 2.1]', async () => {
        const answers = [
          await asking(derived.issue({ commonName: 'robot' })),
          await asking(derived.issue({ commonName: 'robot' })),
        ];
        const [first, second] = answers.map((answer) => answer.json['identity']);
        assert.match(String(first), /^DERIVED:[0-9a-f]{32}$/);
        assert.equal(second, first);
      });

      test('a known identity that may not use the web API or the integration: unauthorized_client [spec-gaps: Authorize/Certificate]', async () => {
        const parameters = { client_id: 'named-only', scope: SCOPE };
        const name = (commonName: string) => service.authority.issue({ commonName });
        assertRefused(await asking(name('without-api')), 400, 'unauthorized_client', /web API/);
        assertRefused(await asking(name('disabled-person')), 400, 'unauthorized_client', /disabled/);
        assertRefused(await asking(name('mallory'), parameters), 400, 'unauthorized_client', /this API integration/);
        assert.equal((await asking(name('ada'), parameters)).status, 200);
      });

      test('errors are checked in the documented order [spec-gaps: Authorize/Certificate]', async () => {
        const unable = service.authority.issue({ commonName: 'without-api' });
        const rungs: readonly [answer: Promise<Answer>, status: number, error: string][] = [
          [asking(undefined, { client_id: 1 }), 400, 'invalid_request'],
          [asking(undefined, { scope: 'a b' }), 400, 'invalid_request'],
          [asking(undefined, { client_id: 'nobody', scope: 'a b' }), 401, 'invalid_client'],
          [asking(unable, { client_id: 'nobody', scope: 'a b' }), 400, 'invalid_grant'],
          [asking(unable, { client_id: 'no-certificate', scope: 'a b' }), 400, 'unauthorized_client'],
          [asking(unable, { client_id: CLIENT }), 400, 'invalid_scope'],
          [asking(unable, { client_id: CLIENT, scope: 'a b' }), 400, 'invalid_scope'],
          [asking(unable, { client_id: CLIENT, scope: 'orders:admin' }), 400, 'invalid_scope'],
          [asking(unable, { client_id: CLIENT, scope: SCOPE }), 400, 'unauthorized_client'],
        ];
        for (const [answer, status, error] of rungs) assertRefused(await answer, status, error);
      });

      test('a chain through an intermediate is accepted, and an appended foreign certificate changes nothing [threats: Certificates]', async () => {
        const intermediate = service.authority.makeIntermediate();
        assert.equal((await asking(intermediate.issue({ commonName: 'ada' }))).status, 200);
        const own = service.authority.issue({ commonName: 'mallory' });
        const victim = service.authority.issue({ commonName: 'ada' });
        const answer = await asking({ ...own, chain: [...own.chain, ...victim.chain] });
        assert.notEqual(answer.json['identity'], ADA);
      });

      test('a bound grant is refreshed only with its certificate, and survives a refresh without it [spec-gaps: Authorize/Certificate]', async () => {
        const pair = await pairByCertificate(caller, 'bound');
        const sibling = callerOver(protocol, reachOf(service, service.authority.issue({ commonName: 'ada' })));
        const bare = callerOver(protocol, reachOf(service));
        for (const other of [bare, sibling])
          assertRefused(await refresh(other, pair.refresh_token, 'bound'), 400, 'invalid_grant', /bound/);
        await refreshed(caller, pair, 'bound');
        bare.close();
        sibling.close();
      });
    });

    suite('Authorize/Device', () => {
      test('the answer has exactly the fields of RFC 8628 plus expires, for JSON and forms [spec-gaps: Other operations]', async () => {
        const parameters = { client_id: CLIENT, scope: 'orders:read' };
        for (const body of [json(parameters), form(parameters)]) {
          const answer = await caller.ask({
            ...body,
            path: DEVICE,
            headers: { ...body.headers, 'x-forwarded-host': 'evil.example' },
          });
          assert.equal(answer.status, 200, answer.text);
          const { device_code, user_code, expires, ...rest } = answer.json;
          assert.match(String(device_code), /^tsd_[A-Za-z0-9_-]{94}==$/);
          assert.match(String(user_code), /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
          assert.ok(Number.isInteger(expires) && Math.abs(Number(expires) - service.now() - 300) <= 2);
          assert.deepEqual(rest, {
            verification_uri: `${PUBLIC_URL}/device`,
            verification_uri_complete: `${PUBLIC_URL}/device?user_code=${user_code}`,
            expires_in: 300,
            interval: 5,
          });
        }
      });

      const refusals: readonly [body: object, error: string][] = [
        [{ scope: SCOPE }, 'invalid_request'],
        [{ client_id: 'nobody', scope: SCOPE }, 'invalid_grant'],
        [{ client_id: 'disabled', scope: SCOPE }, 'invalid_grant'],
        [{ client_id: 'no-device', scope: 'a b' }, 'invalid_client'],
        [{ client_id: CLIENT }, 'invalid_scope'],
        [{ client_id: CLIENT, scope: 'a b' }, 'invalid_scope'],
        [{ client_id: CLIENT, scope: 'orders:admin' }, 'invalid_scope'],
      ];
      for (const [body, error] of refusals) {
        test(`${JSON.stringify(body)} is refused with ${error} [spec-gaps: Other operations]`, async () => {
          assertRefused(await caller.ask({ path: DEVICE, ...json(body) }), 400, error);
          assertRefused(await caller.ask({ path: DEVICE, ...form(body as Record<string, string>) }), 400, error);
        });
      }

      test('a user code is matched without case, spaces or dashes [spec-gaps: Other operations]', async () => {
        const started = await startedDevice(caller);
        const typed = ` ${started.user_code.toLowerCase().replace('-', ' ')} `;
        await confirm(service, { ...started, user_code: typed });
      });
    });

    suite('Authorize/Verify', () => {
      test('the answer has exactly these fields, of these types [spec-gaps: Other operations]', async () => {
        const issued = service.now();
        const pair = await pairByCertificate(caller);
        const { json: body } = await verify(caller, pair.access_token);
        const at = Number(body['access_issued_on_unix_time']);
        assert.ok(Math.abs(at - issued) <= 2);
        const iso = (moment: number) => new Date(moment * 1000).toISOString();
        assert.deepEqual(body, {
          identity: ADA,
          application: CLIENT,
          scope: SCOPE,
          valid_for: pair.expires - at,
          access_issued_on: `/Date(${at}000)/`,
          access_issued_on_ISO8601: iso(at),
          access_issued_on_unix_time: at,
          access_expires_ISO8601: iso(pair.expires),
          access_expires_unix_time: pair.expires,
          grant_issued_on: `/Date(${at}000)/`,
          grant_issued_on_ISO8601: iso(at),
          grant_issued_on_unix_time: at,
          expires: `/Date(${pair.refresh_until}000)/`,
          expires_ISO8601: iso(pair.refresh_until),
          expires_unix_time: pair.refresh_until,
        });
      });

      test('after a refresh the access token has a new issue time, and the grant keeps its own [spec-gaps: Other operations]', async () => {
        const pair = await pairByCertificate(caller);
        const before = (await verify(caller, pair.access_token)).json;
        service.pass(100);
        const next = await refreshed(caller, pair);
        const later = (await verify(caller, next.access_token)).json;
        assert.equal(later['grant_issued_on_unix_time'], before['grant_issued_on_unix_time']);
        assert.ok(Number(later['access_issued_on_unix_time']) >= Number(before['access_issued_on_unix_time']) + 100);
        const old = (await verify(caller, pair.access_token)).json;
        assert.deepEqual(old, before, 'and so has the old one');
      });

      const headers: readonly [what: string, authorization: string | undefined, challenge: string][] = [
        ['no token', undefined, 'Bearer'],
        ['another scheme', 'Basic Zm9vOmJhcg==', 'Bearer'],
        ['an empty token', 'Bearer ', 'Bearer'],
        ['nonsense', 'Bearer nonsense', 'Bearer error="invalid_token"'],
        ['two tokens', 'Bearer tsa_a tsa_b', 'Bearer error="invalid_token"'],
      ];
      for (const [what, authorization, challenge] of headers) {
        test(`${what}: 401 invalid_token at both doors that take a bearer [RFC 6750 3]`, async () => {
          for (const path of [VERIFY, REVOKE]) {
            const answer = await caller.ask({
              path,
              ...(authorization !== undefined && { headers: { authorization } }),
            });
            assertRefused(answer, 401, 'invalid_token');
            assert.equal(answer.headers['www-authenticate'], challenge);
          }
        });
      }

      test('the Bearer scheme is case-insensitive [RFC 6750 2.1]', async () => {
        const { access_token } = await pairByCertificate(caller);
        for (const authorization of [`bearer ${access_token}`, `BEARER ${access_token}`, `Bearer  ${access_token}`])
          assert.equal((await caller.ask({ path: VERIFY, headers: { authorization } })).status, 200);
      });

      test('a token in the query string is refused, even next to a header, and revokes nothing [spec-gaps: Tokens]', async () => {
        const { access_token } = await pairByCertificate(caller);
        for (const path of [VERIFY, REVOKE]) {
          const asked = `${path}?access_token=${access_token}`;
          assertRefused(await caller.ask({ path: asked }), 401, 'invalid_token', /never in the address/);
          assertRefused(await caller.ask({ path: asked, ...bearer(access_token) }), 401, 'invalid_token');
        }
        assert.equal((await verify(caller, access_token)).status, 200);
      });

      test('a disabled integration fails checks at once [spec-gaps: Other operations]', async () => {
        const { access_token } = await pairByCertificate(caller, 'other-sync');
        const integration = service.ports.registry.integration(clientId('other-sync'));
        assert.ok(integration);
        await service.register({ ...integration, enabled: false });
        assertRefused(await verify(caller, access_token), 401, 'invalid_token', /disabled/);
        await service.register(integration);
        assert.equal((await verify(caller, access_token)).status, 200);
      });
    });

    suite('Revoke/Token', () => {
      test('the whole grant ends at once: access tokens of every generation and the refresh token; 200 {} [spec-gaps: Other operations]', async () => {
        const first = await pairByDevice(service, caller);
        const second = await refreshed(caller, first);
        const answer = await revoke(caller, first.access_token);
        assert.deepEqual([answer.status, answer.json], [200, {}]);
        for (const { access_token } of [first, second])
          assertRefused(await verify(caller, access_token), 401, 'invalid_token', /revoked/);
        for (const { refresh_token } of [first, second])
          assertRefused(await refresh(caller, refresh_token), 400, 'invalid_grant', /revoked/);
      });

      test('an already revoked, a forged or an unknown token: 401 invalid_token [spec-gaps: Other operations]', async () => {
        const { access_token } = await pairByCertificate(caller);
        assert.equal((await revoke(caller, access_token)).status, 200);
        assertRefused(await revoke(caller, access_token), 401, 'invalid_token');
        assertRefused(await revoke(caller, forged(access_token)), 401, 'invalid_token');
      });

      test('other grants of the same identity stay valid [spec-gaps: Other operations]', async () => {
        const [one, two] = [await pairByCertificate(caller), await pairByCertificate(caller)];
        await revoke(caller, one.access_token);
        assert.equal((await verify(caller, two.access_token)).status, 200);
      });

      test('an expired access token of any generation still revokes its grant [spec-gaps: Other operations]', async () => {
        const first = await pairByDevice(service, caller);
        service.pass(91 * 86_400);
        const second = await refreshed(caller, first);
        assertRefused(await verify(caller, first.access_token), 401, 'invalid_token', /expired/);
        assert.equal((await revoke(caller, first.access_token)).status, 200);
        assertRefused(await verify(caller, second.access_token), 401, 'invalid_token', /revoked/);
      });
    });
  });
}
