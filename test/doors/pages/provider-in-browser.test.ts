// Sign-in by a company's directory in a real Chromium, inside the confirmation of a device.
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { addPerson, type Slapd, startSlapd } from '../../directory/ldap/slapd.ts';
import { startProvider, type TestProvider } from '../../directory/oidc/provider.ts';
import { AGENT, Program } from './asking-program.ts';
import {
  enterCode,
  NARROW,
  openPage,
  overflowOf,
  PHONE,
  startBrowser,
  violations,
  violationsInBothSchemes,
} from './browser.ts';
import { startCode, verdict } from './calling-device.ts';
import { ORDERS, type RunningService, startService } from './running-service.ts';

let slapd: Slapd;
let provider: TestProvider;
let service: RunningService;
/** Nobody has a password there. */
let alone: RunningService;
let browser: Browser;

before(async () => {
  [slapd, provider, browser] = await Promise.all([startSlapd(), startProvider(), startBrowser()]);
  await addPerson(slapd, 'carol');
  const { timeoutMs: _, ...ldap } = slapd.settings;
  const oidc = provider.directory('sso');
  const integrations = [ORDERS, AGENT];
  service = await startService({ sets: [`directories=${JSON.stringify([ldap, oidc])}`], integrations });
  alone = await startService({
    sets: [`directories=${JSON.stringify([oidc])}`, 'signIn.passwords=false'],
    integrations,
  });
  provider.accounts.set('grace', { preferred_username: 'grace' });
});
after(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), alone?.stop(), slapd?.stop(), provider?.stop()]);
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

async function fillPassword(page: Page): Promise<void> {
  await page.locator('#user_name').fill('carol');
  await page.locator('#password').fill('the password of carol');
  await page.getByRole('button', { name: /^(Sign in|Anmelden)$/ }).click();
}

async function fillProvider(page: Page): Promise<void> {
  await page.locator('[name=login]').fill('grace');
  await page.locator('[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
}

const LANGUAGES = {
  'en-GB': { button: 'Sign in with Example Corp', question: /^Let Orders sync act in your name\?$/ },
  'de-DE': { button: 'Anmelden mit Example Corp', question: /^Darf Orders sync in Ihrem Namen handeln\?$/ },
} as const;

suite('a device is confirmed on a phone', () => {
  for (const [locale, { button, question }] of Object.entries(LANGUAGES)) {
    for (const [by, signIn] of [
      ['LDAP', fillPassword],
      [
        'OpenID Connect',
        async (page: Page) => {
          await page.getByRole('button', { name: button }).click();
          await fillProvider(page);
        },
      ],
    ] as const) {
      test(`after sign-in by ${by}, in ${locale}, without script`, async () => {
        provider.serve(service.url, 'sso');
        const code = await startCode(service);
        const page = await openPage(browser, { locale, viewport: PHONE, javaScriptEnabled: false });
        await enterCode(page, service, code.userCode);
        await signIn(page);
        assert.match((await page.locator('h1').innerText()).replaceAll('\n', ' '), question);
        assert.match(await page.locator('main').innerText(), by === 'LDAP' ? /carol/ : /grace/);
        await page.locator('button.confirm').click();
        assert.equal(await verdict(service, code), 'ok');
      });
    }
  }
});

test('the sign-in page with a button has no accessibility problem, and fits a narrow phone', async () => {
  const page = await openPage(browser, { bypassCSP: true, viewport: NARROW });
  await enterCode(page, service, (await startCode(service)).userCode);
  assert.equal(await overflowOf(page), 0);
  assert.deepEqual(await violationsInBothSchemes(page), { light: [], dark: [] });
  await page.goto(`${alone.url}/account/sign-in?done=signed-out&provider=sso`);
  assert.deepEqual(await violations(page), []);
  assert.equal(await page.locator('#password').count(), 0);
});

suite('where the provider is the only way', () => {
  test('an authorization request leads straight there, and back to its confirmation', async () => {
    provider.serve(alone.url, 'sso');
    const page = await openPage(browser);
    await page.goto(alone.url + new Program(alone).path());
    assert.equal(new URL(page.url()).origin, provider.issuer);
    await fillProvider(page);
    assert.match(await page.locator('h1').innerText(), /^Let Coder/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    assert.match(await page.locator('main').innerText(), /You are signed out/, 'and is not signed in again at once');
    await page.getByRole('link', { name: 'Sign out of Example Corp too' }).click();
    assert.equal(new URL(page.url()).origin, provider.issuer);
  });

  test('a user code is shown on our own page first, and no password is taken', async () => {
    provider.serve(alone.url, 'sso');
    const code = await startCode(alone);
    const page = await openPage(browser);
    await page.goto(`${alone.url}/account/sign-in?user_code=${code.userCode}`);
    assert.match(await page.locator('main').innerText(), new RegExp(code.userCode));
    const form = { user_name: 'ada', password: 'canary-correct-horse-battery' };
    const token = await page.locator('[name=form_token]').first().getAttribute('value');
    const headers = { origin: alone.url };
    const sent = await page.request.post(`${alone.url}/account/sign-in`, {
      headers,
      form: { ...form, form_token: token ?? '' },
    });
    assert.equal(sent.status(), 403);
    await page.getByRole('button', { name: 'Sign in with Example Corp' }).click();
    await fillProvider(page);
    await page.locator('button.confirm').click();
    assert.equal(await verdict(alone, code), 'ok');
  });
});
