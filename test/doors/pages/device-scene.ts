// A person's browser on the confirmation page of a device authorization.
import { after, afterEach, before } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { enterCode, openPage, signIn, startBrowser } from './browser.ts';
import { type StartedCode, startCode } from './calling-device.ts';
import { type RunningService, startService } from './running-service.ts';

export const heading = (page: Page) => page.locator('h1').innerText();
export const confirm = (page: Page) => page.locator('button.confirm').click();
export const deny = (page: Page) => page.locator('button.deny').click();

/** The service and the browser of a test file. */
export class DeviceScene {
  declare service: RunningService;
  declare browser: Browser;

  constructor() {
    before(async () => {
      this.service = await startService();
      this.browser = await startBrowser();
    });
    after(async () => {
      await this.browser?.close();
      await this.service?.stop();
    });
    afterEach(async () => {
      for (const context of this.browser.contexts()) await context.close();
    });
  }

  /** A signed-in person on the confirmation page. */
  async atRequest(options: BrowserContextOptions = {}): Promise<{ page: Page; code: StartedCode }> {
    const code = await startCode(this.service);
    const page = await openPage(this.browser, options);
    await signIn(page, this.service);
    await enterCode(page, this.service, code.userCode);
    return { page, code };
  }
}
