import { join } from 'node:path';
import type { GrantId } from '../../src/core/grant.ts';
import type { ClientId } from '../../src/core/integration.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { byUserName, identities } from '../../src/store/tables/identities.ts';
import { systemClock } from '../../src/system.ts';
import { aGrant } from '../samples.ts';

/** For transcripts: `seed GRANT_ID CLIENT_ID USER_NAME DAYS [KEY_ID]` puts a grant that ends in DAYS into data/tessera.db. */
export async function seed(
  [id = '', clientId, userName = '', days, keyId = '1']: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const store = await openSqliteStore({ path: join(folder, 'data/tessera.db'), clock: () => systemClock.now() });
  const [holder] = await store.find(identities, byUserName(userName));
  if (!holder) throw new Error(`no identity ${userName}`);
  await store.change(grants, id, (_, now) => {
    const { pair } = aGrant();
    const next = aGrant({
      id: id as GrantId,
      clientId: clientId as ClientId,
      identityId: holder.id,
      createdAt: now,
      refreshUntil: epochSeconds(now + Number(days) * 86_400),
      pair: { ...pair, keyId: Number(keyId), issuedAt: now, expiresAt: epochSeconds(now + 3600) },
    });
    return { outcome: undefined, next };
  });
  await store.close();
  return [''];
}
