// What the console says about refusals: counts that agree, who changed what, and what an operator does about it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readRefusals } from '../../../src/operations/upkeep/count-refusals.ts';
import { makeAuthority } from '../../authority.ts';
import { poll, startCode } from '../pages/calling-device.ts';
import type { Visitor } from '../pages/visitor.ts';
import { CAUSES, NightlyJob } from './nightly-job.ts';
import { EVIL, fieldsOf, ORDERS_SYNC } from './scene.ts';

let job: NightlyJob;
let olga: Visitor;
before(async () => {
  job = await NightlyJob.open();
  olga = await job.scene.visitor('olga');
});
after(() => job?.scene.stop());

/** The text of a page, without its tags. */
async function read(path: string): Promise<string> {
  const { text } = await olga.get(path);
  const main = text.slice(text.indexOf('<main'));
  return main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&gt;', '>')
    .replaceAll(/\s+/g, ' ');
}

test('a restart loses no figure: a reused token is in the alarm, the row and the plot', async () => {
  await job.failBy(CAUSES['a reused refresh token']);
  const shown = await read('/console');
  assert.match(shown, /1 spent refresh token was presented again.*refresh-token-reused.*Reused refresh tokens 1 /);
  job.startAnew();
  await job.runsAgain();
});

test('a refusal is on the page at once: its count, the time of the last, and its request', async () => {
  await job.failBy(CAUSES['a narrowed scope']);
  job.scene.service.advance(30);
  for (let times = 0; times < 3; times++) await job.run();
  const shown = await read('/console');
  assert.match(shown, /orders-sync nina 4 since 3\d seconds ago , last (?:now|\d seconds? ago) /);
  const [, request = ''] = /last (?:now|\d seconds? ago) ([0-9a-f]{16})\b/.exec(shown) ?? [];
  assert.match(await read(`/console/requests/${request}`), /scope-exceeds-integration/);
});

test('its row says what was asked for, what is allowed and who changed what, and leads the operator to the form that puts it back; viewers are only told', async () => {
  const { text } = await olga.get('/console');
  const [, path = ''] = /href="(\/console\/integrations\/orders-sync\/change\?undo=\d+)#scope_noted"/.exec(text) ?? [];
  assert.match(
    (await olga.get(path)).text,
    /Filled in as it was before: Scope.*id="scope"[^>]* value="orders:read,write;/s,
  );
  const asked = /Asked for: orders:read · Allowed: stock:read/;
  assert.match(await read('/console'), asked);
  assert.match(await read('/console/integrations/orders-sync'), asked);
  assert.match(
    await read('/console'),
    /Last change: integration changed orders-sync, scope: orders:read,write;stock:read → stock:read · oscar by passkey · \d+ seconds ago/,
  );
  const vera = await job.scene.visitor('vera');
  assert.match((await vera.get('/console')).text, /Asked for:/);
  for (const page of ['', '/integrations/orders-sync'])
    assert.doesNotMatch((await vera.get(`/console${page}`)).text, /undo=|Put back/);
});

test('what was refused in the night still needs attention in the morning, and Events says where it is', async () => {
  job.scene.service.advance(7 * 3600);
  olga = await job.scene.visitor('olga');
  assert.match(
    await read('/console'),
    /Requests of orders-sync were refused: scope-exceeds-integration, most recently 7 hours ago\. /,
  );
  assert.match(await read('/console/events'), /Refused requests are not events\. See what was refused lately/);
});

test('after the repair, the refusal says that it is older; another change of the same thing does not say so; a day later, nothing needs attention', async () => {
  const path = '/console/integrations/orders-sync/change';
  const change = async (fields: Record<string, string>) => {
    job.scene.service.advance(5);
    const checked = await olga.post(path, { ...fieldsOf((await olga.get(path)).text), ...fields });
    assert.equal((await olga.post(path, fieldsOf(checked.text))).status, 303);
  };
  await change({ vendor: 'Acme' });
  assert.doesNotMatch(await read('/console'), /Not (?:refused )?since/);
  await change({ scope: 'orders:read,write;stock:read' });
  const shown = await read('/console');
  assert.match(
    shown,
    /Not since the last change\..*Not refused since: integration changed orders-sync, scope: stock:read → /,
  );
  assert.doesNotMatch(shown, /Change the scope of/);
  await job.runsAgain();
  job.scene.service.advance(86_400);
  olga = await job.scene.visitor('olga');
  assert.doesNotMatch(await read('/console'), /orders-sync were refused/);
});

test('Explain shows what failed first, and folds what passed', async () => {
  await job.failBy(CAUSES['a revoked certificate']);
  const form = fieldsOf((await olga.get('/console/explain')).text);
  const { text } = await olga.post('/console/explain', { ...form, text: job.certificate.pem });
  assert.match(text, /certificate-revoked.*failing.*<details><summary>\d+ steps passed<\/summary>.*>ok</s);
  assert.equal(text.slice(text.indexOf('<details>')).includes('>failing<'), false);
});

test('a refused certificate is named on the first page, and leads to its grants; its serial number finds the refusal', async () => {
  const serial = Buffer.from(job.certificate.serial).toString('hex');
  const { text } = await olga.get('/console');
  const link = `/console/grants?certificate=${serial}&amp;all=yes`;
  assert.ok(text.includes(`href="${link}"`) && text.includes('href="/console/issuers/corp"'), text);
  assert.match(await read('/console'), new RegExp(`Certificate: CN=nina · serial number ${serial} · corp `));
  assert.match(await read(link.replace('&amp;', '&')), /nina .*revoked/);
  const found = await olga.post('/console/search', { q: `00:${serial.replaceAll(/(..)(?=.)/g, '$1:')}`.toUpperCase() });
  assert.match(found.text, /certificate-revoked.*CN=nina/s);
});

test('certificates of an unknown authority are one short row, however many, and their names are shown as text', async () => {
  const unknown = makeAuthority({ name: EVIL });
  for (const name of [EVIL, 'x'.repeat(250), `${'y'.repeat(60)}\u202e\r\n`, 'z'.repeat(5000)]) {
    job.certificate = unknown.issue({ commonName: name });
    assert.equal(await job.run(), 'certificate-issuer-not-approved');
  }
  await job.scene.service.restart(); // writes them
  const rows = (await readRefusals(job.scene)).filter(({ reason }) => reason === 'certificate-issuer-not-approved');
  assert.deepEqual(
    rows.map(({ count }) => count),
    [4],
  );
  assert.ok(JSON.stringify(rows).length < 1000);
  job.certificate = unknown.issue({ commonName: EVIL });
  await job.run();
  const { text } = await olga.get('/console');
  assert.doesNotMatch(text, /<img src=x/);
  assert.match(text, /Certificate:<\/strong> CN=\\&lt;img .* · not verified, says it is from CN=\\&lt;img /);
  assert.doesNotMatch(text, /Register \S+ again/);
});

test('an issuer that was removed is offered with who removed it and when, and with a doubt; not for a certificate that only names it', async () => {
  const forger = makeAuthority({ name: 'Corp CA' });
  job.renewCertificate();
  const { certificate } = job;
  await job.failBy(CAUSES['a withdrawn issuer']);
  job.certificate = forger.issue({ commonName: 'nina' });
  assert.equal(await job.run(), 'certificate-issuer-not-approved');
  const shown = await read('/console');
  assert.match(
    shown,
    /· corp Last change: issuer removed corp · oscar by passkey · [^·]* UTC Register corp again… First make sure that it was not ended on purpose\./,
  );
  assert.ok(shown.includes(Buffer.from(certificate.serial).toString('hex')), 'the certificate that corp signed');
});

test('a device that waits for its person is not refused', async () => {
  const { service } = job.scene;
  const code = await startCode(service, 'orders:read', ORDERS_SYNC);
  for (const asked of ['authorization-pending', 'polled-too-fast'])
    assert.equal((await poll(service, code)).status, 400, asked);
  assert.doesNotMatch((await olga.get('/console?refusals=all')).text, /authorization-pending|polled-too-fast/);
});

test('a scope that nobody can have is shown as text, and cut', async () => {
  for (const [scope, reason, shown] of [
    [`<img src=x>\u202e\r\n`, 'scope-malformed', '&lt;img src=x&gt;\\u{202e}\\u{d}\\u{a}'],
    [`orders:${'x'.repeat(900)}`, 'scope-exceeds-integration', `orders:${'x'.repeat(193)}…`],
  ] as const) {
    const { service } = job.scene;
    await startCode(service, scope, ORDERS_SYNC);
    await service.restart(); // writes it
    olga = await job.scene.visitor('olga');
    const { text } = await olga.get('/console');
    assert.ok(text.includes(`Asked for:</strong> ${shown}`), reason);
  }
});
