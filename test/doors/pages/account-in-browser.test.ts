// /account in a real Chromium.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { fillSignIn, openPage, PHONE, signIn, startBrowser, styleOf } from './browser.ts';
import { EVERY_PAGE } from './every-page.ts';
import { PASSWORD, type RunningService, startService } from './running-service.ts';

let service: RunningService;
let browser: Browser;
before(async () => {
  service = await startService({ sets: ['pages.name=Example <access>', 'pages.accent=#ffdd00'] });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

suite('my account', () => {
  test('after a failed sign-in the cursor is in the password field', async () => {
    const page = await openPage(browser);
    await page.goto(`${service.url}/account/sign-in`);
    await fillSignIn(page, 'ada', 'wrong');
    assert.equal(await page.locator('#user_name').inputValue(), 'ada');
    await page.locator('#password:focus').waitFor(); // a moment after the page has loaded
    await page.context().close();
  });

  test('on a phone the header is one line, and the page still says who is signed in', async () => {
    const page = await openPage(browser, { viewport: PHONE });
    await signIn(page, service);
    await page.goto(`${service.url}/account`);
    const tops = await page
      .locator('.brand, .menu a, .menu button')
      .evaluateAll((parts) =>
        parts.map((part) => part.getBoundingClientRect()).map(({ top, height }) => Math.round(top + height / 2)),
      );
    assert.equal(new Set(tops).size, 1, tops.join());
    assert.equal(await page.locator('main .who').innerText(), 'Signed in as ada');
    await page.context().close();
  });

  test('shows a grant with its details, and revokes it in two steps without script', async () => {
    const page = await openPage(browser, { javaScriptEnabled: false });
    await EVERY_PAGE['account']?.(page, service);
    const card = page.locator('.grant');
    await card.locator('summary', { hasText: 'Details' }).click();
    const shown = await card.innerText();
    for (const fact of [
      'Orders sync',
      'by Example',
      'Read “orders”',
      'Confirmed in a browser',
      'not yet',
      'in 365 days',
      '127.0.0.1',
    ]) {
      assert.ok(shown.includes(fact), `${fact} is not shown`);
    }
    await card.locator('summary', { hasText: 'Revoke' }).click();
    await card.getByRole('button').click();
    assert.equal(await page.locator('[role=status]').innerText(), 'The grant was revoked.');
    assert.equal(await page.locator('.grant').count(), 0);
    assert.match((await page.locator('.events li').first().innerText()) ?? '', /Grant revoked by you/);
    await page.context().close();
  });

  test('changes the password and stays signed in', async () => {
    const page = await openPage(browser);
    await signIn(page, service, 'bob');
    await page.goto(`${service.url}/account`);
    await page.getByRole('link', { name: 'Change password' }).click();
    await page.locator('#current').fill(PASSWORD);
    await page.locator('#next').fill('quite another password');
    await page.locator('#repeated').fill('quite another password');
    await page.locator('main button').click();
    assert.match(await page.locator('[role=status]').innerText(), /password was changed/);
    await page.locator('header button').click();
    assert.equal(await page.locator('[role=status]').innerText(), 'You are signed out.');
    await fillSignIn(page, 'bob', 'quite another password');
    assert.equal(await page.locator('h1').innerText(), 'My account');
    await page.context().close();
  });

  test('shows the operator’s name and accent, and darkens a yellow accent until it is legible', async () => {
    const page = await openPage(browser);
    await page.goto(`${service.url}/device`);
    assert.equal(await page.locator('.brand').innerText(), 'Example <access>');
    const colour = await styleOf(page.locator('main button'), 'backgroundColor');
    assert.notEqual(colour, 'rgb(255, 221, 0)');
    await page.context().close();
  });

  test('loads nothing from other origins', async () => {
    const page = await openPage(browser);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await EVERY_PAGE['account']?.(page, service);
    assert.ok(asked.length > 5);
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`${service.url}/`)),
      [],
    );
    await page.context().close();
  });
});
