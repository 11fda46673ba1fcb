// "The nightly job fails since Tuesday: find out why and fix it", by somebody who has never seen the console: only by what pages say and offer.
// Every refusal is one that the service gave to the job.
// Only in test:all: in a browser
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { DEFAULT_SETTINGS } from '../../../src/core/settings.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { type Issued, makeAuthority } from '../../authority.ts';
import { eventually } from '../../eventually.ts';
import { put } from '../../node.ts';
import { CLIENT } from '../../samples.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { startBrowser } from '../pages/browser.ts';
import { ConsoleScene, fieldsOf, PEOPLE } from './scene.ts';

const authority = makeAuthority({ name: 'Corp CA' });
const list = join(temporaryFolder('newcomer'), 'corp.crl');
let certificate = authority.issue({ commonName: 'nina' });
let scene: ConsoleScene;
let browser: Browser;
before(async () => {
  writeFileSync(list, authority.crl());
  scene = await ConsoleScene.open();
  await put(scene.store, issuers, {
    ...{ label: 'corp', certificate: authority.certificate, intermediates: [], identitySources: ['common-name'] },
    ...{ identities: 'directory', profile: 'rfc5280', enabled: true },
    revocation: { crl: 'required', ocsp: 'off', crlFiles: [list], endGrants: true },
  });
  browser = await startBrowser();
  await eventually('the job runs', async () => (await job()).reason === 'ok');
});
after(async () => {
  await browser?.close();
  await scene?.stop();
});

/** What another operator does, in the console as well. */
async function does(path: string, fields?: Record<string, string>): Promise<void> {
  const oscar = await scene.visitor('oscar');
  let form = fieldsOf((await oscar.get(path)).text);
  if (fields) form = fieldsOf((await oscar.post(path, { ...form, ...fields })).text);
  const { status, text } = await oscar.post(path, form);
  assert.equal(status, 303, text);
}

/** `reason`: `ok`, or why it was refused, as the log of the service says. */
interface Said {
  readonly reason: string;
  readonly refreshToken: string;
}

async function send(path: string, body: object, { pem, key }: Partial<Issued> = {}): Promise<Said> {
  const { hostname, port } = new URL(scene.service.url);
  const options = { hostname, port, path: `/authsvc/Authorize/${path}`, method: 'POST', agent: false };
  const headers = { 'content-type': 'application/json' };
  const tls = { ca: scene.service.authority, ...(pem && key && { cert: pem, key }) };
  const sent = request({ ...options, headers, ...tls });
  sent.end(JSON.stringify({ client_id: CLIENT, ...body }));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const said = await json(answer);
  return answer.statusCode === 200
    ? { reason: 'ok', refreshToken: String((said as Record<string, unknown>)['refresh_token']) }
    : { reason: lastRefusal(), refreshToken: '' };
}

/** The nightly job. */
function job(by = certificate): Promise<Said> {
  return send('Certificate', { scope: 'orders:read' }, by);
}

function refresh(refreshToken: string): Promise<Said> {
  return send('Token', { refresh_token: refreshToken });
}

function lastRefusal(): string {
  return [...scene.service.logged().matchAll(/"reason":"([\w-]+)"/g)].at(-1)?.[1] ?? '';
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

interface Cause {
  readonly most: number;
  /** What happened on Tuesday, and why the job is refused since. */
  readonly happens: () => Promise<void>;
  readonly reason: string;
  readonly fails?: () => Promise<Said>;
  readonly solve: (by: Newcomer) => Promise<void>;
}

let stolen = '';
const DONE = /Done\. It holds on every node/;

const CAUSES: Readonly<Record<string, Cause>> = {
  'a narrowed scope': {
    most: 4,
    happens: () => does(`/console/integrations/${CLIENT}/change`, { scope: 'stock:read' }),
    reason: 'scope-exceeds-integration',
    solve: async (by) => {
      await by.click(/orders-sync were refused/);
      await by.sees(/orders:read,write;stock:read → stock:read/);
      await by.click('Change…');
      await by.page.getByLabel('Scope', { exact: true }).fill('orders:read,write;stock:read');
      await by.click('Check');
      await by.sees(/stock:read\s*orders:read,write;stock:read/);
      await by.click('Do it');
      await by.sees(DONE);
    },
  },
  'a disabled identity': {
    most: 3,
    happens: () => does(`/console/identities/${encodeURIComponent(PEOPLE.nina.id)}/disable`),
    reason: 'identity-disabled',
    solve: async (by) => {
      await by.click('nina');
      await by.sees(/identity disabled/);
      await by.click('Enable…');
      await by.click('Enable');
      await by.sees(DONE);
    },
  },
  'a withdrawn issuer': {
    most: 5,
    happens: () => does('/console/issuers/corp/remove'),
    reason: 'certificate-issuer-not-approved',
    solve: async (by) => {
      await by.click('See Issuers');
      await by.click(/^CN=Corp CA/);
      await by.sees(/issuer withdrawn/);
      await by.click('Register it again…');
      await by.click('Check');
      await by.click('Do it');
      await by.sees(DONE);
    },
  },
  /** Whoever runs the job needs another certificate; the console says so, and tries the new one. */
  'a revoked certificate': {
    most: 2,
    happens: async () => writeFileSync(list, authority.crl({ number: 2, revoked: [certificate.serial] })),
    reason: 'certificate-revoked',
    solve: async (by) => {
      await by.sees(/certificate-revoked.*Do:/s);
      await by.click('See Explain');
      certificate = authority.issue({ commonName: 'nina' });
      await by.page.getByLabel(/certificate in PEM/).fill(certificate.pem);
      await by.press('Explain');
      await by.sees(/It would be accepted/);
    },
  },
  /** Whoever had a copy of the token is shut out, and so is the job, until it calls with its certificate again. */
  'a reused refresh token': {
    most: 2,
    happens: async () => {
      const { refreshToken: first } = await job();
      const { refreshToken: second } = await refresh(first);
      stolen = first;
      assert.equal((await refresh(second)).reason, 'ok');
      scene.service.advance(DEFAULT_SETTINGS.refreshRetryWindow + 1);
    },
    fails: () => refresh(stolen),
    reason: 'refresh-token-reused',
    solve: async (by) => {
      await by.sees(/refresh-token-reused.*Do:/s);
      await by.click('See Events');
      await by.click(/^[0-9a-f]{8}…$/);
      await by.sees(/What happened.*reused.*ended: yes/s);
    },
  },
};

for (const [name, { most, happens, fails = job, reason, solve }] of Object.entries(CAUSES))
  test(`${name} is found and repaired from the first page, with at most ${most} clicks`, async (t) => {
    await happens();
    await eventually(`the job is refused: ${reason}`, async () => (await fails()).reason === reason);
    await scene.service.restart(); // writes what was refused, as every minute does
    const page = await scene.page(browser, 'olga');
    page.setDefaultTimeout(10_000);
    const newcomer = new Newcomer(page);
    const began = performance.now();
    try {
      await page.goto(`${scene.service.url}/console`);
      await newcomer.sees(new RegExp(`orders-sync were refused.*${reason}`));
      await solve(newcomer);
    } catch (error) {
      throw new Error(`lost on the page: ${await page.locator('main').innerText()}`, { cause: error });
    }
    t.diagnostic(`${newcomer.clicks} clicks, ${((performance.now() - began) / 1000).toFixed(1)} s without reading`);
    assert.ok(newcomer.clicks <= most, `${newcomer.clicks} clicks`);
    await eventually('the job runs again', async () => (await job()).reason === 'ok');
    await page.context().close();
    scene.service.advance(1200); // what was refused then is no longer refused now
  });
