// Device authorization in a real Chromium, against the real service over TLS, while a real caller polls.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { enterCode, fillSignIn, openPage, signIn, styleOf } from './browser.ts';
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
