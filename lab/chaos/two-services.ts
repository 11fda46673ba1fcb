// Two services on one PostgreSQL, each a process with its own copy of the keyring, as on two machines.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seconds } from '../../src/core/time.ts';
import { publishKeys } from '../../src/operations/admin/signing-keys.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Store } from '../../src/store/store.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import type { StoredKey } from '../../src/tokens/keyring.ts';
import { readKeyringFile, writeKeyringFile } from '../../src/tokens/keyring-file.ts';
import { type Caller, callerOver } from '../../test/e2e/caller.ts';
import { clientId, type Home, makeHome, populate } from '../../test/e2e/service.ts';
import { put } from '../../test/node.ts';
import { anIntegration, OPERATOR } from '../../test/samples.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { entryOf, Service } from './service.ts';

/** An integration whose access tokens are JWTs that live for a day. */
export const JWT_CLIENT = 'jwt-sync';
export const JWT_LIFETIME = seconds(86_400);

export interface RunningService {
  readonly process: Service;
  /** Has the certificate of ada. */
  readonly caller: Caller;
  readonly keys: () => readonly StoredKey[];
  readonly storeKeys: (keys: readonly StoredKey[]) => void;
}

export interface TwoServices {
  readonly server: PostgresServer;
  readonly store: Store;
  readonly services: readonly [RunningService, RunningService];
  stop(): Promise<void>;
}

export async function startTwoServices(): Promise<TwoServices> {
  const server = await PostgresServer.start();
  const home = makeHome({ signing: 'ES256', settings: { store: server.url() } });
  const other = temporaryFolder('second');
  const store = storeOf(await openAt(server.url()));
  await populate(store, home.authority);
  const overrides = { accessTokenLifetime: JWT_LIFETIME };
  await put(
    store,
    integrations,
    anIntegration({ clientId: clientId(JWT_CLIENT), accessTokenFormat: 'jwt', overrides }),
  );
  await publishKeys(keysIn(home.folder), { store, by: OPERATOR });
  copyHome(home, other);
  const services = [await start(home, home.folder), await start(home, other)] as const;
  return {
    server,
    store,
    services,
    stop: async () => {
      for (const { caller, process } of services) {
        caller.close();
        await process.kill();
      }
      await store.close();
      await server.remove();
      for (const folder of [home.folder, other]) rmSync(folder, { recursive: true });
    },
  };
}

function copyHome(home: Home, folder: string): void {
  writeKeyringFile(join(folder, 'keyring.json'), keysIn(home.folder));
  const settings = JSON.parse(readFileSync(home.configFile, 'utf8')) as object;
  writeFileSync(join(folder, 'tessera.yaml'), JSON.stringify({ ...settings, dataFolder: folder }));
}

async function start({ authority }: Home, folder: string): Promise<RunningService> {
  const process = await Service.start(entryOf({ configFile: join(folder, 'tessera.yaml') }));
  const certificate = authority.issue({ commonName: 'ada' });
  const caller = callerOver('HTTP/1.1', { port: process.port, ca: authority.pem, certificate });
  const storeKeys = (keys: readonly StoredKey[]) => writeKeyringFile(join(folder, 'keyring.json'), keys);
  return { process, caller, keys: () => keysIn(folder), storeKeys };
}

function keysIn(folder: string): readonly StoredKey[] {
  return readKeyringFile(join(folder, 'keyring.json')) ?? [];
}
