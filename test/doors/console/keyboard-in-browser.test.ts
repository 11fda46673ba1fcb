// The console by keyboard, in a real browser: past the navigation, to the field at fault, and back from a preview.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { CLIENT } from '../../samples.ts';
import { notInView, PHONE, startBrowser, violationsInBothSchemes } from '../pages/browser.ts';
import { CONSOLE_PAGES, ConsoleScene } from './scene.ts';

let scene: ConsoleScene;
let browser: Browser;
before(async () => {
  scene = await ConsoleScene.open();
  await scene.furnish();
  await scene.grant(1);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await scene?.stop();
});

const CHANGE = `/console/integrations/${CLIENT}/change`;

/** Without script: focus is moved by the browser alone. */
async function open(path: string, viewport = PHONE): Promise<Page> {
  const page = await scene.page(browser, 'olga', { javaScriptEnabled: false, viewport });
  await page.goto(scene.service.url + path);
  return page;
}

async function skip(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Tab');
  assert.match(await page.locator(':focus').innerText(), /^Skip to content$/, name);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('main:focus').count(), 1, `${name}: the content has the focus`);
  await page.keyboard.press('Tab');
  assert.equal(await page.locator('main :focus').count(), 1, `${name}: the next stop is in the content`);
  assert.equal(await page.locator('header :focus, .console-menu :focus').count(), 0, name);
}

test('the first stop of every page of the console skips its header and its menu', async () => {
  const page = await open('/console');
  for (const [name, path] of Object.entries(CONSOLE_PAGES)) {
    await page.goto(`${scene.service.url}/console${path}`);
    await skip(page, name);
  }
  await page.context().close();
});

test('the first stop of a page for people skips its header', async () => {
  for (const path of ['/', '/device', '/account', '/account/password', '/account/passkeys']) {
    const page = await scene.page(browser, 'nina');
    await page.goto(scene.service.url + path);
    // A field may have the focus at once.
    await page.locator('.skip').press('Enter');
    assert.equal(await page.locator('main:focus').count(), 1, path);
    await page.context().close();
  }
});

test('after a refusal the cursor is in the field at fault, in view with what is wrong, also where it was folded away', async () => {
  for (const [field, entered] of [
    ['scope', 'no scope'],
    ['overrides.accessTokenLifetime', 'soon'],
  ] as const) {
    const page = await open(CHANGE);
    for (const folded of await page.locator('details.group:not([open]) > summary').all()) await folded.click();
    const input = page.locator(`[name="${field}"]`);
    await input.fill(entered);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.locator('#fault').waitFor();
    assert.equal(await page.locator(':focus').getAttribute('name'), field);
    assert.deepEqual(await notInView(page.locator(`:focus, [id="${field}_fault"]`)), [], field);
    assert.match(await input.evaluate((e) => e.ariaDescribedByElements[0].textContent), /scope|lifetime/i);
    await page
      .getByRole('link', { name: /scope|lifetime/i })
      .first()
      .press('Enter');
    assert.equal(await page.locator(':focus').getAttribute('name'), field, 'the link of the box leads there');
    await page.context().close();
  }
});

test('if no field is at fault, the box that says why has the focus, in view', async () => {
  const page = await open(`/console/integrations/${CLIENT}/secret-drop`);
  await page.locator('.card button').click();
  await page.locator('#fault:focus').waitFor();
  assert.deepEqual(await notInView(page.locator('#fault')), []);
  await page.context().close();
});

test('a refused form has no fault of accessibility, light and dark', async () => {
  const page = await scene.page(browser, 'olga', { bypassCSP: true });
  await page.goto(scene.service.url + CHANGE);
  await page.locator('[name=scope]').fill('no scope');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.locator('#fault').waitFor();
  assert.deepEqual(await violationsInBothSchemes(page), { light: [], dark: [] });
  await page.context().close();
});

test('Back from a preview shows what was entered, and Enter in a field of it does not go back', async () => {
  const page = await open(CHANGE);
  await page.locator('[name=vendor]').fill('Acme');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Before it is done').first().waitFor();
  await page.getByRole('button', { name: 'Back' }).press('Enter');
  assert.equal(await page.locator('[name=vendor]').inputValue(), 'Acme');
  await page.goto(`${scene.service.url}/console/identities/new`);
  await page.locator('[name=object_name]').fill('hedy');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.locator('[name=password]').fill('a long enough password');
  await page.locator('[name=password]').press('Enter');
  await page.getByText('Done. It holds on every node').waitFor();
  await page.context().close();
});
