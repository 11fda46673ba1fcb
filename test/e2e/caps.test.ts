// Caps: what an identified caller may cause in the store, whatever addresses it has.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { eventPages } from '../../src/store/pages.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { given } from '../given.ts';
import { BOB } from '../node.ts';
import { anIdentity, anIntegration } from '../samples.ts';
import { type Answer, type Caller, form, json } from './caller.ts';
import { clientId, startService } from './service.ts';
import {
  assertRefused,
  CERTIFICATE,
  CLIENT,
  confirm,
  type Pair,
  pairByCertificate,
  redeem,
  refresh,
  refreshed,
  revoke,
  SCOPE,
  startedDevice,
  verify,
} from './steps.ts';

const cap = (burst: number) => ({ perMinute: 1, burst });
const REPORTING = 'reporting';

suite('a caller that asks for more than anybody honest needs', () => {
  const limits = {
    ...{ grantsPerIdentity: cap(5), grantsPerIntegration: cap(12) },
    ...{ refreshesPerGrant: cap(4), refreshesPerIdentity: cap(8) },
  };
  const service = given(() => startService({ settings: { limits } }));
  const ada = given(() => service.caller(service.ada));
  const bob = given(() => service.caller(service.authority.issue({ commonName: 'bob' })));
  before(async () => {
    await service.put(identities, anIdentity({ id: BOB, userName: 'bob' }));
    await service.register(anIntegration({ clientId: clientId(REPORTING), overrides: { onReuse: 'report' } }));
    await service.register(anIntegration({ clientId: clientId('third') }));
  });

  const obtain = (caller: Caller, client_id = CLIENT) =>
    caller.ask({ path: CERTIFICATE, ...json({ client_id, scope: SCOPE }) });

  function assertCapped(answer: Answer, error = 'invalid_request'): void {
    assert.deepEqual([answer.status, answer.json['Error'] ?? answer.json['error']], [429, error], answer.text);
    assert.match(answer.text, /cap.*Keep the tokens you have.*ask the operator/);
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
  }

  test('gets no more grants, by whichever door and flow; others do, and its tokens work', async () => {
    const pairs: Pair[] = [];
    for (let made = 0; made < 4; made++) pairs.push(await pairByCertificate(ada));
    const devices = [await startedDevice(bob), await startedDevice(bob)];
    for (const device of devices) await confirm(service, device);
    const [first, second] = devices;
    assert.equal((await redeem(bob, first?.device_code ?? '')).status, 200);
    assertCapped(await obtain(ada));
    assertCapped(await obtain(ada, 'third'));
    assertCapped(await redeem(bob, second?.device_code ?? ''));
    const fields = { client_id: CLIENT, grant_type: 'client_credentials' };
    assertCapped(await ada.ask({ path: '/oauth2/token', ...form(fields) }), 'slow_down');
    assert.equal((await obtain(bob)).status, 200);
    const [pair] = pairs;
    assert.equal((await verify(ada, pair?.access_token ?? '')).status, 200);
    await refreshed(ada, pair as Pair);
  });

  test('says so to the operator: in the metrics, and in the log once a minute', async () => {
    const metrics = (await ada.ask({ path: '/metrics' })).text;
    assert.match(metrics, /^tessera_requests_total\{operation="authorize-certificate".*reason="cap-reached".* 3$/m);
    const warnings = service.logLines.filter((line) => line.includes('has reached its cap'));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /"setting":"limits.grantsPerIdentity".*"identityId":"local:/);
    assert.ok(service.logLines.some((line) => line.includes('"rule":"limits.grantsPerIdentity"')));
  });

  test('a spent token that is only reported writes few events, and its answer stays the same', async () => {
    const first = await pairByCertificate(bob, REPORTING);
    const second = await refreshed(bob, first, REPORTING);
    await refreshed(bob, second, REPORTING);
    for (let sent = 0; sent < 100; sent++)
      assertRefused(await refresh(bob, first.refresh_token, REPORTING), 400, 'invalid_grant', /used before/);
    let reports = 0;
    for await (const page of eventPages(service.ports.store, 1000, { after: 0 }))
      reports += page.filter(({ type }) => type === 'reused').length;
    assert.ok(reports >= 1 && reports <= 61, `${reports} events`);
  });

  /** Refreshes until it is capped. */
  async function useUp(pair: Pair): Promise<{ readonly capped: Answer; readonly last: Pair; readonly done: number }> {
    let last = pair;
    for (let done = 0; done < 20; done++) {
      const answer = await refresh(bob, last.refresh_token);
      if (answer.status === 429) return { capped: answer, last, done };
      last = answer.json as unknown as Pair;
    }
    throw new Error('there was no cap');
  }

  let other: Pair;
  test('refreshes one grant no more; the other grants of its identity are refreshed', async () => {
    const stolen = await pairByCertificate(bob);
    other = await pairByCertificate(bob);
    const { capped, last, done } = await useUp(stolen);
    assertCapped(capped);
    assert.equal(done, 4);
    for (let more = 0; more < 20; more++) assertCapped(await refresh(bob, last.refresh_token));
    other = await refreshed(bob, other);
    assert.ok(service.logLines.some((line) => line.includes('"rule":"limits.refreshesPerGrant"')));
  });

  test('refreshes no more; a dead grant keeps its own error', async () => {
    const dead = await pairByCertificate(bob);
    await revoke(bob, dead.access_token);
    const { capped, last, done } = await useUp(other);
    assertCapped(capped);
    assert.ok(done < 3, 'by the cap of the identity: the one of the grant is not reached');
    assertRefused(await refresh(bob, dead.refresh_token), 400, 'invalid_grant', /revoked/);
    assert.equal((await verify(bob, last.access_token)).status, 200);
  });

  test('an integration has a cap too, for all of its identities', async () => {
    const answers: Answer[] = [];
    for (let n = 0; n < 13 && answers.at(-1)?.status !== 429; n++) {
      await service.put(
        identities,
        anIdentity({ id: `local:{0a1b2c3d-0000-4000-8000-0000000000${10 + n}}` as never, userName: `caller-${n}` }),
      );
      const caller = service.caller(service.authority.issue({ commonName: `caller-${n}` }));
      answers.push(await obtain(caller));
      caller.close();
    }
    assertCapped(answers.at(-1) as Answer);
    assert.ok(answers.length > 2);
  });
});

test('revocations of tokens that are not ours are limited by address, at both doors; real ones are not', async () => {
  await using service = await startService({
    settings: { limits: { requestsPerAddress: { perMinute: 6, burst: 8 } } },
    signing: 'ES256',
  });
  const caller = service.caller(service.ada);
  await service.register(anIntegration({ clientId: clientId('jwt'), accessTokenFormat: 'jwt' }));
  const [one, two] = [await pairByCertificate(caller, 'jwt'), await pairByCertificate(caller, 'jwt')];
  const [header, claims] = one.access_token.split('.');
  const forged = `${header}.${claims}.${'A'.repeat(86)}`;
  const byIntegration = (token: string) => caller.ask({ path: '/oauth2/revoke', ...form({ client_id: 'jwt', token }) });
  const statuses = [];
  for (let sent = 0; sent < 8; sent++)
    statuses.push((await (sent % 2 ? byIntegration(forged) : revoke(caller, forged))).status);
  assert.deepEqual([...new Set(statuses.slice(0, 6))], [401, 200]);
  const limited = await byIntegration(forged);
  assert.deepEqual([limited.status, limited.json['error']], [429, 'slow_down']);
  assertRefused(await revoke(caller, forged), 429, 'invalid_request', /Too many requests/);
  assert.equal((await byIntegration(one.access_token)).status, 200);
  assert.equal((await revoke(caller, two.access_token)).status, 200);
});
