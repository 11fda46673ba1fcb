// The console in a real browser: every page, by keyboard, on a phone, without script, and with hostile texts.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { grants } from '../../../src/store/tables/grants.ts';
import { CLIENT, hexOf } from '../../samples.ts';
import {
  DESKTOP,
  NARROW,
  notInView,
  overflowOf,
  PHONE,
  startBrowser,
  styleOf,
  violations,
  violationsInBothSchemes,
} from '../pages/browser.ts';
import { CONSOLE_PAGES, ConsoleScene, EVIL, EVIL_ID } from './scene.ts';

let scene: ConsoleScene;
let browser: Browser;
before(async () => {
  scene = await ConsoleScene.open();
  await scene.furnish();
  const claimed = { subject: `CN=${EVIL.repeat(7)}`.slice(0, 200), issuer: EVIL, serial: '01', label: undefined };
  await scene.refusal({ reason: 'certificate-issuer-not-approved', count: 3, clientId: EVIL_ID, claimed });
  for (const index of [1, 2, 3, 4]) await scene.grant(index);
  await scene.grant(5, 'nina', { clientId: EVIL_ID });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await scene?.stop();
});

suite('the console in a browser', () => {
  let page: Page;
  before(async () => {
    page = await scene.page(browser, 'olga', { bypassCSP: true });
    page.on('dialog', () => assert.fail('a text of others ran as script'));
  });
  after(() => page?.context().close());

  for (const [name, path] of Object.entries(CONSOLE_PAGES))
    test(`${name}: axe finds nothing, light, dark and on a phone; nothing scrolls sideways, at 320 px either; no text runs as script`, async () => {
      await page.setViewportSize(DESKTOP);
      await page.goto(`${scene.service.url}/console${path}`);
      assert.deepEqual(await violationsInBothSchemes(page), { light: [], dark: [] });
      assert.equal(await overflowOf(page), 0, 'on a desktop');
      await page.setViewportSize(PHONE);
      assert.deepEqual(await violations(page), [], 'dark, on a phone');
      await page.setViewportSize(NARROW);
      assert.equal(await overflowOf(page), 0);
      assert.equal(await page.locator('h1').count(), 1);
      assert.equal(await page.locator('img[src="x"]').count(), 0);
      const folded = page.locator('.variant :required, details :required');
      assert.equal(await folded.count(), 0, 'a browser would not send the form, and not say why');
    });

  test('by keyboard alone, from the first page: find a person, open a grant, end it', async () => {
    const page = await scene.page(browser, 'olga');
    const tabTo = async (wanted: string) => {
      for (let pressed = 0; pressed < 60; pressed++) {
        await page.keyboard.press('Tab');
        const focused = page.locator(':focus');
        const text = (await focused.innerText()).trim() || (await focused.getAttribute('name')) || '';
        if (text.startsWith(wanted)) return;
      }
      assert.fail(`no ${wanted} by the keyboard`);
    };
    await page.goto(`${scene.service.url}/console`);
    await tabTo('q');
    await page.keyboard.type('nina');
    await page.keyboard.press('Enter');
    await page.waitForURL(/identities/);
    await tabTo('Grants');
    await tabTo('Grants');
    await page.keyboard.press('Enter');
    await page.waitForURL(/grants\?identity/);
    await tabTo('nina');
    await page.keyboard.press('Enter');
    await page.waitForURL(/grants\/018f/);
    await tabTo('End this grant');
    await page.keyboard.press('Enter');
    await page.waitForURL(/end$/);
    await tabTo('End now');
    await page.keyboard.press('Enter');
    await page.getByText('1 grant was ended.').waitFor();
    await page.context().close();
  });

  for (const viewport of [DESKTOP, PHONE])
    test(`a link that puts a setting back shows the notice, its field and the button at once, at ${viewport.width} px`, async () => {
      const page = await scene.page(browser, 'olga', { viewport });
      await page.goto(`${scene.service.url}/console`);
      await page.getByRole('link', { name: 'Put back the former scope' }).first().click();
      const check = page.getByRole('button', { name: 'Check' });
      for (const shown of [page.locator('.notice'), page.getByLabel('Scope', { exact: true }), check])
        assert.deepEqual(await notInView(shown), []);
      await page.context().close();
    });

  test('without script, on a phone: the nightly job fails; the reason is on its page, and the remedy behind its buttons', async () => {
    const page = await scene.page(browser, 'olga', { javaScriptEnabled: false, viewport: PHONE });
    await page.goto(`${scene.service.url}/console`);
    await page.getByLabel('Find').fill('Orders sync');
    await page.getByRole('button', { name: 'Find' }).click();
    assert.match(await page.locator('main').innerText(), /scope-no-longer-allowed.*no longer covers the scope/s);
    await page.getByRole('link', { name: 'Change…' }).click();
    await page.getByLabel('Scope', { exact: true }).fill('orders:read,write,delete;stock:read');
    await page.getByRole('button', { name: 'Check' }).click();
    assert.match(await page.locator('main').innerText(), /No living grant is touched/);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('Done. It holds on every node').waitFor();
    assert.match(await page.locator('main').innerText(), /orders:read,write,delete;stock:read/);
    await page.context().close();
  });

  test('on a phone the menu has one order on every page, and all of it is in view', async () => {
    const page = await scene.page(browser, 'olga', { viewport: PHONE });
    const orders = new Set<string>();
    for (const path of ['', '/events']) {
      await page.goto(`${scene.service.url}/console${path}`);
      const entries = page.locator('.console-menu a');
      assert.deepEqual(await notInView(entries), []);
      const order = await entries.evaluateAll((links) => {
        const corners = links.map((link) => [link.textContent, link.getBoundingClientRect()] as const);
        return corners.toSorted(([, a], [, b]) => a.top - b.top || a.left - b.left).map(([name]) => name);
      });
      orders.add(order.join());
    }
    assert.equal(orders.size, 1);
    await page.context().close();
  });

  test('with script, an open page shows what happened since, and does not take away what is in use', async () => {
    const page = await scene.page(browser, 'vera');
    await page.clock.install();
    await page.goto(`${scene.service.url}/console/events`);
    const rows = page.locator('tbody tr');
    const before = await rows.count();
    await scene.grant(8);
    await page.getByLabel('Identity').fill('half typed');
    await page.clock.fastForward(11_000);
    await rows.nth(before).waitFor();
    assert.equal(await rows.count(), before + 1);
    assert.equal(await page.getByLabel('Identity').inputValue(), 'half typed');
    await page.context().close();
  });

  test('a page that can no longer be refreshed says so, and says of when it is', async () => {
    const page = await scene.page(browser, 'vera');
    await page.clock.install();
    await page.goto(`${scene.service.url}/console`);
    await page.getByText(/^As of \d\d:\d\d:\d\d UTC$/).waitFor();
    const note = page.getByText('This page is not being refreshed');
    assert.equal(await note.isVisible(), false);
    await page.route('**/console', (route) => route.abort());
    await page.clock.fastForward(11_000);
    await note.waitFor();
    await page.unroute('**/console');
    await page.clock.fastForward(11_000);
    await note.waitFor({ state: 'hidden' });
    await page.context().close();
  });

  for (const [path, label] of [
    ['/events?type=issued', 'Done by'],
    ['/grants?identity=nina', 'Certificate'],
  ] as const)
    test(`${path}: on a phone the filter is folded and says what is set, so that results are in view; a wide screen has it open`, async () => {
      const page = await scene.page(browser, 'olga', { javaScriptEnabled: false, viewport: PHONE });
      await page.goto(`${scene.service.url}/console${path}`);
      const [field, fold] = [page.getByLabel(label), page.getByText(/^Filter · \w+$/)];
      assert.equal(await field.isVisible(), false);
      assert.deepEqual(await notInView(page.locator('tbody tr:first-child th')), []);
      await fold.press('Enter');
      await field.waitFor();
      await page.setViewportSize(DESKTOP);
      await page.reload();
      assert.equal(await fold.isVisible(), false);
      await field.fill('x');
      await page.context().close();
    });

  test('on a phone without script the menu shows which page is open', async () => {
    const page = await scene.page(browser, 'olga', { javaScriptEnabled: false, viewport: PHONE });
    for (const path of ['', '/identities', '/events']) {
      await page.goto(`${scene.service.url}/console${path}`);
      assert.deepEqual(await notInView(page.locator('.console-menu [aria-current]')), [], path);
    }
    await page.context().close();
  });

  test('on a phone a long filter stays in its button; a link to a field shows its label; what ends something is red', async () => {
    const page = await scene.page(browser, 'olga', { javaScriptEnabled: false, viewport: PHONE });
    await page.goto(`${scene.service.url}/console/grants?certificate=${hexOf(32, 171)}`);
    const wide = await page.getByText(/^Filter · /).evaluate((fold) => fold.scrollWidth > fold.clientWidth);
    assert.equal(wide, false);
    await page.goto(`${scene.service.url}/console/integrations/${CLIENT}/change#scope`);
    assert.deepEqual(await notInView(page.locator('label[for=scope]')), []);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${scene.service.url}/console/integrations/${CLIENT}/remove`);
      const ground = await styleOf(page.getByRole('button', { name: 'Remove' }), 'background-color');
      const [red = 0, green = 0, blue = 0] = ground.match(/\d+/g)?.map(Number) ?? [];
      assert.ok(red > 1.3 * green && red > 1.3 * blue, `${colorScheme}: ${ground}`);
    }
    await page.context().close();
  });

  test('a grant ended elsewhere while its page was open is not ended twice, and the page says so', async () => {
    const page = await scene.page(browser, 'olga');
    await page.goto(`${scene.service.url}/console/grants/018f${hexOf(14, 2)}/end`);
    await scene.store.change(grants, `018f${hexOf(14, 2)}`, (found, now) => ({
      outcome: undefined,
      ...(found && { next: { ...found.row, revoked: { at: now, reason: 'by-holder' as const } } }),
    }));
    await page.getByRole('button', { name: 'End now' }).click();
    assert.match(await page.locator('[role=alert]').innerText(), /no grant .* that is still live/);
    await page.context().close();
  });
});
