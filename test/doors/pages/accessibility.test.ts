// axe-core reports no violation on any page, light and dark on a desktop and dark on a phone. Every page fits 320 px (WCAG 2.2, 1.4.10).
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  DESKTOP,
  NARROW,
  openPage,
  overflowOf,
  PHONE,
  startBrowser,
  violations,
  violationsInBothSchemes,
} from './browser.ts';
import { EVERY_PAGE } from './every-page.ts';
import { type RunningService, startService } from './running-service.ts';

let service: RunningService;
let browser: Browser;
/** Shared, without cookies of others. Tests with passkeys have their own: an authenticator stays with its page. */
let shared: Page;
before(async () => {
  service = await startService({ sets: ['signIn.failedPerIdentity=1000', 'device.wrongUserCodes=100'] });
  browser = await startBrowser();
  shared = await openPage(browser);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

suite('accessibility', () => {
  test('the check finds images without alternative text and low contrast', async () => {
    const page = await openPage(browser, { bypassCSP: true });
    await page.goto(`${service.url}/device`);
    await page.locator('main').evaluate((main) => {
      main.innerHTML += '<img src="x"><p style="color:#777;background:#888">pale</p>';
    });
    const { light, dark } = await violationsInBothSchemes(page);
    const rulesOf = (found: readonly string[]) => found.map((violation) => violation.split(':')[0]);
    assert.deepEqual(rulesOf(light), ['color-contrast', 'image-alt']);
    assert.deepEqual(rulesOf(dark), ['color-contrast']);
    await page.context().close();
  });

  for (const [name, open] of Object.entries(EVERY_PAGE)) {
    test(`${name}: no violation, light, dark and on a phone; no sideways scrolling at 320 px; one h1 and a title`, async () => {
      const isShared = !name.startsWith('passkey');
      const page = isShared ? shared : await openPage(browser);
      await page.context().clearCookies();
      await page.setViewportSize(DESKTOP);
      await open(page, service);
      assert.deepEqual(await violationsInBothSchemes(page), { light: [], dark: [] });
      await page.setViewportSize(PHONE);
      assert.deepEqual(await violations(page), [], 'dark, on a phone');
      await page.setViewportSize(NARROW);
      assert.ok((await overflowOf(page)) <= 0, 'scrolls sideways at 320 px');
      assert.equal(await page.locator('h1').count(), 1);
      assert.match(await page.title(), /.+ · Tessera/);
      if (!isShared) await page.context().close();
    });
  }
});
