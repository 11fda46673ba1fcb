// /docs in a real Chromium: on a phone, on a desktop and on paper.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { NARROW, openPage, overflowOf, PHONE, startBrowser } from './browser.ts';
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

/** What is wider than its place, and lacks a way to scroll by keyboard, a name or the shadow that shows that it goes on. */
function cutOff(page: Page): Promise<string[]> {
  return page.locator('main *').evaluateAll((all) => {
    const isWider = (e: (typeof all)[number]) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0;
    const scrolls = (e: (typeof all)[number]) => {
      const { overflowX, backgroundAttachment } = e.ownerDocument.defaultView.getComputedStyle(e);
      const isShown = overflowX === 'auto' && backgroundAttachment.includes('local');
      return isShown && e.tabIndex === 0 && e.role === 'group' && (e.ariaLabel || e.ariaLabelledByElements?.length);
    };
    const isInside = (e: (typeof all)[number]) => e.parentElement?.closest('pre, .table');
    return all.filter((e) => isWider(e) && !scrolls(e) && !isInside(e)).map((e) => e.outerHTML.slice(0, 120));
  });
}

/** The colour of a small spot in the upper padding of an element, as a picture. */
async function spotAt(page: Page, element: Locator, fromRight: number): Promise<string> {
  const box = await element.boundingBox();
  assert.ok(box);
  const clip = { x: Math.round(box.x + box.width) - fromRight, y: Math.round(box.y) + 6, width: 2, height: 2 };
  return (await page.screenshot({ clip })).toString('base64');
}

suite('the documentation', () => {
  test('on narrow screens no page scrolls sideways, and code that does can be scrolled by keyboard, have a name and show it', async () => {
    const page = await openPage(browser, { viewport: NARROW });
    await page.goto(`${service.url}/docs`);
    const links = await page.locator('main a[href^="/docs"]').evaluateAll((all) => all.map((a) => a.pathname));
    const paths = new Set<string>(links);
    assert.deepEqual([...paths], ['/docs/api', '/docs/admin-api', '/docs/errors']);
    for (const path of paths) {
      await page.goto(service.url + path);
      for (const viewport of [PHONE, NARROW]) {
        await page.setViewportSize(viewport);
        assert.ok((await overflowOf(page)) <= 0, `${path} scrolls sideways at ${viewport.width} px`);
        assert.deepEqual(await cutOff(page), [], `${path} at ${viewport.width} px`);
      }
    }
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`a shadow shows where code goes on, and ends with it: ${colorScheme}`, async () => {
      const page = await openPage(browser, { viewport: PHONE, colorScheme });
      await page.goto(`${service.url}/docs/api`);
      const code = page.locator('pre').first();
      await code.scrollIntoViewIfNeeded();
      assert.notEqual(await spotAt(page, code, 6), await spotAt(page, code, 120), 'no shadow');
      await code.focus();
      await code.evaluate((e) => e.scrollTo(e.scrollWidth, 0));
      assert.equal(await spotAt(page, code, 6), await spotAt(page, code, 120), 'the shadow stays at the end');
      await page.context().close();
    });
  }

  test('on paper there is the text alone', async () => {
    const page = await openPage(browser);
    await page.goto(`${service.url}/docs/api`);
    assert.ok(await page.locator('nav.contents').isVisible());
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('nav.contents').isVisible(), false);
    assert.ok(await page.locator('h1').isVisible());
    await page.context().close();
  });
});
