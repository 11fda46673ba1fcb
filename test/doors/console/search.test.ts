// The search box, the dry runs and the event log.
import assert from 'node:assert/strict';
import { hash, X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Hex } from '../../../src/core/hex.ts';
import { presenter } from '../../../src/core/presenter.ts';
import type { Audience, ResourceServerId } from '../../../src/core/resource-server.ts';
import { readPem } from '../../../src/pki/der/pem.ts';
import { makeDevelopmentAuthority } from '../../../src/pki/development-authority.ts';
import { readCertificate } from '../../../src/pki/x509/certificate.ts';
import { TABLES } from '../../../src/store/all-tables.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import { systemRandom } from '../../../src/system.ts';
import { registryFollows } from '../../e2e/registry-follows.ts';
import { eventually } from '../../eventually.ts';
import { put } from '../../node.ts';
import { aTokenIssuer } from '../../platform.ts';
import { aResourceServer, CLIENT, hexOf } from '../../samples.ts';
import { poll, startCode } from '../pages/calling-device.ts';
import { Visitor } from '../pages/visitor.ts';
import { ConsoleScene, EVIL, PEOPLE, REVOKED_SERIAL } from './scene.ts';

let scene: ConsoleScene;
let olga: Visitor;
before(async () => {
  scene = await ConsoleScene.open();
  olga = await scene.visitor('vera', 'password');
  await olga.get('/console');
  await scene.grant(1);
  await scene.furnish();
});
after(() => scene?.stop());

const find = async (q: string) => olga.post('/console/search', { q });
const SHELF = 'https://shelf.example' as Audience;
const GRANT = `/console/grants/018f${'01'.repeat(14)}`;

test('one box finds people, e-mail addresses, integrations and grants, and leads there', async () => {
  const nina = `/console/identities/${encodeURIComponent(PEOPLE.nina.id)}`;
  const found: readonly (readonly [text: string, path: string])[] = [
    ['nina', nina],
    [' nina@EXAMPLE.com ', nina],
    [PEOPLE.nina.id, nina],
    [CLIENT, `/console/integrations/${CLIENT}`],
    ['orders SYNC', `/console/integrations/${CLIENT}`],
    [`018f${'01'.repeat(14)}`, GRANT],
    ['018f0101', GRANT],
  ];
  for (const [text, path] of found) assert.equal((await find(text)).headers.location, path, text);
});

test('what is registered is found by its label, its name, its authority or platform, and the fingerprint of its certificate', async () => {
  const authority = makeDevelopmentAuthority(new Date(), systemRandom);
  const settings = { identitySources: ['common-name'], identities: 'directory', profile: 'rfc5280', enabled: true };
  const revocation = { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true };
  const { certificate } = authority;
  await put(scene.store, issuers, { label: 'fleet', certificate, intermediates: [], ...settings, revocation } as never);
  await put(scene.store, tokenIssuers, aTokenIssuer({ label: 'forge', issuer: 'https://ci.forge.example' }));
  await put(
    scene.store,
    resourceServers,
    aResourceServer({ id: 'shelf-api' as ResourceServerId, name: EVIL, audience: SHELF }),
  );
  const { subject, fingerprint256 } = new X509Certificate(certificate);
  const paths = {
    issuers: ['fleet', 'FLEE', subject, fingerprint256, fingerprint256.replaceAll(':', '').toLowerCase()],
    'token-issuers': ['forge', 'ci.forge.example'],
    'resource-servers': ['shelf-api', SHELF],
  };
  const leads = { issuers: 'fleet', 'token-issuers': 'forge', 'resource-servers': 'shelf-api' };
  await eventually('the node knows them', async () => (await find('shelf-api')).status === 303);
  for (const [place, texts] of Object.entries(paths) as [keyof typeof leads, string[]][])
    for (const text of texts)
      assert.equal((await find(text)).headers.location, `/console/${place}/${leads[place]}`, text);
  assert.match((await find('shel')).headers.location ?? '', /shelf-api/);
  const both = await find('f');
  assert.match(both.text, /Issuers: fleet.*Token issuers: forge/s);
  assert.match((await find(EVIL)).text, /&lt;img src=x.*Resource servers: shelf-api/s);
  assert.ok(!(await find(EVIL)).text.includes(EVIL));
});

test('it finds a refused certificate by its serial number, and grants by an address of IPv6', async () => {
  assert.match((await find(REVOKED_SERIAL)).text, /certificate-revoked/, 'of a refused certificate');
  const address = '2001:db8::7';
  const { id, pair } = await scene.grant(3, 'shaun');
  const moved = { ...pair, presenter: presenter(address, 'curl/8') };
  await scene.store.change(grants, id, (found) => ({
    outcome: undefined,
    ...(found && { next: { ...found.row, pair: moved } }),
  }));
  assert.ok((await find(address)).text.includes(id) || (await find(address)).headers.location?.includes(id), 'IPv6');
});

test('what a page shows of the id of a grant finds it', async () => {
  const [shown = ''] = /[0-9a-f]{12}…/.exec((await olga.get('/console/events?type=issued')).text) ?? [];
  assert.match((await olga.get(GRANT)).text, /<h1>Grant 018f01010101…<\/h1>/);
  const found = await find(shown);
  assert.ok(String(found.headers.location ?? found.text).includes(`/console/grants/${shown.slice(0, -1)}`), shown);
});

test('a request id leads to its explanation, and a refusal says what to do', async () => {
  const overview = (await olga.get('/console')).text;
  assert.ok(overview.includes(`<span class="id small">${hexOf(8, 9)}</span>`));
  const refused = (await olga.get(`/console/requests/${hexOf(8, 9)}`)).text;
  assert.match(refused, /<h1>Request 0909090909090909<\/h1>.*certificate-revoked.*<strong>The caller:<\/strong> \w/s);
  for (const from of ['/console/events', GRANT])
    assert.ok((await olga.get(from)).text.includes(`href="/console/requests/${hexOf(8, 1)}"`), from);
  assert.match((await olga.get(`/console/requests/${hexOf(8, 1)}`)).text, /<strong>issued<\/strong>/);
  const older = hexOf(8, 200);
  for (const { text } of [await find(older), await olga.get(`/console/requests/${older}`)])
    assert.match(text, /only the newest request is kept\. Look for this id in the log/);
  assert.match((await olga.get('/console/requests/nothing')).text, /Nothing found for &quot;nothing&quot;/);
});

test('it finds by a part of a name, whatever its case, and says what it did not find', async () => {
  const second = await scene.grant(2, 'vera');
  const nina = `/console/identities/${encodeURIComponent(PEOPLE.nina.id)}`;
  for (const text of ['NINA', 'Nin', 'CN=nina', 'nina@EX'])
    assert.equal((await find(text)).headers.location, nina, text);
  for (const text of ['rders', 'ORDERS-s', 'Orders s'])
    assert.equal((await find(text)).headers.location, `/console/integrations/${CLIENT}`, text);
  const several = (await find('example.com')).text;
  for (const { id } of Object.values(PEOPLE)) assert.ok(several.includes(encodeURIComponent(id)), id);
  for (const text of ['018f', '018f…', '018F'])
    for (const id of [GRANT, second.id]) assert.ok((await find(text)).text.includes(id), `${text} ${id}`);
  const { text } = await find('nobody-at-all');
  assert.match(text, /name="q" value="nobody-at-all"/);
  assert.match(text, /href="\/console\/integrations">Integrations/);
  assert.doesNotMatch(text, /aria-current/, 'no page of the menu is this one');
});

test('it finds grants by the serial number of their certificate, or the certificate itself', async () => {
  const authority = makeDevelopmentAuthority(new Date(), systemRandom);
  const [top] = readPem(authority.certificate, 'CERTIFICATE');
  const { certificate: pem } = authority.issueServer(['localhost']);
  const [leaf, issuer] = [
    readCertificate(readPem(pem, 'CERTIFICATE')[0] ?? new Uint8Array()),
    readCertificate(top ?? new Uint8Array()),
  ];
  assert.ok(leaf.ok && issuer.ok && top);
  const mark = hash('sha256', Buffer.concat([issuer.value.publicKey.spki, leaf.value.serial])).slice(0, 32) as Hex;
  const revocation = { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true } as const;
  await put(scene.store, issuers, {
    label: 'DEV',
    certificate: top,
    intermediates: [],
    identitySources: ['common-name'],
    identities: 'directory',
    profile: 'rfc5280',
    revocation,
    enabled: true,
  });
  const grant = await scene.grant(7, 'nina', {
    origin: { kind: 'certificate', certificate: { certificate: mark, issuerKey: hexOf(16), key: hexOf(32) } },
  });
  const path = `/console/grants/${grant.id}`;
  await registryFollows();
  const serial = Buffer.from(leaf.value.serial).toString('hex');
  for (const text of [serial, serial.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:'), pem])
    assert.equal((await find(text)).headers.location, path, text);
  assert.match((await olga.get(path)).text, new RegExp(`${mark}</a> <span class="small">a hash of issuer and serial`));
  const explained = await olga.post('/console/explain', { text: pem });
  assert.match(explained.text, /It would be (?:accepted|refused).*steps passed/s);
});

test('a pasted token is explained, and then it is nowhere: not on the page, in the log, the store or an address', async () => {
  const ada = new Visitor(scene.service);
  await ada.signIn();
  const code = await startCode(scene.service, 'orders:read');
  const path = await ada.enterCode(code.userCode);
  await ada.post(`${path}/confirm`);
  const { body } = await poll(scene.service, code);
  const tokens = Object.values(body)
    .map(String)
    .filter((value) => /^ts[a-z]_/.test(value));
  assert.equal(tokens.length, 2, JSON.stringify(Object.keys(body)));
  for (const token of [...tokens, `${tokens[0]?.slice(0, -6)}AAAA==`]) {
    const { status, text, headers } = await find(token);
    assert.equal(status, 200);
    assert.equal(headers.location, undefined);
    assert.match(text, token === tokens[0] ? /It would be accepted now\./ : /It would be (?:accepted|refused)/);
    assert.ok(!text.includes(token) && !text.includes(token.slice(4, 40)));
    assert.ok(!scene.service.logged().includes(token.slice(4, 40)));
    for (const table of TABLES)
      assert.ok(
        !JSON.stringify(await scene.store.page(table, { limit: 1000 })).includes(token.slice(4, 40)),
        table.name,
      );
  }
  assert.match((await find(tokens[0] ?? '')).text, /\/console\/grants\//, 'its grant is shown');
  assert.match((await olga.get(`/console/search?q=${tokens[0]}`)).text, /<h1>/);
  assert.equal((await olga.get(`/console/search?q=${tokens[0]}`)).status, 405, 'only forms search');
});

test('the page about errors leads back to the console that it was opened from', async () => {
  assert.match((await olga.get('/docs/errors?from=console')).text, /<main.*<a href="\/console">Console<\/a>/s);
  assert.doesNotMatch((await olga.get('/docs/errors')).text, /href="\/console"/);
});

test('events are filtered by type, identity, integration and time, and exported whole', async () => {
  assert.match((await olga.get('/console/events')).text, /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, 'with exact times');
  const rows = ({ text }: { text: string }) => text.match(/<tr role="row"><th scope="row"/g)?.length ?? 0;
  const all = rows(await olga.get('/console/events'));
  assert.ok(all >= 2);
  assert.equal(rows(await olga.get('/console/events?type=revoked')), 0);
  assert.equal(rows(await olga.get('/console/events?identity=nina&type=issued')), 2);
  assert.equal(rows(await olga.get('/console/events?integration=nothing')), 0);
  assert.equal(rows(await olga.get('/console/events?within=60&identity=nina')), 0, 'they are two hours old');
  const lines = (await olga.get('/console/events.jsonl?identity=nina')).text.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).presenter.agent),
    [EVIL, EVIL],
  );
  const csv = await olga.get('/console/events.csv?identity=nina');
  assert.match(String(csv.headers['content-disposition']), /attachment; filename="events.csv"/);
  assert.ok(csv.text.includes(`"${EVIL.replaceAll('"', '""')}"`));
  assert.equal((await olga.get('/console/events?identity=no-such-person')).status, 404);
});
