// /docs in a real Chromium: on a phone, on a desktop and on paper.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openPage, PHONE, startBrowser } from './browser.ts';
import { type RunningService, startService } from './running-service.ts';

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

suite('the documentation', () => {
  test('on a phone, a table scrolls by itself, and a name in code has two lines at most', async () => {
    const page = await openPage(browser, { viewport: PHONE });
    await page.goto(`${service.url}/docs/errors`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    const lines = await page
      .locator('td:nth-child(3):not(:last-child) > code')
      .evaluateAll((codes) => codes.map((code) => code.getClientRects().length));
    const tallest = Math.max(...lines);
    assert.equal(overflow, 0);
    assert.ok(tallest <= 2, `${tallest} lines`);
    await page.context().close();
  });

  test('on a phone, a link at the top leads to the search', async () => {
    const page = await openPage(browser, { viewport: PHONE });
    await page.goto(`${service.url}/docs/errors`);
    await page.locator('.to-contents a').click();
    await page.locator('#q').fill('keyring');
    await page.locator('nav form button').click();
    assert.match(page.url(), /\/docs\/search\?q=keyring$/);
    await page.context().close();
  });

  test('on a desktop, the list of pages shows where the reader is', async () => {
    const page = await openPage(browser);
    for (const path of ['/docs/readme', '/docs/scale', '/docs/runbooks/TesseraWalLarge', '/docs/performance']) {
      await page.goto(service.url + path);
      const here = await page.locator('nav [aria-current="page"]').boundingBox();
      assert.ok(here && here.y > 0, path);
      const isLong = path.includes('runbooks');
      assert.ok(isLong || here.y + here.height < 900, `${path}: ${here.y}`);
    }
    await page.context().close();
  });

  test('on paper there is the text alone', async () => {
    const page = await openPage(browser);
    await page.goto(`${service.url}/docs/operators`);
    assert.ok(await page.locator('nav.contents').isVisible());
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('nav.contents').isVisible(), false);
    assert.ok(await page.locator('article h1').isVisible());
    await page.context().close();
  });
});
