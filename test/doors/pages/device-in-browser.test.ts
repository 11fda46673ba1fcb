// Device authorization in a real Chromium, against the real service over TLS, while a real caller polls.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, suite, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { enterCode, fillSignIn, openPage, PHONE, signIn, startBrowser, styleOf } from './browser.ts';
import { poll, type StartedCode, startCode, verdict } from './calling-device.ts';
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
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

const heading = (page: Page) => page.locator('h1').innerText();
const confirm = (page: Page) => page.locator('button.confirm').click();
const deny = (page: Page) => page.locator('button.deny').click();

/** A signed-in person on the confirmation page. */
async function atRequest(options: BrowserContextOptions = {}): Promise<{ page: Page; code: StartedCode }> {
  const code = await startCode(service);
  const page = await openPage(browser, options);
  await signIn(page, service);
  await enterCode(page, service, code.userCode);
  return { page, code };
}

suite('the whole flow', () => {
  test('enter the code, sign in, see the request, confirm: the polling caller gets its tokens', async () => {
    const code = await startCode(service);
    const page = await openPage(browser);
    await enterCode(page, service, code.userCode.toLowerCase().replace('-', ' '));
    assert.equal(await verdict(service, code), 'authorization_pending');
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
    assert.equal(await verdict(service, code), 'authorization_pending');
    await confirm(page);
    assert.equal(await heading(page), 'Confirmed');
    const { status, body } = await poll(service, code);
    assert.equal(status, 200);
    assert.equal(body['scope'], 'orders:read,delete;stock:read');
    await page.reload();
    assert.equal(await heading(page), 'Confirmed, and your device has access');
    assert.equal(await verdict(service, code), 'invalid_grant', 'redeemed once only [contract 3]');
  });

  test('verification_uri_complete fills in the code for comparison, and looks nothing up before sign-in', async () => {
    const code = await startCode(service);
    const page = await openPage(browser);
    await page.goto(code.complete);
    assert.equal(await heading(page), 'Is this the code on your device?');
    assert.equal(await page.locator('.code-shown').innerText(), code.userCode);
    await page.locator('main button').click();
    assert.equal(await heading(page), 'Sign in');
    await fillSignIn(page);
    await confirm(page);
    assert.equal(await verdict(service, code), 'ok');
  });

  test('before sign-in an existing and an unknown code look the same', async () => {
    const looks = [];
    for (const code of [(await startCode(service)).userCode, 'BCDF-GHJK']) {
      const page = await openPage(browser);
      await enterCode(page, service, code);
      looks.push((await page.locator('main').innerText()).replace(code, 'CODE'));
    }
    assert.equal(looks[0], looks[1]);
  });

  test('works with script disabled', async () => {
    const { page, code } = await atRequest({ javaScriptEnabled: false });
    await confirm(page);
    assert.equal(await verdict(service, code), 'ok');
  });

  test('works by keyboard alone, with focus visible at every stop', async () => {
    const code = await startCode(service);
    const page = await openPage(browser);
    await page.goto(`${service.url}/device`);
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
    assert.equal(await verdict(service, code), 'ok');
  });

  test('speaks German to a German browser', async () => {
    const { page, code } = await atRequest({ locale: 'de-DE' });
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    assert.equal(await heading(page), 'Darf Orders sync in Ihrem Namen handeln?');
    assert.match(await page.locator('main').innerText(), /„orders“ löschen[\s\S]*noch 5 Minuten/);
    await page.getByRole('button', { name: 'Ablehnen' }).click();
    assert.equal(await heading(page), 'Abgelehnt');
    assert.equal(await verdict(service, code), 'unauthorized_client');
  });

  test('fits a phone: no horizontal scrolling, text of at least 16 px, targets 44 px high', async () => {
    const { page } = await atRequest({ viewport: PHONE });
    for (const path of ['', '/device', '/account', '/account/password', '/device/qr?user_code=WDJB-MJHT']) {
      if (path) await page.goto(service.url + path);
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
    const { page } = await atRequest();
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
    const code = await startCode(service);
    const page = await openPage(browser);
    await signIn(page, service, 'cyd');
    await enterCode(page, service, code.userCode);
    assert.match(await page.locator('[role=alert]').innerText(), /may not use the web API/);
    assert.equal(await page.locator('button.confirm').count(), 0);
    await deny(page);
    assert.equal(await verdict(service, code), 'unauthorized_client');
  });
});

suite('decisions', () => {
  test('deny, back, confirm: the browser’s back button leads to no second decision', async () => {
    const { page, code } = await atRequest();
    await deny(page);
    assert.equal(await heading(page), 'Denied');
    await page.goBack();
    assert.equal(await page.locator('button.confirm').count(), 0, 'back shows no question any more');
    assert.equal(await verdict(service, code), 'unauthorized_client');
  });

  test('two tabs: the first decision counts, the second tab says so', async () => {
    const { page, code } = await atRequest();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await confirm(page);
    await deny(other);
    assert.equal(await heading(other), 'This request was decided before');
    assert.equal(await verdict(service, code), 'ok');
  });

  test('a code that expired while on screen cannot be confirmed', async () => {
    const { page, code } = await atRequest();
    service.advance(301);
    await confirm(page);
    assert.equal(await heading(page), 'This code has expired');
    await page.goBack();
    assert.equal(await heading(page), 'The code has expired');
    assert.equal(await verdict(service, code), 'invalid_grant');
  });

  test('another signed-in session with the same URL can neither see nor decide', async () => {
    const { page, code } = await atRequest();
    const bob = await openPage(browser);
    await signIn(bob, service, 'bob');
    await bob.goto(page.url());
    assert.equal(await heading(bob), 'This code was entered in another browser');
    await enterCode(bob, service, code.userCode);
    assert.equal(await heading(bob), 'This code was entered in another browser');
    await confirm(page);
    assert.equal(await verdict(service, code), 'ok');
  });

  test('after five wrong codes the sixth is refused even if it is right, until the lockout ends', async () => {
    const page = await openPage(browser);
    await signIn(page, service, 'bob');
    for (let tries = 0; tries < 5; tries++) {
      await enterCode(page, service, 'BCDF-GHJK');
      assert.equal(await page.locator('[role=alert] strong').innerText(), 'This code is not known');
      await page.reload(); // does not count as a guess
    }
    await enterCode(page, service, (await startCode(service)).userCode);
    assert.equal(await heading(page), 'Too many wrong codes');
    service.advance(300);
    await enterCode(page, service, (await startCode(service)).userCode);
    assert.equal(await heading(page), 'Let Orders sync act in your name?');
  });

  test('text that cannot be a code does not count as a guess', async () => {
    const page = await openPage(browser);
    await signIn(page, service);
    for (let tries = 0; tries < 7; tries++) await enterCode(page, service, 'AEIO-UAEI');
    assert.match(await page.locator('[role=alert]').innerText(), /eight letters/);
  });
});

suite('forged forms', () => {
  test('a form opened before a new sign-in is refused, and nothing is decided', async () => {
    const { page, code } = await atRequest();
    const other = await page.context().newPage();
    await other.goto(`${service.url}/account`);
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await signIn(other, service);
    await confirm(page);
    assert.equal(await heading(page), 'This page is out of date');
    assert.equal(await verdict(service, code), 'authorization_pending');
  });

  test('a form without its token is refused', async () => {
    const { page, code } = await atRequest();
    await page.locator('form:has(button.confirm) input[name=form_token]').evaluate((e) => e.remove());
    await confirm(page);
    assert.equal(await heading(page), 'This page is out of date');
    assert.equal(await verdict(service, code), 'authorization_pending');
  });

  test('another site can neither submit our forms nor frame our pages', async () => {
    const { page, code } = await atRequest();
    const evil = await serve(`<!doctype html><title>prize</title>
<iframe id="frame" src="${page.url()}"></iframe>
<form method="post" action="${page.url()}/confirm"><button>Win</button></form>`);
    const other = await page.context().newPage();
    await other.goto(evil.url);
    const frame = other.frames()[1];
    assert.ok(frame);
    assert.equal(await frame.locator('button.confirm').count(), 0, 'the page was framed');
    await other.getByRole('button', { name: 'Win' }).click();
    assert.equal(await heading(other), 'This page is out of date');
    assert.equal(await verdict(service, code), 'authorization_pending');
    evil.server.close();
  });
});

async function serve(html: string): Promise<{ url: string; server: Server }> {
  const server = createServer((_request, answer) => answer.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
