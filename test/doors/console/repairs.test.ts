// What a newcomer reads while repairing the nightly job: nothing that is over, and what the next button does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Visitor } from '../pages/visitor.ts';
import { CAUSES, NightlyJob } from './nightly-job.ts';
import { fieldsOf, PEOPLE } from './scene.ts';

let job: NightlyJob;
let olga: Visitor;
before(async () => {
  job = await NightlyJob.open();
});
after(() => job?.scene.stop());

async function failBy(name: keyof typeof CAUSES): Promise<void> {
  await job.failBy(CAUSES[name]);
  olga = await job.scene.visitor('olga');
}

/** Without tags. */
async function read(path: string): Promise<string> {
  const { text } = await olga.get(path);
  return text
    .slice(text.indexOf('<main'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

async function linkIn(path: string, name: string): Promise<string> {
  const { text } = await olga.get(path);
  const [, href = ''] = new RegExp(`<a href="([^"]*)"><strong>${name}…`).exec(text) ?? [];
  assert.notEqual(href, '', `no link ${name}`);
  return href.replaceAll('&amp;', '&').replace(/#.*/, '');
}

/** Checks the form, and returns what is asked before it is done. */
async function check(path: string, fields: Record<string, string> = {}): Promise<string> {
  const form = fieldsOf((await olga.get(path)).text);
  return (await olga.post(path.replace(/\?.*/, ''), { ...form, ...fields })).text;
}

async function confirm(path: string, text: string): Promise<void> {
  assert.equal((await olga.post(path.replace(/\?.*/, ''), fieldsOf(text))).status, 303);
}

test('an identity that was enabled again is not called disabled, though the job was refused in the same second', async () => {
  await failBy('a disabled identity');
  const page = `/console/identities/${encodeURIComponent(PEOPLE.nina.id)}`;
  assert.match(await read(page), /This identity is disabled\. .*Enable nina…/);
  await job.run();
  await confirm(`${page}/enable`, (await olga.get(`${page}/enable`)).text);
  const shown = await read(page);
  assert.match(shown, /Not refused since: identity enabled nina/);
  assert.doesNotMatch(shown, /This identity is disabled|Enable nina|Do:/);
  await job.runsAgain();
});

test('a scope that is put back: the form and its check keep the doubt, the button names the act, and the refusal says that it is allowed now', async () => {
  await failBy('a narrowed scope');
  const path = await linkIn('/console', 'Put back the former scope of orders-sync');
  assert.match(
    (await olga.get(path)).text,
    /<p class="notice" id="scope_noted">Filled in as it was before: Scope\. Nothing is changed before you confirm it\. First make sure [^<]*<\/p><div class="field"><label for="scope">/,
  );
  const checked = await check(path);
  assert.match(
    checked,
    /First make sure that it was not changed on purpose\..*<button class="button ">Change<\/button>/s,
  );
  await confirm(path, checked);
  await job.runsAgain(); // the node has learned of it
  const row = await read('/console/integrations/orders-sync');
  assert.match(row, /Asked for: orders:read · Allowed now\. /);
  assert.doesNotMatch(row, /exceeds the scope|Put back the former|Request less|Allowed: /);
  assert.doesNotMatch(await check('/console/integrations/orders-sync/change', { vendor: 'Acme' }), /on purpose/);
});

test('what exceeds only its grant is not called allowed', async () => {
  const claimed = { scope: 'orders:read' } as const;
  await job.scene.refusal({ reason: 'scope-exceeds-grant', count: 1, claimed });
  assert.match(
    await read('/console?refusals=all'),
    /scope-exceeds-grant scope exceeds the scope of the grant\. [^:]* Asked for: orders:read · Allowed: orders:read,write;/,
  );
});

test('an issuer that was removed: its form says that it is filled in as before, and the check keeps the doubt', async () => {
  await failBy('a withdrawn issuer');
  const path = await linkIn('/console', 'Register corp again');
  assert.match(await read(path), /Filled in as it was before\. Nothing is changed before you confirm it\./);
  assert.match(await read(path), /The only integrations that its certificates may use\. Empty: all\./);
  const checked = await check(path);
  assert.match(checked, /First make sure that it was not ended on purpose\./);
  await confirm(path, checked);
  await job.runsAgain();
});

test('an issuer whose revocation checks are off says so in the list, on its page and on the first page; one with a check does not', async () => {
  const pages = ['/console/issuers', '/console/issuers/corp'];
  for (const page of pages) assert.doesNotMatch(await read(page), /revocation unchecked/);
  const path = '/console/issuers/corp/change';
  await confirm(path, await check(path, { 'revocation.crl': 'off' }));
  for (const page of pages) assert.match(await read(page), /enabled revocation unchecked/);
  const warned = /Revoked certificates of the issuer corp are accepted: its checks are off\./;
  assert.match(await read('/console'), warned);
  await confirm(path, await check(path, { 'revocation.crl': 'required' }));
  assert.doesNotMatch(await read('/console'), warned);
});

test('an operator is not told to ask the operator', async () => {
  for (const [index, reason] of [
    'grant-revoked',
    'cap-reached',
    'device-flow-disabled',
    'certificate-flow-disabled',
  ].entries())
    await job.scene.refusal({ reason, count: index + 1 });
  const shown = await read('/console?refusals=all');
  assert.match(shown, /grant-revoked This grant was revoked\..*Do: its events say who ended it\./);
  assert.doesNotMatch(shown, /ask the operator/i);
});
