// No page scrolls sideways, whatever its texts are and however wide the screen is (WCAG 2.2, 1.4.10).
// Only in test:all: every page in a browser
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { makeAuthority } from '../../authority.ts';
import { Program } from '../pages/asking-program.ts';
import { enterCode, fillSignIn, overflowOf, startBrowser } from '../pages/browser.ts';
import { startCode } from '../pages/calling-device.ts';
import { AWKWARD, furnishAwkwardly, ISSUER_LABEL, LONG_ID, LONG_URL, TOKEN_ISSUER_LABEL, WIDE } from './awkward.ts';
import { CONSOLE_PAGES, ConsoleScene, PEOPLE } from './scene.ts';

const WIDTHS = [320, 360, 480, 600, 768, 1024, 1280];

let scene: ConsoleScene;
let browser: Browser;
before(async () => {
  scene = await ConsoleScene.open();
  await furnishAwkwardly(scene);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await scene?.stop();
});

/** Boxes that scroll sideways by themselves, and that a keyboard does not reach or a screen reader does not name. */
const UNREACHABLE = `[...document.querySelectorAll('main *')].filter((e) => {
  const scrolls = e.scrollWidth > e.clientWidth && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && !e.matches('input, textarea, select');
  const isNamed = e.tabIndex === 0 && e.matches('[role=region], [role=group]') && (e.ariaLabel || e.hasAttribute('aria-labelledby'));
  return scrolls && !isNamed && !e.querySelector('a, button, input');
}).map((e) => e.outerHTML.slice(0, 80))`;

async function assertFits(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok((await overflowOf(page)) <= 0, `scrolls sideways at ${width} px`);
    assert.deepEqual(await page.evaluate(UNREACHABLE), [], `${width} px`);
  }
  const titles = await page.locator('thead th').allTextContents();
  assert.ok(
    titles.every((title) => title.trim() !== ''),
    `a column without a title: ${titles.join()}`,
  );
}

const id = encodeURIComponent(LONG_ID);
const NINA = encodeURIComponent(PEOPLE.nina.id);

const AWKWARD_PAGES = [
  '?refusals=all',
  `/grants?identity=${NINA}&all=yes`,
  `/grants?integration=${id}&address=${'f'.repeat(100)}`,
  `/grants/end?integration=${id}`,
  `/integrations/${id}`,
  `/integrations/${id}/change`,
  `/integrations/${id}/disable`,
  `/integrations/${id}/key-remove?key=${WIDE}`,
  `/integrations/${id}/secret-make`,
  `/issuers/${ISSUER_LABEL}`,
  `/token-issuers/${TOKEN_ISSUER_LABEL}`,
  `/token-issuers/${TOKEN_ISSUER_LABEL}/change`,
  `/resource-servers/${id}`,
  `/resource-servers/${id}/change`,
  `/identities/${NINA}/change`,
  `/identities/${NINA}/password`,
  `/integrations/${WIDE}`,
  `/requests/${'ab'.repeat(32)}`,
  `/events?about=${id}&by=${NINA}`,
];

suite('the console, whatever the names of things, with passkeys and every refusal', () => {
  let page: Page;
  before(async () => {
    page = await scene.page(browser, 'olga');
  });
  after(() => page?.context().close());

  const open = (path: string) => page.goto(`${scene.service.url}/console${path}`);
  const fill = async (path: string, fields: Readonly<Record<string, string>>) => {
    await open(path);
    for (const [name, value] of Object.entries(fields)) await page.locator(`main [name="${name}"]`).last().fill(value);
    await page.locator('main form:not(.search) button').last().click();
  };

  for (const path of [...Object.values(CONSOLE_PAGES), ...AWKWARD_PAGES])
    test(`${path || '/'} fits every width, each column has a title, and what scrolls by itself is reached by keyboard`, async () => {
      await open(path);
      await assertFits(page);
    });

  const { pem } = makeAuthority({ name: WIDE }).issue({ commonName: WIDE, emails: [`${WIDE}@${WIDE}`] });
  const ANSWERS: Readonly<Record<string, () => Promise<unknown>>> = {
    'a refused change': () => fill(`/integrations/${id}/change`, { scope: WIDE.repeat(4) }),
    'a preview': () =>
      fill(`/integrations/${id}/change`, { description: WIDE.repeat(4), scope: `${'w'.repeat(99)}:read` }),
    'a refused new integration': () => fill('/integrations/new', { object_name: 'é'.repeat(100), scope: WIDE }),
    'a refused new issuer': () => fill('/issuers/new', { object_name: WIDE.repeat(3), pem: WIDE.repeat(9) }),
    'a refused key': () => fill(`/integrations/${id}/key-add`, { file: WIDE.repeat(9) }),
    'a refused import': () => fill('/integrations/import', { integrations: JSON.stringify([{ [WIDE]: WIDE }]) }),
    'an invitation, shown once': () => fill(`/identities/${NINA}/passkey-invite`, {}),
    'an explained certificate': () => fill('/explain', { text: pem }),
    'what cannot be explained': () => fill('/explain', { text: WIDE.repeat(20) }),
    'a search that finds much': async () => {
      await open('');
      await page.locator('[name=q]').fill('w');
      await page.locator('.search button').click();
    },
    'a search that finds nothing': async () => {
      await open('');
      await page.locator('[name=q]').fill('Q'.repeat(60));
      await page.locator('.search button').click();
    },
  };
  for (const [name, act] of Object.entries(ANSWERS))
    test(`${name} fits every width`, async () => {
      await act();
      await assertFits(page);
    });
});

suite('the pages of a person, whatever the names of programs and people', () => {
  const url = (path: string) => scene.service.url + path;
  const atDevice = async (page: Page) => {
    const { userCode } = await startCode(scene.service, AWKWARD.scope.text, AWKWARD);
    await enterCode(page, scene.service, userCode);
  };
  const asked = (scope: string) => url(new Program(scene.service, LONG_URL, LONG_ID).path({ scope }));
  const every = AWKWARD.scope.text.replaceAll(';', ' ');
  const PAGES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    account: (page) => page.goto(url('/account')),
    passkeys: (page) => page.goto(url('/account/passkeys')),
    password: (page) => page.goto(url('/account/password')),
    'a request': atDevice,
    'a request that was denied': async (page) => {
      await atDevice(page);
      await page.locator('.deny').click();
    },
    'what a program asks for': (page) => page.goto(asked(every)),
    'a program that asks for nonsense': (page) => page.goto(url(`/oauth2/authorize?client_id=${WIDE}&redirect_uri=x`)),
    'no page': (page) => page.goto(url(`/${WIDE.repeat(9)}`)),
  };
  const STRANGERS: typeof PAGES = {
    'sign-in for a program': (page) => page.goto(asked(every)),
    'a refused sign-in': async (page) => {
      await page.goto(url('/account/sign-in'));
      await fillSignIn(page, WIDE.repeat(2), WIDE.repeat(2));
    },
    'a refused code': (page) => enterCode(page, scene.service, 'W'.repeat(40)),
  };
  for (const [pages, isSignedIn] of [
    [PAGES, true],
    [STRANGERS, false],
  ] as const)
    for (const [name, show] of Object.entries(pages))
      for (const locale of ['en', 'de'])
        test(`${name} fits every width: ${locale}`, async () => {
          const page = await scene.page(browser, 'nina', { locale });
          if (!isSignedIn) await page.context().clearCookies();
          await show(page);
          for (const folded of await page.locator('main summary').all()) await folded.click();
          await assertFits(page);
          await page.context().close();
        });
});
