// The pages of a device authorization in browsers of every kind: without script, by keyboard, in German, on a phone.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openPage, PHONE, styleOf } from './browser.ts';
import { startCode, verdict } from './calling-device.ts';
import { confirm, DeviceScene, heading } from './device-scene.ts';

const scene = new DeviceScene();

suite('a device authorization', () => {
  test('works with script disabled', async () => {
    const { page, code } = await scene.atRequest({ javaScriptEnabled: false });
    await confirm(page);
    assert.equal(await verdict(scene.service, code), 'ok');
  });

  test('works by keyboard alone, with focus visible at every stop', async () => {
    const code = await startCode(scene.service);
    const page = await openPage(scene.browser);
    await page.goto(`${scene.service.url}/device`);
    const tabTo = async (selector: string) => {
      for (let stops = 0; stops < 15; stops++) {
        await page.keyboard.press('Tab');
        const outline = await styleOf(page.locator(':focus'), 'outlineStyle');
        assert.notEqual(outline, 'none', 'focus is invisible');
        if (await page.locator(`${selector}:focus`).count()) return;
      }
      assert.fail(`${selector} cannot be reached by Tab`);
    };
    // The browser sets it a moment after the page has loaded.
    const isFocused = (selector: string) => page.locator(`${selector}:focus`).waitFor();
    await isFocused('#user_code');
    await page.keyboard.type(code.userCode);
    await page.keyboard.press('Enter');
    await page.waitForURL(/sign-in/);
    await isFocused('#user_name');
    await page.keyboard.type('ada');
    await tabTo('#password');
    await page.keyboard.type('canary-correct-horse-battery');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/device\/[0-9a-f]{32}$/);
    await tabTo('button.deny');
    await tabTo('button.confirm');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Confirmed' }).waitFor();
    assert.equal(await verdict(scene.service, code), 'ok');
  });

  test('speaks German to a German browser', async () => {
    const { page, code } = await scene.atRequest({ locale: 'de-DE' });
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    assert.equal(await heading(page), 'Darf Orders sync in Ihrem Namen handeln?');
    assert.match(await page.locator('main').innerText(), /„orders“ löschen[\s\S]*noch 5 Minuten/);
    await page.getByRole('button', { name: 'Ablehnen' }).click();
    assert.equal(await heading(page), 'Abgelehnt');
    assert.equal(await verdict(scene.service, code), 'unauthorized_client');
  });

  test('fits a phone: no horizontal scrolling, text of at least 16 px, targets 44 px high', async () => {
    const { page } = await scene.atRequest({ viewport: PHONE });
    for (const path of ['', '/device', '/account', '/account/password', '/device/qr?user_code=WDJB-MJHT']) {
      if (path) await page.goto(scene.service.url + path);
      const { overflow, small, low } = await page.locator('html').evaluate((root) => {
        const shown = [...root.querySelectorAll('main *, header *')].filter((e) => e.getClientRects().length > 0);
        const fontSize = (e: typeof root) => root.ownerDocument.defaultView.getComputedStyle(e).fontSize;
        const isTarget = (e: typeof root) => e.matches('button, summary, input, .button');
        return {
          overflow: root.scrollWidth - root.clientWidth,
          small: shown.filter((e) => Number.parseFloat(fontSize(e)) < 16).map((e) => e.outerHTML),
          low: shown.filter((e) => isTarget(e) && e.getBoundingClientRect().height < 44).map((e) => e.outerHTML),
        };
      });
      assert.ok(overflow <= 0, `${path} scrolls sideways by ${overflow} px`);
      assert.deepEqual({ small, low }, { small: [], low: [] });
    }
  });
});
