// The folder of a cluster, and of each member in it.
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority } from '../../../test/authority.ts';
import { issueServer } from '../../../test/e2e/service.ts';
import { freePort } from '../../../test/free-port.ts';
import { debianPrograms } from '../../../test/store/debian-postgres.ts';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import type { Account } from './account.ts';
import type { Place } from './member.ts';

export const MEMBERS = 3;
/** The members listen on loopback only, and nothing outlives the drill. */
export const PASSWORD = 'of-this-drill-alone';

export interface Grounds {
  readonly folder: string;
  readonly etcd: string;
  readonly places: readonly Place[];
}

export async function prepareGrounds({ uid, gid }: Account): Promise<Grounds> {
  const folder = temporaryFolder('patroni');
  chmodSync(folder, 0o755);
  chownSync(folder, uid, gid);
  writeCertificate(folder, { uid, gid });
  const etcd = await freeAddress();
  const places: Place[] = [];
  for (let n = 1; n <= MEMBERS; n++) {
    const place = await placeOf(`database-${n}`, folder, etcd);
    mkdirSync(place.folder);
    chownSync(place.folder, uid, gid);
    places.push(place);
  }
  return { folder, etcd, places };
}

export async function freeAddress(): Promise<string> {
  return `127.0.0.1:${await freePort()}`;
}

async function placeOf(name: string, folder: string, etcd: string): Promise<Place> {
  return {
    name,
    folder: join(folder, name),
    database: await freeAddress(),
    rest: await freeAddress(),
    etcd,
    binaries: debianPrograms(),
    certificate: join(folder, 'server.crt'),
    key: join(folder, 'server.key'),
    password: PASSWORD,
  };
}

/** One certificate for all members: they share the name localhost and differ in ports. */
function writeCertificate(folder: string, { uid, gid }: Account): void {
  const authority = makeAuthority({ name: 'Drill Authority' });
  const { pem, key } = issueServer(authority);
  writeFileSync(join(folder, 'authority.pem'), authority.pem);
  writeFileSync(join(folder, 'server.crt'), pem);
  writeFileSync(join(folder, 'server.key'), key, { mode: 0o600 });
  chownSync(join(folder, 'server.key'), uid, gid);
}
