// Authorize/Certificate, rule by rule.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { issuers } from '../../src/store/tables/issuers.ts';
import { type Issued, makeAuthority } from '../authority.ts';
import { given } from '../given.ts';
import { ADA } from '../samples.ts';
import { type Answer, json, PROTOCOLS } from './caller.ts';
import { registryFollows } from './registry-follows.ts';
import { anIssuer, SERVER_AUTH, startService } from './service.ts';
import { assertRefused, CERTIFICATE, CLIENT, pairByCertificate, refresh, refreshed, SCOPE } from './steps.ts';

for (const protocol of PROTOCOLS) {
  suite(`Authorize/Certificate over ${protocol}`, () => {
    const stranger = makeAuthority({ name: 'Example Root' }); // the same name, another key
    const byEmail = makeAuthority({ name: 'Mail Root' });
    const byUpn = makeAuthority({ name: 'Directory Root' });
    const derived = makeAuthority({ name: 'Derived Root' });

    const service = given(() => startService());
    before(async () => {
      await service.put(issuers, anIssuer(byEmail, { label: 'mail', identitySources: ['email-san'] }));
      await service.put(issuers, anIssuer(byUpn, { label: 'upn', identitySources: ['upn-san'] }));
      await service.put(issuers, anIssuer(derived, { label: 'DERIVED', identities: 'derived' }));
      await registryFollows();
    });
    const caller = given(() => service.caller(service.ada, protocol));

    async function asking(
      certificate: Issued | undefined,
      body: object = { client_id: CLIENT, scope: SCOPE },
    ): Promise<Answer> {
      const other = service.caller(certificate, protocol);
      try {
        return await other.ask({ path: CERTIFICATE, ...json(body) });
      } finally {
        other.close();
      }
    }

    const refused: readonly [why: string, certificate: () => Issued | undefined, about: RegExp][] = [
      ['no certificate', () => undefined, /No client certificate/],
      ['not from an approved issuer', () => stranger.issue({ commonName: 'ada' }), /approved issuer/],
      ['expired', () => service.authority.issue({ commonName: 'ada', notAfter: '2021-01-01' }), /expired/],
      ['not yet valid', () => service.authority.issue({ commonName: 'ada', notBefore: '2045-01-01' }), /not valid yet/],
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
      // Grants and operators' decisions name it, so no release may derive another one.
      const half = createHash('sha256').update('common-name\0robot').digest('hex').slice(0, 32);
      assert.deepEqual([first, second], [`DERIVED:${half}`, `DERIVED:${half}`]);
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
      const sibling = service.caller(service.authority.issue({ commonName: 'ada' }), protocol);
      const bare = service.caller(undefined, protocol);
      for (const other of [bare, sibling])
        assertRefused(await refresh(other, pair.refresh_token, 'bound'), 400, 'invalid_grant', /bound/);
      await refreshed(caller, pair, 'bound');
      bare.close();
      sibling.close();
    });
  });
}
