// Every page of the console, or those named, as PNG in out/pictures; the overview also becomes the picture of the docs.
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { CONSOLE_PAGES, ConsoleScene, LIVING } from '../../test/doors/console/scene.ts';
import { startBrowser } from '../../test/doors/pages/browser.ts';
import { drawPage, OUT } from './pages.ts';

export async function drawConsole(...wanted: string[]): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const scene = await ConsoleScene.open();
  await scene.furnish();
  for (const index of [1, 2, 3, 4]) await scene.grant(index);
  await Promise.all(Array.from({ length: LIVING - 4 }, (_, index) => scene.grant(5 + index, 'shaun')));
  await scene.service.restart(); // counts them
  const browser = await startBrowser();
  for (const [name, path] of Object.entries(CONSOLE_PAGES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const page = await scene.page(browser, 'olga');
    await page.goto(`${scene.service.url}/console${path}`);
    await drawPage(page, `console-${name}`);
    if (name === 'overview') await drawForDocs(page);
    await page.context().close();
  }
  await browser.close();
  await scene.stop();
}

/** What is in view first. */
async function drawForDocs(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 1320 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.screenshot({ path: 'docs/images/console.png' });
}
