// "The nightly job fails since Tuesday: find out why and fix it", by somebody who has never seen the console: only by what pages say and offer.
// Only in test:all: in a browser
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { makeDevelopmentAuthority } from '../../../src/pki/development-authority.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { refusalCounts } from '../../../src/store/tables/refusal-counts.ts';
import { systemRandom } from '../../../src/system.ts';
import { eventually } from '../../eventually.ts';
import { put } from '../../node.ts';
import { CLIENT, hexOf } from '../../samples.ts';
import { startBrowser } from '../pages/browser.ts';
import type { Visitor } from '../pages/visitor.ts';
import { ConsoleScene, fieldsOf, PEOPLE } from './scene.ts';

const authority = makeDevelopmentAuthority(new Date(), systemRandom);
const { certificate: cert, key } = authority.issueClient('nina');
let scene: ConsoleScene;
let browser: Browser;
let oscar: Visitor;
before(async () => {
  scene = await ConsoleScene.open();
  oscar = await scene.visitor('oscar');
  await fill('/console/issuers/new', {
    object_name: 'corp',
    pem: authority.certificate,
    'identitySources.common-name': 'yes',
    'revocation.crl': 'off',
    'revocation.ocsp': 'off',
  });
  browser = await startBrowser();
  await eventually('the job runs', async () => (await job()) === 'ok');
});
after(async () => {
  await browser?.close();
  await scene?.stop();
});

async function fill(path: string, fields: Record<string, string>): Promise<void> {
  const preview = await oscar.post(path, { ...fieldsOf((await oscar.get(path)).text), ...fields });
  assert.equal((await oscar.post(path, fieldsOf(preview.text))).status, 303, preview.text);
}

async function does(path: string): Promise<void> {
  assert.equal((await oscar.post(path, fieldsOf((await oscar.get(path)).text))).status, 303);
}

/** What the service says to the nightly job: `ok`, or the refusal of its log line. */
function job(): Promise<string> {
  const { hostname, port } = new URL(scene.service.url);
  const body = JSON.stringify({ client_id: CLIENT, scope: 'orders:read' });
  const headers = { 'content-type': 'application/json' };
  const options = { hostname, port, path: '/authsvc/Authorize/Certificate', method: 'POST', headers, cert, key };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, ca: scene.service.authority, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode === 200 ? 'ok' : lastRefusal()));
    });
    sent.on('error', reject).end(body);
  });
}

function lastRefusal(): string {
  return [...scene.service.logged().matchAll(/"reason":"([\w-]+)"/g)].at(-1)?.[1] ?? '';
}

/** As a node writes it within a minute. */
async function counted(reason: string, identityId = PEOPLE.nina.id as string): Promise<void> {
  const now = await scene.store.now();
  const row = { clientId: CLIENT, identityId, reason, count: 3, first: now, last: now, lastRequestId: hexOf(8, 3) };
  await put(scene.store, refusalCounts, { ...row, key: `${reason}-${now}` });
}

/** One person, who clicks and types. */
class Newcomer {
  clicks = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(name: string | RegExp): Promise<void> {
    this.clicks += 1;
    const choice = this.page.locator('main').getByRole('link', { name }).or(this.page.getByRole('button', { name }));
    await choice.first().click();
  }

  async sees(text: RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }
}

const CAUSES: Readonly<
  Record<
    string,
    { most: number; cause: () => Promise<string>; solve: (by: Newcomer) => Promise<void>; isFixable: boolean }
  >
> = {
  'a narrowed scope': {
    most: 5,
    isFixable: true,
    cause: async () => {
      await fill(`/console/integrations/${CLIENT}/change`, { scope: 'stock:read' });
      return 'scope-exceeds-integration';
    },
    solve: async (by) => {
      await by.click(/orders-sync were refused/);
      await by.sees(/orders:read,write;stock:read → stock:read/);
      await by.click('Change…');
      await by.page.getByLabel('Scope', { exact: true }).fill('orders:read,write;stock:read');
      await by.click('Check');
      await by.click('Do it');
    },
  },
  'a disabled identity': {
    most: 4,
    isFixable: true,
    cause: async () => {
      await does(`/console/identities/${encodeURIComponent(PEOPLE.nina.id)}/disable`);
      return 'identity-disabled';
    },
    solve: async (by) => {
      await by.click('nina');
      await by.sees(/identity disabled/);
      await by.click('Enable…');
      await by.click('Enable');
    },
  },
  'a withdrawn issuer': {
    most: 6,
    isFixable: true,
    cause: async () => {
      await does('/console/issuers/corp/remove');
      return 'certificate-issuer-not-approved';
    },
    solve: async (by) => {
      await by.click('See Issuers');
      await by.click(/^CN=Tessera development/);
      await by.sees(/issuer withdrawn/);
      await by.click('Register it again…');
      await by.click('Check');
      await by.click('Do it');
    },
  },
  'a revoked certificate': {
    most: 1,
    isFixable: false,
    cause: async () => 'certificate-revoked',
    solve: async (by) => {
      await by.click(/orders-sync were refused/);
      await by.sees(/certificate-revoked/);
      await by.sees(/Do:/);
    },
  },
  'a reused refresh token': {
    most: 2,
    isFixable: false,
    cause: async () => {
      const { id, identityId, clientId } = await scene.grant(9);
      const at = await scene.store.now();
      await scene.store.change(grants, id, (found) => ({
        outcome: undefined,
        ...(found && { next: { ...found.row, revoked: { at, reason: 'reuse' as const } } }),
        events: [{ type: 'reused', at, clientId, identityId, subjectId: id, detail: { generation: 2 } }] as never,
      }));
      return 'refresh-token-reused';
    },
    solve: async (by) => {
      await by.click('See Grants');
      await by.click(/nina.*018f0909/);
      await by.sees(/reused/);
    },
  },
};

for (const [name, { most, cause, solve, isFixable }] of Object.entries(CAUSES))
  test(`${name} is found and ${isFixable ? 'repaired' : 'explained'} from the first page, with at most ${most} clicks`, async (t) => {
    const reason = await cause();
    if (isFixable) await eventually('the job fails', async () => (await job()) === reason);
    await counted(reason, reason.startsWith('certificate') ? '' : undefined);
    const page = await scene.page(browser, 'olga');
    const began = performance.now();
    const newcomer = new Newcomer(page);
    await page.goto(`${scene.service.url}/console`);
    await newcomer.sees(new RegExp(`orders-sync were refused.*${reason}`));
    await solve(newcomer);
    if (isFixable) await page.getByText('Done. It holds on every node').waitFor();
    const seconds = (performance.now() - began) / 1000;
    t.diagnostic(`${newcomer.clicks} clicks, ${seconds.toFixed(1)} s without reading`);
    assert.ok(newcomer.clicks <= most, `${newcomer.clicks} clicks`);
    if (isFixable) await eventually('the job runs again', async () => (await job()) === 'ok');
    for (const row of await scene.store.page(refusalCounts, { limit: 100 }))
      await scene.store.change(refusalCounts, row.key, () => ({
        outcome: undefined,
        next: { ...row, last: 0 as never },
      }));
    await page.context().close();
  });
