// Authorization codes in a real Chromium, with a real program that listens on loopback.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, suite, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { AGENT, jsonOf, Program } from './asking-program.ts';
import {
  fillSignIn,
  NARROW,
  notInView,
  openPage,
  overflowOf,
  PHONE,
  signIn,
  startBrowser,
  violations,
  violationsInBothSchemes,
} from './browser.ts';
import { type RunningService, startService } from './running-service.ts';

let service: RunningService;
let browser: Browser;
/** The program's own server: what the browser brings is in the address. */
const servers: Server[] = [];
let onIpv4: string;
let onIpv6: string;
before(async () => {
  service = await startService({ integrations: [AGENT] });
  browser = await startBrowser();
  onIpv4 = await listen('127.0.0.1', '127.0.0.1');
  onIpv6 = await listen('::1', '[::1]');
});
after(async () => {
  await browser?.close();
  for (const server of servers) server.close();
  await service?.stop();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

async function listen(address: string, host: string, location?: string): Promise<string> {
  const server = createServer((_, response) => {
    if (location) response.writeHead(302, { location }).end();
    else response.end('<title>Coder</title>You can close this page.');
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, address, listening));
  return `http://${host}:${(server.address() as AddressInfo).port}/callback`;
}

const heading = (page: Page) => page.locator('h1').innerText();
const answerOf = (page: Page) => new URL(page.url()).searchParams;

async function atRequest(program: Program, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openPage(browser, options);
  await signIn(page, service);
  await page.goto(service.url + program.path());
  return page;
}

suite('a person at /oauth2/authorize', () => {
  test('without a session, with script off: sign in, wrong password first, confirm; the program gets its tokens', async () => {
    const program = new Program(service, onIpv4);
    const page = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(service.url + program.path());
    assert.equal(await heading(page), 'Sign in');
    assert.match(await page.locator('.lead').innerText(), /what Coder asks for/);
    await fillSignIn(page, 'ada', 'wrong');
    await fillSignIn(page);
    assert.equal(await heading(page), 'Let Coder act in your name?');
    assert.match(await page.locator('main').innerText(), /this computer, 127\.0\.0\.1:\d+/);
    await page.locator('button.confirm').click();
    await page.waitForURL(/127\.0\.0\.1/);
    assert.equal(answerOf(page).get('state'), program.state);
    assert.equal((await program.redeem(answerOf(page).get('code'))).status, 200);
  });

  test('on IPv6 loopback: the browser follows the redirect there too', async () => {
    const program = new Program(service, onIpv6);
    const page = await atRequest(program);
    await page.locator('button.confirm').click();
    await page.waitForURL(/\[::1\]/);
    assert.equal((await program.redeem(answerOf(page).get('code'))).status, 200);
  });

  test('of a program whose own page redirects to another origin ends there', async () => {
    const page = await atRequest(new Program(service, await listen('127.0.0.1', '127.0.0.1', onIpv6)));
    await page.locator('button.confirm').click();
    await page.waitForURL(/\[::1\]/, { timeout: 10_000 });
  });

  test('who signs in for a request with a mistake is sent on to the program', async () => {
    const page = await openPage(browser);
    await page.goto(service.url + new Program(service, onIpv4).path({ scope: 'payroll:read' }));
    await fillSignIn(page);
    await page.waitForURL(/127\.0\.0\.1/, { timeout: 10_000 });
    assert.equal(answerOf(page).get('error'), 'invalid_scope');
  });

  test('denies, in German, on a phone: both buttons are in view, and the program learns it', async () => {
    const page = await atRequest(new Program(service, onIpv4), { viewport: PHONE, locale: 'de' });
    assert.equal(await heading(page), 'Darf Coder in Ihrem Namen handeln?');
    assert.match(await page.locator('main').innerText(), /Antwort geht an/);
    assert.deepEqual(await notInView(page.locator('.choices button')), []);
    await page.locator('button.deny').click();
    await page.waitForURL(/127\.0\.0\.1/);
    assert.equal(answerOf(page).get('error'), 'access_denied');
  });

  test('with a wrong redirect URI sees why, in both languages, and goes nowhere', async () => {
    for (const [locale, title] of [
      ['en-GB', 'This request is not safe to answer'],
      ['de', 'Diese Anfrage lässt sich nicht sicher beantworten'],
    ] as const) {
      const page = await atRequest(new Program(service, 'https://evil.example/callback'), { locale });
      assert.equal(await heading(page), title);
      assert.equal(new URL(page.url()).origin, service.url);
    }
  });

  test('in two tabs gets a code in each; the back button asks again and breaks nothing', async () => {
    const program = new Program(service, onIpv4);
    const first = await atRequest(program);
    const second = await first.context().newPage();
    await second.goto(service.url + program.path());
    for (const page of [first, second]) {
      await page.locator('button.confirm').click();
      await page.waitForURL(/127\.0\.0\.1/);
      assert.equal((await program.redeem(answerOf(page).get('code'))).status, 200);
    }
    await first.goBack();
    assert.equal(await heading(first), 'Let Coder act in your name?');
    await first.locator('button.confirm').click();
    await first.waitForURL(/127\.0\.0\.1/);
    assert.equal((await program.redeem(answerOf(first).get('code'))).status, 200);
  });

  test('who waits too long, or was signed out meanwhile, confirms nothing and reads what to do', async () => {
    const page = await atRequest(new Program(service, onIpv4));
    service.advance(301);
    await page.locator('button.confirm').click();
    assert.equal(await heading(page), 'This request is too old');
    await page.goBack();
    service.advance(16 * 60);
    await page.locator('button.confirm').click();
    assert.equal(await heading(page), 'This page is out of date');
  });

  test('finds nothing that axe objects to, light, dark and at 320 px; nothing scrolls sideways', async () => {
    const page = await atRequest(new Program(service, onIpv4), { bypassCSP: true });
    assert.deepEqual(await violationsInBothSchemes(page), { light: [], dark: [] });
    await page.setViewportSize(NARROW);
    assert.deepEqual(await violations(page), [], 'narrow');
    assert.ok((await overflowOf(page)) <= 0);
  });

  test('signs out all agents at /account; axe has no objection there either', async () => {
    const program = new Program(service, onIpv4);
    const page = await atRequest(program, { bypassCSP: true });
    await page.locator('button.confirm').click();
    await page.waitForURL(/127\.0\.0\.1/);
    const granted = jsonOf(await program.redeem(answerOf(page).get('code')));
    await page.goto(`${service.url}/account`);
    await page.getByText('Sign out all agents', { exact: true }).click();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: 'Sign out all agents now' }).click();
    assert.match(await page.locator('.notice').innerText(), /All agents were signed out/);
    assert.equal((await program.refresh(granted['refresh_token'] ?? '')).status, 400);
  });
});
