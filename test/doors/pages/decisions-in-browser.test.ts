// Decisions that compete, and forms that others make, in a real Chromium.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { enterCode, openPage, signIn } from './browser.ts';
import { verdict } from './calling-device.ts';
import { confirm, DeviceScene, deny, heading } from './device-scene.ts';

const scene = new DeviceScene();

suite('decisions', () => {
  test('deny, back, confirm: the browser’s back button leads to no second decision', async () => {
    const { page, code } = await scene.atRequest();
    await deny(page);
    assert.equal(await heading(page), 'Denied');
    await page.goBack();
    assert.equal(await page.locator('button.confirm').count(), 0, 'back shows no question any more');
    assert.equal(await verdict(scene.service, code), 'unauthorized_client');
  });

  test('two tabs: the first decision counts, the second tab says so', async () => {
    const { page, code } = await scene.atRequest();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await confirm(page);
    await deny(other);
    assert.equal(await heading(other), 'This request was decided before');
    assert.equal(await verdict(scene.service, code), 'ok');
  });

  test('a code that expired while on screen cannot be confirmed', async () => {
    const { page, code } = await scene.atRequest();
    scene.service.advance(301);
    await confirm(page);
    assert.equal(await heading(page), 'This code has expired');
    await page.goBack();
    assert.equal(await heading(page), 'The code has expired');
    assert.equal(await verdict(scene.service, code), 'invalid_grant');
  });

  test('text that cannot be a code does not count as a guess', async () => {
    const page = await openPage(scene.browser);
    await signIn(page, scene.service);
    for (let tries = 0; tries < 7; tries++) await enterCode(page, scene.service, 'AEIO-UAEI');
    assert.match(await page.locator('[role=alert]').innerText(), /eight letters/);
  });
});

suite('forged forms', () => {
  test('another site can neither submit our forms nor frame our pages', async () => {
    const { page, code } = await scene.atRequest();
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
    assert.equal(await verdict(scene.service, code), 'authorization_pending');
    evil.server.close();
  });
});

async function serve(html: string): Promise<{ url: string; server: Server }> {
  const server = createServer((_request, answer) => answer.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
