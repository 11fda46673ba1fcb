// A name from a certificate is only data: never a path, SQL, a filter or a log line.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { before, suite, test } from 'node:test';
import type { IdentityId } from '../../src/core/identity.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { makeAuthority } from '../authority.ts';
import { given } from '../given.ts';
import { anIdentity } from '../samples.ts';
import { type Answer, json } from './caller.ts';
import { registryFollows } from './registry-follows.ts';
import { anIssuer, startService } from './service.ts';
import { assertRefused, CERTIFICATE, CLIENT, verify } from './steps.ts';

/** Well-formed names that mean something elsewhere. */
const INERT = [
  '../../x',
  '/etc/passwd',
  "' OR 1=1 --",
  "ada'; DROP TABLE grants; --",
  '" OR ""="',
  '*',
  '*)(uid=*',
  'ada)(|(uid=*',
  '%',
  'ad_',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template that must stay text
  '${jndi:ldap://x}',
  '<script>alert(1)</script>',
  '{"Error":"x"}',
  '__proto__',
  'constructor',
  'local:{0a1b2c3d-0000-4000-8000-00000000ada0}',
  'ADA',
  'аda', // the first letter is Cyrillic
];

/** Refused as names, whatever is in the directory. */
const MALFORMED = [
  'ada\r\nHTTP/1.1 200 OK',
  'ada\n{"level":"info"}',
  'ada\0.evil',
  '\u001b[2Jada',
  'ada ',
  '\u202eada',
];

suite('the name in a certificate', () => {
  const fleet = makeAuthority({ name: 'Fleet Root' });
  const askAs = async (authority: ReturnType<typeof makeAuthority>, commonName: string): Promise<Answer> => {
    const caller = service.caller(authority.issue({ commonName }));
    try {
      return await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: 'orders:read' }) });
    } finally {
      caller.close();
    }
  };

  const service = given(() => startService());
  before(async () => {
    await service.put(issuers, anIssuer(fleet, { label: 'fleet', identities: 'derived' }));
    await registryFollows();
  });

  test('is inert as path, SQL, LDAP filter or log line: it matches only its exact owner', async () => {
    const before = readdirSync(service.folder).toSorted();
    for (const name of INERT) assertRefused(await askAs(service.authority, name), 401, 'invalid_client', /No identity/);
    assert.deepEqual(readdirSync(service.folder).toSorted(), before);
    assert.equal((await askAs(service.authority, 'ada')).status, 200, 'and everything is still there');
  });

  test('with line breaks, NUL, escapes or bidi marks is refused before any lookup', async () => {
    for (const name of MALFORMED)
      assertRefused(await askAs(service.authority, name), 401, 'invalid_client', /malformed name/);
  });

  test('is inert in derived identities, which contain only the hex of a hash', async () => {
    const seen = new Set<unknown>();
    for (const name of INERT) {
      const answer = await askAs(fleet, name);
      assert.equal(answer.status, 200, answer.text);
      assert.match(String(answer.json['identity']), /^fleet:[0-9a-f]{32}$/);
      seen.add(answer.json['identity']);
      const caller = service.caller();
      assert.equal(
        (await verify(caller, String(answer.json['access_token']))).json['identity'],
        answer.json['identity'],
      );
      caller.close();
    }
    assert.equal(seen.size, INERT.length);
  });

  test('cannot forge a log line: every line is one JSON object without control characters', () => {
    for (const line of service.logLines) {
      assert.equal(line.trimEnd().split('\n').length, 1);
      assert.equal(typeof JSON.parse(line), 'object');
      assert.doesNotMatch(line.trimEnd(), /[\p{Cc}\u202e]/u);
    }
    assert.ok(service.logLines.some((line) => line.includes('certificate refused')));
  });

  test('that matches two identities is refused (CVE-2022-26923)', async () => {
    assertRefused(await askAs(service.authority, 'twin'), 401, 'invalid_client', /Several identities/);
    const root = makeAuthority({ name: 'Mail Root' });
    await service.put(issuers, anIssuer(root, { label: 'mail', identitySources: ['email-san', 'upn-san'] }));
    for (const last of [7, 8]) {
      const id = `local:{0a1b2c3d-0000-4000-8000-00000000000${last}}` as IdentityId;
      const shared = { email: 'shared@example.com', upn: 'shared@corp.example' };
      await service.put(identities, anIdentity({ id, userName: `shared-${last}`, ...shared }));
    }
    await registryFollows();
    for (const names of [{ emails: ['shared@EXAMPLE.com'] }, { upns: ['shared@corp.example'] }]) {
      const caller = service.caller(root.issue({ commonName: 'ada', ...names }));
      const answer = await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: 'orders:read' }) });
      caller.close();
      assertRefused(answer, 401, 'invalid_client', /Several identities/);
    }
  });
});
