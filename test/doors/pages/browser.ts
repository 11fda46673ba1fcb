// A real Chromium, Debian's, without the parts that draw windows: a page costs a quarter of the processor time. One is
// started per test file; every test gets a context of its own.
// Needs: chromium-headless-shell
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { PASSWORD, type RunningService } from './running-service.ts';
import { SESSION_COOKIE, signedIn } from './visitor.ts';

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

/** Tests of pages never skip: without a browser they fail, and say how to get one. */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(EXECUTABLE)) {
    throw new Error(
      `no Chromium at ${EXECUTABLE}. Do: apt-get install --no-install-recommends chromium-headless-shell`,
    );
  }
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** WCAG 2.2, 1.4.10: nothing scrolls sideways at this width. */
export const NARROW = { width: 320, height: 568 };

/** A fresh browser context with its own cookies. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const own = { ignoreHTTPSErrors: true, locale: 'en-GB', viewport: DESKTOP, ...options };
  const context = await browser.newContext(own);
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/** Gives the browser a session without the sign-in form, which has its own tests. */
export async function signIn(page: Page, service: RunningService, userName = 'ada'): Promise<void> {
  const { cookies } = await signedIn(service, userName);
  const value = cookies.get(SESSION_COOKIE) ?? '';
  const { url } = service;
  await page
    .context()
    .addCookies([{ name: SESSION_COOKIE, value, url, httpOnly: true, secure: true, sameSite: 'Lax' }]);
}

export async function fillSignIn(page: Page, userName = 'ada', password = PASSWORD): Promise<void> {
  await page.locator('#user_name').fill(userName);
  await page.locator('#password').fill(password);
  await page.locator('main button:not([type=button])').click();
}

/** Types the code; a signed-in person gets to the confirmation page. */
export async function enterCode(page: Page, service: RunningService, code: string): Promise<void> {
  await page.goto(`${service.url}/device`);
  await page.locator('#user_code').fill(code);
  await page.locator('main button').click();
}

/** A computed style of the element. */
export function styleOf(element: Locator, name: string): Promise<string> {
  return element.evaluate((e, wanted) => e.ownerDocument.defaultView.getComputedStyle(e)[wanted], name);
}

/** By how many pixels the page as a whole scrolls sideways. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth');
}

/** Which of the elements are partly outside the screen, or behind something else. */
export function notInView(elements: Locator): Promise<string[]> {
  return elements.evaluateAll((all) => {
    const isInView = (element: (typeof all)[number]) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const edges = [
        [x, top + 2],
        [x, bottom - 2],
        [left + 2, y],
        [right - 2, y],
      ];
      return edges.every((edge) => element.contains(element.ownerDocument.elementFromPoint(...edge)));
    };
    return all.filter((element) => !isInView(element)).map((element) => element.outerHTML.slice(0, 80));
  });
}

const axeSource = () => readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Rules of axe whose results depend on colours: the others judge a page once, whatever its colour scheme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe objects to: by all its rules, or by those. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A page that is still being replaced by the next has no document to look at.
  await page.waitForLoadState('load');
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource());
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations: found } = await axe.run({
      resultTypes: ['violations'],
      ...(only && { runOnly: [...only] }),
    });
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, rules);
}

/** What axe objects to in light and in dark, which the page stays. */
export async function violationsInBothSchemes(page: Page): Promise<Readonly<Record<'light' | 'dark', string[]>>> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  return { light, dark: await violations(page, OF_COLOURS) };
}
