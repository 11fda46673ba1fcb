// Device authorization in a real Chromium, against the real service over TLS, while a real caller polls.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { enterCode, fillSignIn, openPage, PHONE, signIn, styleOf } from './browser.ts';
import { poll, startCode, verdict } from './calling-device.ts';
import { confirm, DeviceScene, deny, heading } from './device-scene.ts';

const scene = new DeviceScene();

suite('the whole flow', () => {
  test('enter the code, sign in, see the request, confirm: the polling caller gets its tokens', async () => {
    const code = await startCode(scene.service);
    const page = await openPage(scene.browser);
    await enterCode(page, scene.service, code.userCode.toLowerCase().replace('-', ' '));
    assert.equal(await verdict(scene.service, code), 'authorization_pending');
    await fillSignIn(page);
    assert.equal(await heading(page), 'Let Orders sync\nact in your name?'.replace('\n', ' '));
    const shown = await page.locator('main').innerText();
    for (const fact of [
      'by Example',
      'Copies orders every night',
      '127.0.0.1',
      'orders-sync/2.4 (build-box)',
      'another 5 minutes',
    ]) {
      assert.ok(shown.includes(fact), `${fact} is not shown`);
    }
    assert.deepEqual(await page.locator('.permissions li').allInnerTexts(), [
      'Delete “orders” far-reaching',
      'Read “orders”',
      'Read “stock”',
    ]);
    assert.equal(await verdict(scene.service, code), 'authorization_pending');
    await confirm(page);
    assert.equal(await heading(page), 'Confirmed');
    const { status, body } = await poll(scene.service, code);
    assert.equal(status, 200);
    assert.equal(body['scope'], 'orders:read,delete;stock:read');
    await page.reload();
    assert.equal(await heading(page), 'Confirmed, and your device has access');
    assert.equal(await verdict(scene.service, code), 'invalid_grant', 'redeemed once only [contract 3]');
  });

  test('verification_uri_complete fills in the code for comparison, and looks nothing up before sign-in', async () => {
    const code = await startCode(scene.service);
    const page = await openPage(scene.browser);
    await page.goto(code.complete);
    assert.equal(await heading(page), 'Is this the code on your device?');
    assert.equal(await page.locator('.code-shown').innerText(), code.userCode);
    await page.locator('main button').click();
    assert.equal(await heading(page), 'Sign in');
    await fillSignIn(page);
    await confirm(page);
    assert.equal(await verdict(scene.service, code), 'ok');
  });

  test('before sign-in an existing and an unknown code look the same', async () => {
    const looks = [];
    for (const code of [(await startCode(scene.service)).userCode, 'BCDF-GHJK']) {
      const page = await openPage(scene.browser);
      await enterCode(page, scene.service, code);
      looks.push((await page.locator('main').innerText()).replace(code, 'CODE'));
    }
    assert.equal(looks[0], looks[1]);
  });

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

suite('device-code phishing', () => {
  test('the page shows integration, address and time, asks "did you start this?", and makes Deny as prominent as Confirm', async () => {
    const { page } = await scene.atRequest();
    assert.equal(await page.locator('#question').innerText(), 'Did you start this yourself, just now?');
    const [no, yes] = [page.locator('button.deny'), page.locator('button.confirm')];
    const [noBox, yesBox] = [await no.boundingBox(), await yes.boundingBox()];
    assert.equal(noBox?.width, yesBox?.width);
    assert.equal(noBox?.height, yesBox?.height);
    assert.equal(noBox?.y, yesBox?.y);
    for (const name of ['fontSize', 'fontWeight', 'opacity', 'paddingTop', 'borderWidth']) {
      assert.equal(await styleOf(no, name), await styleOf(yes, name), name);
    }
  });

  test('a person who may not confirm sees why and can deny, so that the device stops waiting', async () => {
    const code = await startCode(scene.service);
    const page = await openPage(scene.browser);
    await signIn(page, scene.service, 'cyd');
    await enterCode(page, scene.service, code.userCode);
    assert.match(await page.locator('[role=alert]').innerText(), /may not use the web API/);
    assert.equal(await page.locator('button.confirm').count(), 0);
    await deny(page);
    assert.equal(await verdict(scene.service, code), 'unauthorized_client');
  });
});
