// What `tessera doctor` says of a store that was put back: the command that it prints ends each thing again.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Act } from '../../src/core/act.ts';
import { acted } from '../../src/core/event.ts';
import type { IdentityId } from '../../src/core/identity.ts';
import type { StoreHistory } from '../../src/core/store-history.ts';
import type { LostEnding } from '../../src/operations/admin/lost-endings.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { passkeys } from '../../src/store/tables/identities.ts';
import { HISTORY, storeHistory } from '../../src/store/tables/store-history.ts';
import { systemClock } from '../../src/system.ts';
import { makeAuthority } from '../authority.ts';
import { keySetOf, platformKey } from '../platform.ts';
import { aPasskey, OPERATOR } from '../samples.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';
import { seed } from './seed.ts';

const folder = temporaryFolder('doctor-history');
const commands = new Commands();
after(async () => {
  await commands.close();
  rmSync(folder, { recursive: true });
});

async function run(line: string): Promise<string> {
  const { status, printed } = await commands.run(line.split(' '), { folder });
  assert.equal(status, 0, `tessera ${line}: ${printed}`);
  return printed;
}

const GRANT = '0192f30000000000000000000000aa01';
const PASSKEY = aPasskey();
/** What the acts say that end things, all at once. */
const FACTS = { ended: [PASSKEY.id], names: ['phone'], userName: '' };

/** One of each kind, with the act that ends it. */
async function everything(): Promise<{ readonly [K in LostEnding['kind']]: { id: string; did: string } }> {
  writeFileSync(join(folder, 'ca.pem'), makeAuthority({ name: 'Root' }).pem);
  writeFileSync(join(folder, 'jwks.json'), keySetOf(await platformKey()));
  await run('init --integration orders-sync --scope orders:read --identity ada');
  await seed([GRANT, 'orders-sync', 'ada', '10', '2'], folder);
  await run('issuer add corp ca.pem');
  await run('token-issuer add ci --issuer https://ci.example --jwks-file jwks.json --when /sub=pod');
  await run('resource-server add orders-api --audience urn:orders --resource orders');
  await run('integration add till --scope sales:read');
  await run('keyring add');
  await run('keyring mint 2');
  await run('keyring add --signing ES256');
  const [, signingKey = ''] = /signing key (\S+),/.exec(await run('keyring add --signing EdDSA')) ?? [];
  const [, identity = ''] = /as (\S+)/.exec(await run('identity add bob --no-password')) ?? [];
  return {
    grant: { id: GRANT, did: 'revoked' },
    identity: { id: identity, did: 'disabled' },
    passkey: { id: identity, did: 'removed' },
    integration: { id: 'till', did: 'disabled' },
    issuer: { id: 'corp', did: 'withdrawn' },
    'token-issuer': { id: 'ci', did: 'removed' },
    'resource-server': { id: 'orders-api', did: 'removed' },
    'signing-key': { id: signingKey, did: 'removed' },
    key: { id: '1', did: 'retired' },
  };
}

/** As if a node had noticed that the store was put back to before these acts. */
async function notice(things: Awaited<ReturnType<typeof everything>>): Promise<void> {
  const store = await openSqliteStore({ path: join(folder, 'data/tessera.db'), clock: () => systemClock.now() });
  const { id: identityId } = things.passkey;
  const row = { identityId: identityId as IdentityId, keys: [PASSKEY] };
  await store.change(passkeys, identityId, () => ({ outcome: undefined, next: row }));
  await store.change(storeHistory, HISTORY, (_, at) => {
    const lost = Object.entries(things).map(([kind, { id, did }], n) =>
      kind === 'grant'
        ? ({ type: 'revoked', at, subjectId: id, detail: { reason: 'by-operator' }, sequence: 100 + n } as const)
        : { ...acted({ ...FACTS, kind, id, did } as unknown as Act, { at, by: OPERATOR }), sequence: 100 + n },
    );
    const next: StoreHistory = { epoch: 1, rollback: { noticedAt: at, seen: 120, found: 50, lost, unlisted: 0 } };
    return { outcome: undefined, next };
  });
  await store.close();
}

const worksAgain = async () => {
  const { printed } = await commands.run(['doctor'], { folder });
  return [...printed.matchAll(/the (.+) (\S+) had ended at .*\n +Do: tessera (.+)/g)].map(
    ([, kind, id, command = '']) => ({
      thing: `${kind} ${id}`,
      command,
    }),
  );
};

test('doctor prints, for every kind, a command that ends again what works again', async () => {
  const things = await everything();
  await notice(things);
  const found = await worksAgain();
  assert.deepEqual(
    found.map(({ thing }) => thing),
    Object.entries(things).map(([kind, { id }]) => `${kind.replace('-', ' ')} ${id}`),
  );
  for (const [n, { thing, command }] of found.entries()) {
    await run(command);
    assert.deepEqual(
      (await worksAgain()).map((each) => each.thing),
      found.slice(n + 1).map((each) => each.thing),
      `${thing}: ${command}`,
    );
  }
});
