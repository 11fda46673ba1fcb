// "The nightly job fails since Tuesday: find out why and fix it", by somebody who has never seen the console: only by what pages say and offer.
// Only in test:all: in a browser
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { eventually } from '../../eventually.ts';
import { startBrowser } from '../pages/browser.ts';
import { CAUSES, NightlyJob } from './nightly-job.ts';

let job: NightlyJob;
let browser: Browser;
before(async () => {
  job = await NightlyJob.open();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await job?.scene.stop();
});

/** One person, who clicks and types. */
class Newcomer {
  clicks = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(name: string | RegExp): Promise<void> {
    this.clicks += 1;
    const main = this.page.locator('main');
    const choice = main.getByRole('link', { name }).or(main.getByRole('button', { name }));
    await choice.first().click();
  }

  async press(name: string): Promise<void> {
    this.clicks += 1;
    await this.page.getByRole('button', { name }).click();
  }

  async sees(text: RegExp): Promise<void> {
    await this.page.locator('main').filter({ hasText: text }).waitFor();
  }
}

interface Way {
  readonly most: number;
  readonly solve: (by: Newcomer) => Promise<void>;
}

const DONE = /Done\. It holds on every node/;

const WAYS: Readonly<Record<keyof typeof CAUSES, Way>> = {
  'a narrowed scope': {
    most: 3,
    solve: async (by) => {
      await by.sees(/orders:read,write;stock:read → stock:read · oscar/);
      await by.sees(/Asked for: orders:read · Allowed: stock:read/);
      await by.click('Put back the former scope of orders-sync…');
      await by.sees(/Filled in as it was before: Scope/);
      await by.click('Check');
      await by.sees(/stock:read\s*orders:read,write;stock:read/);
      await by.click('Change');
      await by.sees(DONE);
    },
  },
  'a disabled identity': {
    most: 2,
    solve: async (by) => {
      await by.sees(/identity disabled nina · oscar/);
      await by.click('Enable nina…');
      await by.click('Enable');
      await by.sees(DONE);
      await by.sees(/Not refused since: identity enabled nina · olga/);
    },
  },
  'a withdrawn issuer': {
    most: 3,
    solve: async (by) => {
      await by.sees(/issuer removed corp · oscar by passkey · .*First make sure that it was not ended on purpose/);
      await by.click('Register corp again…');
      await by.click('Check');
      await by.click('Register again');
      await by.sees(DONE);
    },
  },
  'a revoked certificate': {
    most: 1,
    solve: async (by) => {
      await by.sees(
        /certificate-revoked.*Certificate: CN=nina · serial number [0-9a-f]+ · corp.*The caller: Get a new certificate/s,
      );
      await by.click(Buffer.from(job.certificate.serial).toString('hex'));
      await by.sees(/nina.*revoked.*certificate-revoked/s);
      job.renewCertificate();
    },
  },
  'a reused refresh token': {
    most: 2,
    solve: async (by) => {
      await by.sees(/refresh-token-reused.*The caller: Get a new grant/s);
      await by.click('See Events');
      await by.click(/^Grant [0-9a-f]{12}…$/);
      await by.sees(/What happened.*reused.*ended: yes/s);
      job.startAnew();
    },
  },
};

test('a revoked certificate is not repaired by switching off the check, but by another certificate', async () => {
  await job.failBy(CAUSES['a revoked certificate']);
  const { store, service } = job.scene;
  const setCheck = (crl: 'off' | 'required') =>
    store.change(issuers, 'corp', (found) => ({
      outcome: undefined,
      ...(found && { next: { ...found.row, revocation: { ...found.row.revocation, crl } } }),
    }));
  await setCheck('off');
  await job.runsAgain();
  assert.equal(await job.isRepaired(), false);
  await setCheck('required');
  job.renewCertificate();
  await eventually('the job is repaired', () => job.isRepaired());
  service.advance(90_000);
});

for (const [name, { most, solve }] of Object.entries(WAYS) as [keyof typeof CAUSES, Way][])
  test(`${name} is found and repaired from the first page, with at most ${most} clicks`, async (t) => {
    const { scene } = job;
    await job.failBy(CAUSES[name]);
    const page = await scene.page(browser, 'olga');
    page.setDefaultTimeout(10_000);
    const newcomer = new Newcomer(page);
    const began = performance.now();
    try {
      await page.goto(`${scene.service.url}/console`);
      await newcomer.sees(new RegExp(`orders-sync were refused.*${CAUSES[name].reason}`));
      await solve(newcomer);
    } catch (error) {
      throw new Error(`lost on the page: ${await page.locator('main').innerText()}`, { cause: error });
    }
    t.diagnostic(`${newcomer.clicks} clicks, ${((performance.now() - began) / 1000).toFixed(1)} s without reading`);
    assert.ok(newcomer.clicks <= most, `${newcomer.clicks} clicks`);
    await eventually('the job is repaired', () => job.isRepaired());
    await page.context().close();
    scene.service.advance(1200); // what was refused then is no longer refused now
  });
