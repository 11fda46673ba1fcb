// How to open every page: for the accessibility check and for screenshots.
import type { Page } from 'playwright-core';
import { removePasskey } from '../../../src/operations/admin/identities.ts';
import { OPERATOR } from '../../samples.ts';
import { enterCode, fillSignIn, signIn } from './browser.ts';
import { poll, startCode } from './calling-device.ts';
import { ADA, type RunningService } from './running-service.ts';
import { addAuthenticator } from './virtual-authenticator.ts';

type OpenPage = (page: Page, service: RunningService) => Promise<unknown>;

const request: OpenPage = async (page, service) => {
  await signIn(page, service);
  await enterCode(page, service, (await startCode(service)).userCode);
};

const account: OpenPage = async (page, service) => {
  const code = await startCode(service);
  await signIn(page, service);
  await enterCode(page, service, code.userCode);
  await page.locator('.confirm').click();
  await poll(service, code);
  await page.goto(`${service.url}/account`);
};

export const EVERY_PAGE: Readonly<Record<string, OpenPage>> = {
  home: (page, { url }) => page.goto(url),
  code: (page, { url }) => page.goto(`${url}/device`),
  compare: async (page, service) => page.goto((await startCode(service)).complete),
  'code-wrong': async (page, service) => {
    await signIn(page, service);
    await enterCode(page, service, 'WDJB-MJHT');
  },
  'sign-in': async (page, service) => enterCode(page, service, (await startCode(service)).userCode),
  'sign-in-failed': async (page, { url }) => {
    await page.goto(`${url}/account/sign-in`);
    await fillSignIn(page, 'grace', 'wrong');
  },
  request,
  'not-allowed': async (page, service) => {
    await signIn(page, service, 'cyd');
    await enterCode(page, service, (await startCode(service)).userCode);
  },
  confirmed: async (page, service) => {
    await request(page, service);
    await page.locator('.confirm').click();
  },
  denied: async (page, service) => {
    await request(page, service);
    await page.locator('.deny').click();
  },
  qr: async (page, service) => {
    const { userCode } = await startCode(service);
    await page.goto(`${service.url}/device/qr?user_code=${userCode}`);
  },
  account,
  'account-details': async (page, service) => {
    await account(page, service);
    await page.locator('.grant summary').first().click();
  },
  'account-revoke': async (page, service) => {
    await account(page, service);
    await page.locator('.grant .revoke summary').first().click();
  },
  'account-empty': async (page, service) => {
    await signIn(page, service, 'bob');
    await page.goto(`${service.url}/account`);
  },
  'signed-out': async (page, service) => {
    await signIn(page, service, 'bob');
    await page.goto(`${service.url}/device`);
    await page.locator('header button').click();
  },
  password: async (page, service) => {
    await signIn(page, service);
    await page.goto(`${service.url}/account/password`);
  },
  passkeys: async (page, service) => {
    await addAuthenticator(page);
    await signIn(page, service);
    await page.goto(`${service.url}/account/passkeys`);
    const add = page.getByRole('button', { name: 'Add a passkey' });
    if ((await page.locator('.key-name').count()) === 0) {
      await add.click();
      await page.getByText('The passkey was added.').waitFor();
    }
    await add.waitFor();
  },
  'passkeys-rename': async (page, service) => {
    await removePasskey(ADA.id, { all: true }, { store: service.store, by: OPERATOR });
    await EVERY_PAGE['passkeys']?.(page, service);
    await page.getByText('The passkey was added.').waitFor();
    await page.locator('header button').click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor();
    await page.goto(`${service.url}/account/passkeys`);
    await page.locator('.cards summary').first().click();
  },
  'passkeys-again': async (page, service) => {
    await signIn(page, service);
    service.advance(601);
    await page.goto(`${service.url}/account/passkeys`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  },
  'passkey-failed': async (page, { url }) => {
    await page.goto(`${url}/account/sign-in`);
    await addAuthenticator(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
  },
  docs: (page, { url }) => page.goto(`${url}/docs`),
  'docs-errors': (page, { url }) => page.goto(`${url}/docs/errors`),
  reference: (page, { url }) => page.goto(`${url}/docs/api`),
  'not-found': (page, { url }) => page.goto(`${url}/nothing`),
};
