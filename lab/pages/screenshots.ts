// Pictures of every page, desktop and phone, light and dark, into out/screenshots:
//   npm run screenshots [-- name …]
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { DESKTOP, enterCode, openContext, PHONE, signIn, startBrowser } from '../../test/pages/browser.ts';
import { poll, startCode } from '../../test/pages/calling-device.ts';
import { type RunningService, startService } from '../../test/pages/running-service.ts';

type Picture = (page: Page, service: RunningService) => Promise<void>;

const PICTURES: Readonly<Record<string, Picture>> = {
  code: async (page, { url }) => void (await page.goto(`${url}/device`)),
  compare: async (page, service) => void (await page.goto((await startCode(service)).complete)),
  'code-wrong': async (page, service) => {
    await signIn(page, service);
    await enterCode(page, service, 'WDJB-MJHT');
  },
  'sign-in': async (page, service) => {
    await enterCode(page, service, (await startCode(service)).userCode);
  },
  'sign-in-failed': async (page, { url }) => {
    await page.goto(`${url}/account/sign-in`);
    await page.locator('#user_name').fill('grace');
    await page.locator('#password').fill('wrong');
    await page.locator('main button').click();
  },
  request: async (page, service) => {
    await signIn(page, service);
    await enterCode(page, service, (await startCode(service)).userCode);
  },
  'not-allowed': async (page, service) => {
    await signIn(page, service, 'cyd');
    await enterCode(page, service, (await startCode(service)).userCode);
  },
  confirmed: async (page, service) => {
    await PICTURES['request']?.(page, service);
    await page.locator('.confirm').click();
  },
  denied: async (page, service) => {
    await PICTURES['request']?.(page, service);
    await page.locator('.deny').click();
  },
  qr: async (page, service) => {
    const { userCode } = await startCode(service);
    await page.goto(`${service.url}/device/qr?user_code=${userCode}`);
  },
  account: async (page, service) => {
    const code = await startCode(service);
    await signIn(page, service);
    await enterCode(page, service, code.userCode);
    await page.locator('.confirm').click();
    await poll(service, code);
    await page.goto(`${service.url}/account`);
  },
  'account-revoke': async (page, service) => {
    await PICTURES['account']?.(page, service);
    await page.locator('.grant summary').first().click();
  },
  'account-empty': async (page, service) => {
    await signIn(page, service, 'bob');
    await page.goto(`${service.url}/account`);
  },
  password: async (page, service) => {
    await signIn(page, service);
    await page.goto(`${service.url}/account/password`);
  },
  'not-found': async (page, { url }) => void (await page.goto(`${url}/account/nothing`)),
};

const OUT = 'out/screenshots';

async function take(name: string, picture: Picture, browser: Browser, service: RunningService): Promise<void> {
  for (const [size, viewport] of [['desktop', DESKTOP] as const, ['phone', PHONE] as const]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await openContext(browser, {
        viewport,
        colorScheme,
        locale: process.env['LANGUAGE_TAG'] ?? 'en',
      });
      const page = await context.newPage();
      await picture(page, service);
      await page.screenshot({ path: `${OUT}/${name}-${size}-${colorScheme}.png`, fullPage: true });
      await context.close();
    }
  }
}

mkdirSync(OUT, { recursive: true });
const wanted = process.argv.slice(2);
const service = await startService({
  sets: ['signIn.failedPerIdentity=1000', 'signIn.failedPerAddress=1000', 'device.wrongUserCodes=100'],
});
const browser = await startBrowser();
try {
  for (const [name, picture] of Object.entries(PICTURES)) {
    if (wanted.length === 0 || wanted.includes(name)) await take(name, picture, browser, service);
  }
} finally {
  await browser.close();
  await service.stop();
}
