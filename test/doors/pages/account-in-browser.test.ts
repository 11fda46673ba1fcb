// /account in a real Chromium.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openPage, PHONE, signIn, startBrowser, styleOf } from './browser.ts';
import { EVERY_PAGE } from './every-page.ts';
import { type RunningService, startService } from './running-service.ts';

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
    assert.match(await card.innerText(), /Confirmed in a browser/);
    await card.locator('summary', { hasText: 'Revoke' }).click();
    await card.getByRole('button').click();
    assert.equal(await page.locator('[role=status]').innerText(), 'The grant was revoked.');
    assert.equal(await page.locator('.grant').count(), 0);
    assert.match((await page.locator('.events li').first().innerText()) ?? '', /Grant revoked by you/);
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
