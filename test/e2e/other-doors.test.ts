// Authorize/Device, Authorize/Verify and Revoke/Token, rule by rule.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { ADA } from '../samples.ts';
import { bearer, form, json, PROTOCOLS } from './caller.ts';
import { clientId, PUBLIC_URL, startService } from './service.ts';
import {
  assertRefused,
  CLIENT,
  confirm,
  DEVICE,
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
    const service = given(() => startService());
    const caller = given(() => service.caller(service.ada, protocol));

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
        const two = { authorization: `Bearer ${access_token} ${access_token}` };
        assertRefused(await caller.ask({ path: VERIFY, headers: two }), 401, 'invalid_token');
      });

      test('a token in the query string is refused, even next to a header, and revokes nothing [spec-gaps: Tokens]', async () => {
        const { access_token } = await pairByCertificate(caller);
        for (const path of [VERIFY, REVOKE]) {
          const asked = `${path}?access_token=${access_token}`;
          assertRefused(await caller.ask({ path: asked }), 401, 'invalid_token', /never in the address/);
          for (const query of [asked, `${path}?a=b&Access_Token=${access_token}`])
            assertRefused(await caller.ask({ path: query, ...bearer(access_token) }), 401, 'invalid_token', /address/);
        }
        const alike = { path: `${VERIFY}?no_access_token=x`, ...bearer(access_token) };
        assert.equal((await caller.ask(alike)).status, 200);
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
