// Passkeys in a real Chromium, with its virtual authenticator.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { removePasskey } from '../../../src/operations/admin/identities.ts';
import { passkeys } from '../../../src/store/tables/identities.ts';
import { accepted } from '../../node.ts';
import { OPERATOR } from '../../samples.ts';
import { openPage, PHONE, signIn, startBrowser } from './browser.ts';
import { ADA, BOB, type RunningService, startService } from './running-service.ts';
import { addAuthenticator } from './virtual-authenticator.ts';

let service: RunningService;
let browser: Browser;
before(async () => {
  service = await startService();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

async function add(page: Page, name: string): Promise<void> {
  await page.goto(`${service.url}/account/passkeys`);
  await page.locator('#name').fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  assert.equal(await page.locator('[role=status]').innerText(), 'The passkey was added.');
}

const namesOn = (page: Page) => page.locator('.key-name').allInnerTexts();
/** The page has this heading, once it has loaded. */
const arrives = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function signOut(page: Page): Promise<void> {
  await page.locator('header button').click();
  await page.locator('#password').waitFor();
}

async function withPasskey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
}

suite('passkeys of a person', () => {
  let page: Page;
  let session: CDPSession;
  let phone: string;
  before(async () => {
    page = await openPage(browser);
    ({ session, id: phone } = await addAuthenticator(page));
    await signIn(page, service);
  });
  after(() => page.context().close());

  test('one is registered from the account page, and signs in without a user name', async () => {
    await page.goto(`${service.url}/account`);
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.locator('#name').fill('Phone');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey was added.').waitFor();
    assert.deepEqual(await namesOn(page), ['Phone']);
    await signOut(page);
    await withPasskey(page);
    await arrives(page, 'My account');
    assert.match(await page.locator('.events li').first().innerText(), /Passkey added\s+Phone/);
  });

  test('with the user name typed it signs in too, and with that of another account it does not', async () => {
    await signOut(page);
    await page.locator('#user_name').fill('bob');
    await withPasskey(page);
    await page.getByText('The passkey was not accepted').waitFor();
    await page.locator('#user_name').fill('ada');
    await withPasskey(page);
    await arrives(page, 'My account');
  });

  test('the same device is not registered twice, and says so', async () => {
    await page.goto(`${service.url}/account/passkeys`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('This device already has a passkey for your account.').waitFor();
    assert.equal((await service.store.load(passkeys, ADA.id)).found?.row.keys.length, 1);
  });

  test('a second key is added, renamed by keyboard, and removed in two steps', async () => {
    await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: phone });
    await addAuthenticator(page, session);
    await add(page, 'Security key');
    assert.deepEqual(await namesOn(page), ['Phone', 'Security key']);
    await page.locator('summary', { hasText: 'Rename' }).last().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Blue key');
    await page.keyboard.press('Enter');
    await page.getByText('The passkey was renamed.').waitFor();
    assert.deepEqual(await namesOn(page), ['Phone', 'Blue key']);
    await page.locator('summary', { hasText: 'Remove' }).first().click();
    await page.getByRole('button', { name: 'Remove now: Phone' }).click();
    await page.getByText('The passkey was removed').waitFor();
    assert.deepEqual(await namesOn(page), ['Blue key']);
    await signOut(page);
    await withPasskey(page);
    await arrives(page, 'My account');
  });

  test('after ten minutes the page asks to sign in again, and a passkey does it', async () => {
    service.advance(601);
    await page.goto(`${service.url}/account/passkeys`);
    assert.equal(await page.locator('.lead').innerText(), 'to change your passkeys');
    await withPasskey(page);
    await arrives(page, 'Passkeys');
  });

  test('after an operator removed it, the person is told so, and the password still works', async () => {
    accepted(await removePasskey(ADA.id, { passkey: 'Blue key' }, { store: service.store, by: OPERATOR }));
    await page.goto(`${service.url}/account`);
    await withPasskey(page);
    await page.getByText('The passkey was not accepted').waitFor();
    assert.ok(await page.getByText('Your password still works').isVisible());
  });
});

test('a person who does not touch the authenticator reads that no passkey was used', async () => {
  const page = await openPage(browser);
  await addAuthenticator(page, undefined, { isUserVerified: false });
  await page.goto(`${service.url}/account/sign-in`);
  await withPasskey(page);
  await page.getByText('No passkey was used.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isEnabled(), true);
  await page.context().close();
});

test('in German and on a phone it works alike', async () => {
  const page = await openPage(browser, { locale: 'de-DE', viewport: PHONE });
  await addAuthenticator(page);
  await signIn(page, service, 'bob');
  await page.goto(`${service.url}/account/passkeys`);
  await page.getByRole('button', { name: 'Passkey hinzufügen' }).click();
  assert.equal(await page.locator('[role=status]').innerText(), 'Der Passkey wurde hinzugefügt.');
  assert.equal((await service.store.load(passkeys, BOB.id)).found?.row.keys[0]?.name, 'Passkey 1');
  await signOut(page);
  await page.getByRole('button', { name: 'Mit Passkey anmelden' }).click();
  await arrives(page, 'Mein Konto');
  await page.context().close();
});

test('without script there is no button, the page says why, and the password signs in', async () => {
  const page = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(`${service.url}/account/sign-in`);
  assert.equal(await page.getByRole('button').count(), 1);
  await signIn(page, service);
  await page.goto(`${service.url}/account/passkeys`);
  assert.ok(await page.getByText('use a current browser and allow script').isVisible());
  await page.context().close();
});
