// What operators do in the console: said before, done once, and in the event log with who did it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { IdentityId } from '../../../src/core/identity.ts';
import { makeDevelopmentAuthority } from '../../../src/pki/development-authority.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../../src/system.ts';
import { put } from '../../node.ts';
import { CLIENT } from '../../samples.ts';
import type { Visitor } from '../pages/visitor.ts';
import { ConsoleScene, fieldsOf, ORDERS_SYNC, PEOPLE } from './scene.ts';

let scene: ConsoleScene;
let olga: Visitor;
before(async () => {
  scene = await ConsoleScene.open();
  olga = await scene.visitor('olga');
  for (const index of [1, 2, 3]) await scene.grant(index);
  await scene.grant(4, 'vera', { scope: 'stock:read' });
});
after(() => scene?.stop());

const PATH = `/console/integrations/${CLIENT}`;

async function lastAct() {
  const events = await scene.store.newestEvents({ count: 20, acts: true });
  return events.findLast(({ type }) => type === 'administered');
}

test('narrowing an integration: the page says which living grants it touches, then does it, with an event by passkey', async () => {
  const form = fieldsOf((await olga.get(`${PATH}/change`)).text);
  const preview = await olga.post(`${PATH}/change`, { ...form, scope: 'orders:write;stock:read' });
  assert.match(preview.text, /3 living grants of 1 identity \(nina\) are touched/);
  assert.match(preview.text, /orders:read,write;stock:read.*orders:write;stock:read/s);
  assert.equal((await scene.store.load(integrations, CLIENT)).found?.row.scope.text, 'orders:read,write;stock:read');
  const done = await olga.post(`${PATH}/change`, fieldsOf(preview.text));
  assert.equal(done.headers.location, `${PATH}?done=yes`);
  assert.equal((await scene.store.load(integrations, CLIENT)).found?.row.scope.text, 'orders:write;stock:read');
  const event = await lastAct();
  assert.ok(event?.type === 'administered' && event.detail.kind === 'integration');
  assert.deepEqual(event.detail.by, { as: 'identity', id: PEOPLE.olga.id, proof: 'passkey' });
  assert.ok(event.requestId && event.presenter, 'with the request and the address');
  assert.match((await olga.get(done.headers.location ?? '')).text, /Done\..*See the events/s);
  await scene.change(CLIENT, { scope: ORDERS_SYNC.scope });
});

test('limiting access: only grants of people who lose it are touched, and five of these are named', async () => {
  const form = fieldsOf((await olga.get(`${PATH}/change`)).text);
  const touched = async (fields: Record<string, string>) => {
    const { text } = await olga.post(`${PATH}/change`, { ...form, ...fields });
    return /(?:No|\d+) living grants? .*? touched/.exec(text)?.[0];
  };
  const [forVera, forNobody] = ['vera', 'olga\noscar'].map((names) => {
    return { 'access.to': 'named', 'access.identities': names, 'access.groups': '' };
  });
  assert.equal(await touched({ ...forVera }), '3 living grants of 1 identity (nina) are touched');
  assert.equal(await touched({ name: 'Other name' }), 'No living grant is touched');
  for (const [index, userName] of ['a', 'b', 'c', 'd'].entries()) {
    const person = { ...PEOPLE.nina, id: `corp:0${userName}` as IdentityId, userName };
    await put(scene.store, identities, person);
    await scene.grant(5 + index, 'nina', { identityId: person.id });
  }
  assert.equal(await touched({ ...forVera }), '7 living grants of 5 identities (d, c, b, a, nina) are touched');
  assert.equal(await touched({ ...forNobody }), '8 living grants of 6 identities (d, c, b, a, vera, …) are touched');
});

test('two operators at once: the second is told what the first changed, and nothing of the second is done', async () => {
  const oscar = await scene.visitor('oscar');
  const [first, second] = [await olga.get(`${PATH}/change`), await oscar.get(`${PATH}/change`)];
  const preview = await olga.post(`${PATH}/change`, { ...fieldsOf(first.text), vendor: 'Acme' });
  assert.equal((await olga.post(`${PATH}/change`, fieldsOf(preview.text))).status, 303);
  const late = await oscar.post(`${PATH}/change`, { ...fieldsOf(second.text), name: 'Mine' });
  const refused = await oscar.post(`${PATH}/change`, fieldsOf(late.text));
  assert.equal(refused.status, 412);
  assert.match(refused.text, /Somebody changed it meanwhile.*Vendor.*Example.*Acme/s);
  const { name, vendor } = (await scene.store.load(integrations, CLIENT)).found?.row ?? {};
  assert.deepEqual([name, vendor], [ORDERS_SYNC.name, 'Acme']);
  const ask = await oscar.get(`${PATH}/disable`);
  await scene.change(CLIENT, { vendor: 'Example' });
  assert.equal((await oscar.post(`${PATH}/disable`, fieldsOf(ask.text))).status, 412, 'so are simple acts');
});

test('disabling a person says what it touches, and is undone by enabling', async () => {
  const path = `/console/identities/${encodeURIComponent(PEOPLE.nina.id)}`;
  const ask = await olga.get(`${path}/disable`);
  assert.match(ask.text, /3 living grants of 1 identity \(nina\).*work again after that/s);
  assert.equal((await olga.post(`${path}/disable`, fieldsOf(ask.text))).status, 303);
  const [name, grant] = ['<a href="[^"]*" title="local:[^"]*">nina</a>', `/console/grants/018f${'01'.repeat(14)}`];
  assert.match(ask.text, /<h1>Disable: nina<\/h1>/);
  const events = (await olga.get('/console/events?type=administered')).text;
  assert.match(events, new RegExp(`identity disabled</strong> ${name}.*title="local:[^"]*">olga by passkey`, 's'));
  assert.match(
    (await olga.get(path)).text,
    new RegExp(`events\\?identity=.*Last changes.*identity disabled</strong> ${name}`, 's'),
  );
  for (const page of [grant, '/console/grants?identity=nina'])
    assert.match((await olga.get(page)).text, /live<\/span> +<span class="state bad">identity disabled/, page);
  assert.match((await olga.get(grant)).text, /Identity nina<\/a>.*Integration orders-sync<\/a>/s);
  const isOn = async () => (await scene.store.load(identities, PEOPLE.nina.id)).found?.row.enabled;
  assert.equal(await isOn(), false);
  const enable = await olga.get(`${path}/enable`);
  assert.match(
    enable.text,
    new RegExp(`not ended on purpose.*identity disabled</strong> ${name}.*olga by passkey`, 's'),
  );
  await olga.post(`${path}/enable`, fieldsOf(enable.text));
  assert.equal(await isOn(), true);
  assert.doesNotMatch((await olga.get(`${path}/enable`)).text, /on purpose/);
});

test('things are added, shown, changed and removed: integration, resource server with a secret, issuer, identity', async () => {
  const add = async (place: string, name: string, fields: Record<string, string>) => {
    const form = { ...fieldsOf((await olga.get(`/console/${place}/new`)).text), object_name: name, ...fields };
    const preview = await olga.post(`/console/${place}/new`, form);
    const done = await olga.post(`/console/${place}/new`, fieldsOf(preview.text));
    assert.equal(done.status, 303, `${place}: ${done.text}`);
    return done.headers.location ?? '';
  };
  await add('integrations', 'new-one', { scope: 'orders:read', 'flows.device': '' });
  assert.deepEqual((await scene.store.load(integrations, 'new-one')).found?.row.flows, {
    device: false,
    certificate: true,
  });
  await add('resource-servers', 'orders-api', { audience: 'https://orders.example', resources: 'orders\nstock' });
  const ask = await olga.get('/console/resource-servers/orders-api/secret-make');
  const { text } = await olga.post('/console/resource-servers/orders-api/secret-make', fieldsOf(ask.text));
  assert.match(text, /Shown this once.*<pre>[\w-]{20,}/s);
  assert.deepEqual((await scene.store.load(resourceServers, 'orders-api')).found?.row.resources, ['orders', 'stock']);
  await add('issuers', 'DEV', {
    pem: scene.service.authority,
    'identitySources.common-name': 'yes',
    'revocation.crl': 'off',
  });
  assert.match((await olga.get('/console/issuers/DEV')).text, /Fingerprint/);
  const withdraw = await olga.get('/console/issuers/DEV/remove');
  assert.match(withdraw.text, /No living grant is touched/);
  await olga.post('/console/issuers/DEV/remove', fieldsOf(withdraw.text));
  assert.equal((await scene.store.load(issuers, 'DEV')).found?.row.enabled, false);
  const eve = await add('identities', 'eve', {
    userName: 'eve',
    groups: 'viewers',
    password: 'a-long-password-of-eve',
  });
  const shown = await olga.get(eve.split('?')[0] ?? '');
  assert.match(shown.text, /eve/);
  assert.doesNotMatch(shown.text + scene.service.logged(), /a-long-password-of-eve/);
  const reset = `${eve.split('?')[0]}/password`;
  const ask2 = fieldsOf((await olga.get(reset)).text);
  assert.match((await olga.post(reset, { ...ask2, password: 'short' })).text, /shorter than/);
  assert.equal((await olga.post(reset, { ...ask2, password: 'another-password-of-eve' })).status, 303);
  const remove = await olga.get('/console/integrations/new-one/remove');
  await olga.post('/console/integrations/new-one/remove', fieldsOf(remove.text));
  const gone = await olga.get('/console/integrations/new-one');
  assert.equal(gone.status, 404);
  assert.match(gone.text, /<h1>Not found<\/h1>/);
});

test('before a change that weakens a check, the page says what will be accepted; a stricter one has no warning', async () => {
  const warned = async (path: string, fields: Record<string, string>) => {
    const { text } = await olga.post(path, { ...fieldsOf((await olga.get(path)).text), ...fields });
    const [, warning = ''] = /<div class="warning">(.*?)<\/div>/s.exec(text) ?? [];
    return warning.replaceAll(/<[^>]*>/g, ' ').trim();
  };
  const change = async (path: string, fields: Record<string, string>) => {
    const preview = await olga.post(path, { ...fieldsOf((await olga.get(path)).text), ...fields });
    assert.equal((await olga.post(path, fieldsOf(preview.text))).status, 303, preview.text);
  };
  const checks = (crl: string, ocsp: string) => ({ 'revocation.crl': crl, 'revocation.ocsp': ocsp });
  const issuer = '/console/issuers/corp/change';
  const { certificate: pem } = makeDevelopmentAuthority(new Date(), systemRandom);
  const added = { object_name: 'corp', pem, 'identitySources.common-name': 'yes' };
  await change('/console/issuers/new', { ...added, ...checks('required', 'required') });
  const accepted = 'Revoked certificates of this issuer will be accepted';
  assert.equal(await warned(issuer, checks('off', 'off')), `${accepted}.`);
  assert.equal(await warned(issuer, checks('off', 'required')), `${accepted}, unless OCSP refuses them.`);
  assert.equal(await warned(issuer, checks('required', 'off')), `${accepted}, unless a revocation list names them.`);
  assert.match(
    await warned(issuer, checks('if-available', 'required')),
    /accepted while there is no current revocation/,
  );
  assert.match(await warned(issuer, checks('required', 'if-available')), /accepted while OCSP does not respond/);
  await change(issuer, checks('off', 'off'));
  assert.equal(await warned(issuer, checks('required', 'if-available')), '');
  const path = `${PATH}/change`;
  const reuse = await warned(path, { 'overrides.onReuse': 'report' });
  assert.equal(reuse, 'A reused refresh token will not end its grant.');
  const unbound = {
    certificate: /without the certificate/,
    identity: /without the certificate/,
    dpop: /without the key/,
  };
  for (const [binding, said] of Object.entries(unbound)) {
    await scene.change(CLIENT, { binding: binding as keyof typeof unbound });
    assert.match(await warned(path, { binding: 'none' }), said);
  }
  await scene.change(CLIENT, { binding: 'none' });
  assert.equal(await warned(path, { binding: 'certificate' }), '');
});

test('a grant ends after a confirmation; all that a filter shows end after a count', async () => {
  const isLive = async (index: number) =>
    !(await scene.store.load(grants, `018f${Buffer.alloc(14, index).toString('hex')}`)).found?.row.revoked;
  const one = `/console/grants/018f${'01'.repeat(14)}`;
  assert.match((await olga.get(one)).text, /issued.*Refreshed 3 times/s);
  const ask = await olga.get(`${one}/end`);
  assert.equal(await isLive(1), true);
  const { headers } = await olga.post(`${one}/end`, fieldsOf(ask.text));
  assert.match((await olga.get(headers.location ?? '')).text, /1 grant was ended.*revoked/s);
  assert.equal((await olga.post(`${one}/end`, fieldsOf(ask.text))).status, 404, 'it ended before');
  const ended = (await olga.get('/console/grants?identity=nina&all=yes')).text;
  assert.match(ended, /data-title="Ends"><span[^>]*>(?:now|\d+ seconds? ago)/, 'an ended grant does not end later');
  const all = await olga.get('/console/grants/end?identity=nina');
  assert.match(all.text, /End 2 grants\?/);
  await olga.post('/console/grants/end', fieldsOf(all.text));
  assert.deepEqual([await isLive(2), await isLive(3), await isLive(4)], [false, false, true]);
  assert.equal(
    (await olga.post('/console/grants/end', {})).headers.location,
    '/console/grants',
    'without a filter: nothing',
  );
  assert.equal(await isLive(4), true);
});
