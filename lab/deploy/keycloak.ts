// Sign-in at a real Keycloak, in a real browser, with the settings of docs/directories.md. Needs Java 17, Chromium and the network.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { ClientId } from '../../src/core/integration.ts';
import { rows } from '../../src/store/pages.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { sessions } from '../../src/store/tables/sessions.ts';
import { sha256 } from '../../src/tokens/sha256.ts';
import { makeAuthority } from '../../test/authority.ts';
import { ADDRESS } from '../../test/directory/oidc/provider.ts';
import { enterCode, openPage, startBrowser } from '../../test/doors/pages/browser.ts';
import { poll, post, startCode } from '../../test/doors/pages/calling-device.ts';
import { ORDERS, type RunningService, startService } from '../../test/doors/pages/running-service.ts';
import { SESSION_COOKIE, Visitor } from '../../test/doors/pages/visitor.ts';
import { SERVER_AUTH } from '../../test/e2e/service.ts';
import { freePort } from '../../test/free-port.ts';
import { anIntegration, scopeOf } from '../../test/samples.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { installedKeycloak, startKeycloak } from '../peers/keycloak.ts';
import { output } from '../peers/program.ts';
import {
  ADMIN,
  type Admin,
  adminOf,
  CLIENT_SECRET,
  oneTimePassword,
  passwordOf,
  REALM,
  realmFor,
  requireSecondFactor,
} from './keycloak-realm.ts';

const DAY = 86_400;
const OPS = anIntegration({
  clientId: 'ops-tool' as ClientId,
  name: 'Ops tool',
  scope: scopeOf('orders:read,delete;stock:read'),
  access: { to: 'named', identities: [], groups: ['corp/ops'] },
});

interface Scene {
  readonly service: RunningService;
  readonly browser: Browser;
  readonly issuer: string;
  readonly admin: Admin;
}

export async function withKeycloak(): Promise<void> {
  const hasJava = await output(['java', '-version'], '.').then(
    () => true,
    () => false,
  );
  if (!hasJava) return console.log('SKIPPED: Keycloak needs Java 17 (apt-get install openjdk-17-jre-headless)');
  const folder = temporaryFolder('keycloak-lab');
  const port = await freePort();
  const issuer = `https://127.0.0.1:${port}/realms/${REALM}`;
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const authority = makeAuthority();
  const { pem, key } = authority.issue({ commonName: 'keycloak', alternativeNames: [ADDRESS], usages: [SERVER_AUTH] });
  const directory = {
    ...{ label: 'corp', kind: 'oidc', name: 'Example Corp', issuer, clientId: 'tessera' },
    clientSecret: file('secret', CLIENT_SECRET),
    authorities: file('ca.pem', authority.pem),
    addresses: ['127.0.0.1'],
    claims: { userName: 'preferred_username', groups: 'groups' },
    strong: { claim: 'acr', values: ['2'] },
  };
  const sets = [`directories=${JSON.stringify([directory])}`];
  const service = await startService({ sets, integrations: [ORDERS, OPS] });
  const keycloak = await startKeycloak(await installedKeycloak(), folder, realmFor(service.url), {
    KC_HOSTNAME: `https://127.0.0.1:${port}`,
    KC_HTTPS_PORT: String(port),
    KC_HTTPS_CERTIFICATE_FILE: file('keycloak.crt', pem),
    KC_HTTPS_CERTIFICATE_KEY_FILE: file('keycloak.key', key),
    KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
    KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
  });
  const browser = await startBrowser();
  try {
    const scene = { service, browser, issuer, admin: await adminOf(keycloak.port) };
    for (const [claim, prove] of CLAIMS) {
      await prove(scene);
      for (const context of browser.contexts()) await context.close();
      console.log(`ok  ${claim}`);
    }
  } finally {
    await browser.close();
    await service.stop();
    await keycloak.stop();
  }
}

async function begin({ service, issuer }: Scene, page: Page): Promise<void> {
  await page.goto(`${service.url}/account/sign-in`);
  await page.getByRole('button', { name: 'Sign in with Example Corp' }).click();
  await page.waitForURL((url) => url.href.startsWith(issuer) || url.pathname === '/account');
}

async function fillIn(page: Page, name: string, password = passwordOf(name)): Promise<void> {
  await page.locator('#password').waitFor();
  const userName = page.locator('#username');
  if (await userName.isVisible()) await userName.fill(name);
  await page.locator('#password').fill(password);
  await page.locator('#kc-login').click();
}

const atAccount = ({ service }: Scene, page: Page) => page.waitForURL(`${service.url}/account`);

async function signIn(scene: Scene, name: string, page?: Page): Promise<Page> {
  const own = page ?? (await openPage(scene.browser));
  await begin(scene, own);
  await fillIn(own, name);
  await atAccount(scene, own);
  return own;
}

/** As the page of an act that needs a fresh proof asks for it. */
async function signInAgain({ service }: Scene, page: Page): Promise<void> {
  const visitor = new Visitor(service);
  for (const { name, value } of await page.context().cookies(service.url)) visitor.cookies.set(name, value);
  await visitor.get('/account');
  const { headers } = await visitor.post('/account/provider/corp');
  const cookies = [...visitor.cookies].map(([name, value]) => ({ name, value, url: service.url, secure: true }));
  await page.context().addCookies(cookies);
  await page.goto(headers.location ?? '');
}

async function rowOf({ service }: Scene, name: string) {
  const all = await Array.fromAsync(rows(service.store, identities, {}));
  return all.find(({ id, userName }) => id.startsWith('corp:') && userName === name);
}

async function sessionOf({ service }: Scene, page: Page) {
  const cookies = await page.context().cookies(service.url);
  const cookie = cookies.find(({ name }) => name === SESSION_COOKIE)?.value ?? '';
  return (await service.store.load(sessions, sha256(Buffer.from(cookie, 'base64url')))).found?.row;
}

/** A grant that this person confirms at a device. */
async function grantOf({ service }: Scene, page: Page): Promise<string> {
  const code = await startCode(service);
  await enterCode(page, service, code.userCode);
  await page.locator('button.confirm').click();
  await page.locator('button.confirm').waitFor({ state: 'detached' });
  return String((await poll(service, code)).body['refresh_token']);
}

async function refresh({ service }: Scene, token: string) {
  const sent = { client_id: ORDERS.clientId, refresh_token: token };
  const { status, body } = await post(service, '/authsvc/Authorize/Token', sent);
  return { status, next: String(body['refresh_token']) };
}

const CLAIMS: readonly (readonly [string, (scene: Scene) => Promise<void>])[] = [
  [
    'its login page signs in with the right password only; user name, verified address and groups come from its claims',
    async (scene) => {
      const page = await openPage(scene.browser);
      await begin(scene, page);
      await fillIn(page, 'grace', 'wrong');
      await page.locator('#input-error-username').waitFor();
      await fillIn(page, 'grace');
      await atAccount(scene, page);
      const grace = await rowOf(scene, 'grace');
      assert.deepEqual([grace?.email, grace?.groups], ['grace@example.org', ['corp/ops']]);
      await signIn(scene, 'heidi');
      const heidi = await rowOf(scene, 'heidi');
      assert.deepEqual([heidi?.email, heidi?.groups], [undefined, ['corp/sales']], 'her address is not verified');
    },
  ],
  [
    'its groups decide who may confirm',
    async (scene) => {
      for (const [name, may] of [
        ['grace', true],
        ['heidi', false],
      ] as const) {
        const page = await signIn(scene, name);
        const code = await startCode(scene.service, 'orders:read', OPS);
        await enterCode(page, scene.service, code.userCode);
        await page.waitForURL(/\/device\/[0-9a-f]{32}$/);
        assert.equal(await page.locator('button.confirm').isVisible(), may, name);
        const said = await page.locator('main').innerText();
        assert.equal(/You may not use this integration/.test(said), !may, name);
      }
    },
  ],
  [
    'a session there signs in without a password, and is a proof as old as it is; signing in again asks for the password',
    async (scene) => {
      const page = await signIn(scene, 'grace');
      const first = await sessionOf(scene, page);
      assert.ok(first && first.proof.at <= first.createdAt && first.createdAt - first.proof.at < 60);
      await page.context().clearCookies({ name: SESSION_COOKIE });
      await page.waitForTimeout(2_000);
      await begin(scene, page);
      await atAccount(scene, page);
      const second = await sessionOf(scene, page);
      assert.equal(second?.proof.at, first.proof.at);
      assert.ok((second?.createdAt ?? 0) > first.createdAt);
      await signInAgain(scene, page);
      await page.locator('#password').waitFor();
      await fillIn(page, 'grace');
      await atAccount(scene, page);
      const third = await sessionOf(scene, page);
      assert.ok((third?.proof.at ?? 0) > first.proof.at);
    },
  ],
  [
    'signing out here leads to its page; the next sign-in asks for the password',
    async (scene) => {
      const page = await signIn(scene, 'grace');
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('link', { name: 'Sign out of Example Corp too' }).click();
      await page.locator('#kc-logout').click();
      await page.waitForURL(`${scene.service.url}/account/sign-in?done=signed-out`);
      await begin(scene, page);
      await page.locator('#password').waitFor();
    },
  ],
  [
    'a disabled account does not sign in there, and its grants end after maxAge; another group counts from the next sign-in',
    async (scene) => {
      const [ended, kept] = [await signIn(scene, 'grace'), await signIn(scene, 'heidi')];
      const grants = [await grantOf(scene, ended), await grantOf(scene, kept)];
      const person = async (name: string) =>
        ((await scene.admin('GET', `/users?exact=true&username=${name}`)) as { id: string }[])[0]?.id;
      await scene.admin('PUT', `/users/${await person('grace')}`, { enabled: false });
      const [ops] = (await scene.admin('GET', '/groups?search=ops')) as { id: string }[];
      await scene.admin('PUT', `/users/${await person('heidi')}/groups/${ops?.id}`);
      const page = await openPage(scene.browser);
      await begin(scene, page);
      await fillIn(page, 'grace');
      await page.getByText('Account is disabled').waitFor();
      scene.service.advance(29 * DAY);
      await signIn(scene, 'heidi');
      assert.deepEqual((await rowOf(scene, 'heidi'))?.groups, ['corp/ops', 'corp/sales']);
      const before = await Promise.all(grants.map((token) => refresh(scene, token)));
      assert.deepEqual(
        before.map(({ status }) => status),
        [200, 200],
      );
      scene.service.advance(2 * DAY);
      const after = await Promise.all(before.map(({ next }) => refresh(scene, next)));
      assert.deepEqual(
        after.map(({ status }) => status),
        [400, 200],
      );
      assert.equal((await rowOf(scene, 'grace'))?.enabled, false);
    },
  ],
  [
    'a second factor by levels of authentication is a strong proof',
    async (scene) => {
      await requireSecondFactor(scene.admin);
      const page = await openPage(scene.browser);
      await begin(scene, page);
      await fillIn(page, 'olga');
      await page.locator('#otp').fill(oneTimePassword());
      await page.locator('#kc-login').click();
      await atAccount(scene, page);
      assert.equal((await sessionOf(scene, page))?.proof.by, 'strong-provider');
    },
  ],
];
