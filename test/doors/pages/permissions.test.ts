// What people reach at the pages of their account and of devices, as test/permissions.md has it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Identity } from '../../../src/core/identity.ts';
import type { Proof } from '../../../src/core/person.ts';
import { epochSeconds, after as later, seconds } from '../../../src/core/time.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { passkeys, passwords } from '../../../src/store/tables/identities.ts';
import { sessions, sessionsOf } from '../../../src/store/tables/sessions.ts';
import { systemRandom } from '../../../src/system.ts';
import { sha256 } from '../../../src/tokens/sha256.ts';
import { put } from '../../node.ts';
import { rowsBelow, servedBy } from '../../permission-table.ts';
import { aGrant, aPasskey } from '../../samples.ts';
import { startCode, verdict } from './calling-device.ts';
import { ADA, BOB, type RunningService, startService } from './running-service.ts';
import { SESSION_COOKIE, type Seen, signedIn, Visitor } from './visitor.ts';

const ROWS = rowsBelow('### What each request needs', ['Request', 'Needs']);
type Row = (typeof ROWS)[number];

/** In the words of the table, the least first, and who has it. Both have a passkey. */
const SIGN_INS: readonly (readonly [needs: string, by?: Proof['by'], ago?: number])[] = [
  ['nothing'],
  ['a sign-in', 'passkey', 600],
  ['a fresh sign-in', 'password', 599],
  ['a fresh sign-in, strong', 'passkey', 599],
];

let service: RunningService;
before(async () => {
  service = await startService({ at: epochSeconds(1_800_000_000) });
});
after(() => service?.stop());

async function visitorOf({ id }: Identity, by: Proof['by'] | undefined, ago = 0): Promise<Visitor> {
  const visitor = new Visitor(service);
  const [secret, now] = [systemRandom(32), await service.store.now()];
  const at = epochSeconds(now - ago);
  const session = { id: sha256(secret), identityId: id, createdAt: at, seenAt: now };
  if (by) {
    await put(service.store, sessions, { ...session, endsAt: later(now, seconds(3600)), proof: { by, at } });
    visitor.cookies.set(SESSION_COOKIE, secret.toString('base64url'));
  }
  await visitor.get(by ? '/account' : '/account/sign-in'); // a form token
  return visitor;
}

/** Of somebody: a grant, and a passkey that is called after them. */
async function give({ id, userName = '' }: Identity) {
  const now = await service.store.now();
  const grant = aGrant({
    id: `018f${userName.charCodeAt(0)}`.padEnd(32, '0') as never,
    identityId: id,
    createdAt: now,
  });
  const until = { createdAt: now, refreshUntil: later(now, seconds(86_400)) };
  await put(service.store, grants, { ...grant, ...until, pair: { ...grant.pair, issuedAt: now } });
  const key = aPasskey(sha256(Buffer.from(userName)).slice(0, 32), { name: `the key of ${userName}`, isStrong: true });
  await put(service.store, passkeys, { identityId: id, keys: [key] });
  return { grant: grant.id, passkey: key.id };
}

function ask(visitor: Visitor, { Request }: Row, ids: Readonly<Record<string, string>>): Promise<Seen> {
  const [method = '', named = ''] = Request.split(' ');
  const [, kind = ''] = /\/(grant|passkey|device)s?\/\{id\}/.exec(named) ?? [];
  const path = named
    .replace('{id}', ids[kind] ?? '')
    .replace('/…', '')
    .replace('{label}', 'none');
  return method === 'GET' ? visitor.get(path) : visitor.post(path, path.endsWith('rename') ? { name: 'mine' } : {});
}

/** Their own page of sign-in is not one that asks for it. */
function asksToSignIn({ Request }: Row, { headers, text }: Seen): boolean {
  if (Request.endsWith('/sign-in')) return false;
  return headers.location === '/account/sign-in' || /name="go_on"/.test(text);
}

test('every request that is served has a row, and every row is served', async () => {
  const served = (await servedBy('pages'))
    .filter((each) => !each.startsWith('HEAD'))
    .map((each) => each.replace(/(\/docs|\/account\/assets).*/, '$1/…'));
  assert.deepEqual(ROWS.map(({ Request }) => Request).sort(), [...new Set(served)].sort());
});

for (const row of ROWS)
  test(`${row.Request} needs ${row.Needs}: less is asked to sign in, and more is not`, async () => {
    const least = SIGN_INS.findIndex(([needs]) => needs === row.Needs);
    for (const [at, [needs, by, ago]] of SIGN_INS.entries()) {
      const ids = { ...(await give(BOB)), device: '0'.repeat(32) };
      const seen = await ask(await visitorOf(BOB, by, ago), row, ids);
      assert.equal(asksToSignIn(row, seen), at < least, `${needs}: ${seen.status} ${seen.headers.location}`);
      assert.doesNotMatch(seen.text, /This page is out of date/);
    }
  });

test('no request shows or changes anything of somebody else', async () => {
  const ids = await give(ADA);
  const code = await startCode(service);
  const device = (await (await signedIn(service)).enterCode(code.userCode)).split('/').at(-1) ?? '';
  const { store } = service;
  const all = async () => [
    (await store.load(grants, ids.grant)).found?.row,
    (await store.load(passkeys, ADA.id)).found?.row,
    (await store.load(passwords, ADA.id)).found?.row,
    await store.page(sessions, { where: sessionsOf(ADA.id), limit: 99 }),
    await verdict(service, code),
  ];
  const before = await all();
  for (const row of ROWS) {
    await give(BOB);
    const { text } = await ask(await visitorOf(BOB, 'passkey'), row, { ...ids, device });
    assert.doesNotMatch(text, new RegExp(`${ids.grant}|the key of ada|as ada`), row.Request);
    service.advance(5);
    assert.deepEqual(await all(), before, row.Request);
  }
});

test('one does reach what is theirs', async () => {
  const ids = await give(BOB);
  const visitor = await visitorOf(BOB, 'passkey');
  assert.match((await visitor.get('/account')).text, new RegExp(ids.grant));
  assert.match((await visitor.get('/account/passkeys')).text, /the key of bob/);
  await visitor.post(`/account/grants/${ids.grant}/revoke`);
  await visitor.post(`/account/passkeys/${ids.passkey}/remove`);
  assert.equal((await service.store.load(grants, ids.grant)).found?.row.revoked?.reason, 'by-holder');
  assert.deepEqual((await service.store.load(passkeys, BOB.id)).found?.row.keys, []);
});
