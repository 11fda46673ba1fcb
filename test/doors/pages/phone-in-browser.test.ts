// The request and /account on a phone, in a real Chromium: what is in view on arrival, and how long the pages are.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { ClientId } from '../../../src/core/integration.ts';
import { anIntegration, scopeOf } from '../../samples.ts';
import { enterCode, NARROW, notInView, openPage, overflowOf, PHONE, signIn, startBrowser } from './browser.ts';
import { poll, startCode } from './calling-device.ts';
import { EVERY_PAGE } from './every-page.ts';
import { ORDERS, type RunningService, startService } from './running-service.ts';

const SMALL_PHONE = { width: 360, height: 640 };
const RESOURCES = [
  'customers',
  'deliveries',
  'invoices',
  'orders',
  'prices',
  'refunds',
  'returns',
  'stock',
  'suppliers',
];
const LONG_SCOPE = RESOURCES.map((resource) => `${resource}:read,write,delete`).join(';');
const LONG_NAME = anIntegration({
  clientId: 'long-name' as ClientId,
  name: 'Warehouse replenishment and supplier reconciliation (Europe)',
  vendor: 'Example Logistics International GmbH & Co. KG',
  description:
    'Copies the orders of every warehouse each night, and reconciles them with the invoices of all suppliers',
  scope: scopeOf(LONG_SCOPE),
});

const PHONES = [SMALL_PHONE, PHONE];
const ARRIVALS = [
  // The last is what the bars of the browser leave of the small one.
  [ORDERS, [...PHONES, { width: 360, height: 560 }]],
  [LONG_NAME, PHONES],
] as const;

let service: RunningService;
let browser: Browser;
before(async () => {
  service = await startService({ integrations: [ORDERS, LONG_NAME] });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});
const closeContexts = async () => {
  for (const context of browser.contexts()) await context.close();
};

/** A signed-in person on the confirmation page. */
async function atRequest(options: BrowserContextOptions, scope?: string, integration = ORDERS): Promise<Page> {
  const { userCode } = await startCode(service, scope, integration);
  const page = await openPage(browser, options);
  await signIn(page, service);
  await enterCode(page, service, userCode);
  return page;
}

/** Without these nobody should decide: who asks, from where, when, how much, and the question. */
const ESSENTIALS = 'h1, .facts:first-of-type dd, #asks, #question, #question + p';
const BUTTONS = 'button.deny, button.confirm';

suite('the request on a phone', () => {
  afterEach(closeContexts);

  for (const [integration, viewports] of ARRIVALS) {
    for (const locale of ['en', 'de']) {
      test(`Confirm and Deny are in view on arrival, with all they are about: ${locale}, ${integration.name}`, async () => {
        const page = await atRequest({ locale }, undefined, integration);
        for (const viewport of viewports) {
          await page.setViewportSize(viewport);
          await page.reload();
          const hidden = await notInView(page.locator(`${ESSENTIALS}, .permissions li, ${BUTTONS}`));
          assert.deepEqual(hidden, [], `${viewport.width} x ${viewport.height}`);
          const fact = await page.locator('.facts').first().innerText();
          assert.match(
            fact,
            /^(Asked|Angefragt)\s+(now|\d+ seconds? ago|jetzt|vor \d+ Sekunden?), (from|von) 127.0.0.1$/,
          );
          const [no, yes] = [page.locator('button.deny'), page.locator('button.confirm')];
          const [noBox, yesBox] = [await no.boundingBox(), await yes.boundingBox()];
          assert.deepEqual([noBox?.width, noBox?.height, noBox?.y], [yesBox?.width, yesBox?.height, yesBox?.y]);
        }
      });
    }
  }

  test('of a scope that is longer than the screen, the number and the far-reaching permissions come first', async () => {
    const page = await atRequest({ viewport: PHONE }, LONG_SCOPE, LONG_NAME);
    assert.deepEqual(await notInView(page.locator(`${ESSENTIALS}, .permissions li:nth-child(-n + 4), ${BUTTONS}`)), []);
    assert.equal(await page.locator('#asks').innerText(), 'Permissions it asks for: 27');
    const lines = await page.locator('.permissions li').allInnerTexts();
    assert.deepEqual(lines.map((line) => line.includes('far-reaching')).lastIndexOf(true), 8);
  });

  test('nothing stays hidden behind the buttons: each line can be scrolled into view, and focus is never covered', async () => {
    const page = await atRequest({ viewport: SMALL_PHONE, locale: 'de' }, LONG_SCOPE, LONG_NAME);
    await assertAllReachable(page);
    await page.evaluate('scrollTo(0, 0)');
    for (let stops = 0; stops < 6; stops++) {
      await page.keyboard.press('Tab');
      assert.deepEqual(await notInView(page.locator(':focus')), []);
    }
    assert.equal(await page.locator('button.confirm:focus').count(), 1);
  });

  test('with text at 200 %, or on a screen too low for both, the buttons come after the facts and cover nothing', async () => {
    const page = await atRequest({ viewport: PHONE, locale: 'de', bypassCSP: true }, undefined, LONG_NAME);
    await page.addStyleTag({ content: 'html { font-size: 200% }' });
    for (const viewport of [PHONE, { width: 640, height: 320 }]) {
      await page.setViewportSize(viewport);
      assert.ok((await overflowOf(page)) <= 0, 'scrolls sideways');
      await page.evaluate('scrollTo(0, 0)');
      assert.equal((await notInView(page.locator(BUTTONS))).length, 2, 'the buttons cover the facts');
      await assertAllReachable(page);
    }
  });
});

/** Every line of the request is uncovered once it is scrolled to the middle of the screen. */
async function assertAllReachable(page: Page): Promise<void> {
  const lines = await page.locator('.request :is(h2, p, li, dd, button)').all();
  assert.ok(lines.length > 10, `${lines.length} lines`);
  for (const line of lines) {
    await line.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    assert.deepEqual(await notInView(line), []);
  }
}

suite('/account on a phone', () => {
  afterEach(closeContexts);

  test('six grants take at most 350 px each, and any of them is revoked by keyboard', async () => {
    const page = await openPage(browser, { viewport: PHONE });
    await signIn(page, service);
    for (let count = 0; count < 6; count++) {
      const code = await startCode(service);
      await enterCode(page, service, code.userCode);
      await page.locator('.confirm').click();
      await poll(service, code);
    }
    await page.goto(`${service.url}/account`);
    const heights = await page
      .locator('.grant')
      .evaluateAll((all) => all.map((card) => card.getBoundingClientRect().height));
    assert.equal(heights.length, 6);
    assert.ok(Math.max(...heights) <= 350, heights.join());
    const height = await page.evaluate<number>('document.scrollingElement.scrollHeight');
    assert.ok(height <= 6 * 350 + 2 * PHONE.height, `the page is ${height} px tall`);

    assert.equal(await page.locator('.grant h3').count(), 6);
    const names = await page.locator('.grant summary').evaluateAll((all) => all.map((summary) => summary.ariaLabel));
    assert.ok(
      names.every((name) => /Orders sync/.test(name ?? '')),
      names.join(),
    );
    await page.locator('.grant').nth(3).locator('.revoke summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('[role=status]').waitFor();
    assert.equal(await page.locator('.grant').count(), 5);
  });
});

suite('at 320 px in German', () => {
  let page: Page;
  before(async () => {
    page = await openPage(browser, { viewport: NARROW, locale: 'de' });
  });
  after(() => page?.context().close());

  for (const name of [
    'home',
    'code',
    'compare',
    'sign-in',
    'request',
    'not-allowed',
    'confirmed',
    'account-revoke',
    'password',
    'reference',
  ]) {
    test(`${name} does not scroll sideways, and nothing in its header is covered`, async () => {
      await page.context().clearCookies();
      await EVERY_PAGE[name]?.(page, service);
      assert.ok((await overflowOf(page)) <= 0);
      await page.evaluate('scrollTo(0, 0)');
      assert.deepEqual(await notInView(page.locator('.brand span, .menu a, .menu button')), []);
    });
  }
});
