// Every page, or those named: on a desktop and a phone, light and dark.
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { DESKTOP, openPage, PHONE, startBrowser } from '../../test/doors/pages/browser.ts';
import { EVERY_PAGE } from '../../test/doors/pages/every-page.ts';
import { startService } from '../../test/doors/pages/running-service.ts';

export const OUT = 'out/pictures';
const LOCALE = process.env['LOCALE'] ?? 'en';

export async function drawPages(...wanted: string[]): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const service = await startService({ sets: ['signIn.failedPerIdentity=1000', 'device.wrongUserCodes=100'] });
  const browser = await startBrowser();
  for (const [name, open] of Object.entries(EVERY_PAGE)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const page = await openPage(browser, { locale: LOCALE });
    await open(page, service);
    await drawPage(page, name);
    await page.context().close();
  }
  await browser.close();
  await service.stop();
}

export async function drawPage(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${OUT}/${name}-${size}-${colorScheme}.png`, fullPage: true });
    }
  }
}
