// A service whose tokens live for seconds, and a grant in a token file.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate } from '../../sdk/client/src/by/certificate.ts';
import { tokenSource } from '../../sdk/client/src/token-source.ts';
import { seconds } from '../../src/core/time.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { systemClock } from '../../src/system.ts';
import { clientId, type Home, populatedHome } from '../../test/e2e/service.ts';
import { freePort } from '../../test/free-port.ts';
import { anIntegration } from '../../test/samples.ts';

const SHORT = clientId('short-lived');
export const LIFETIME_S = 4;

export interface TokenField {
  readonly home: Home;
  readonly folder: string;
  readonly server: string;
  readonly clientId: string;
  readonly file: string;
  readonly ca: string;
  remove(): Promise<void>;
}

export async function aTokenField(): Promise<TokenField> {
  const port = await freePort();
  const server = `https://localhost:${port}`;
  const home = await populatedHome({ settings: { publicUrl: server }, listeners: [{ tls: true, port }] });
  const store = await openSqliteStore({ path: join(home.folder, 'tessera.db'), clock: systemClock.now });
  const overrides = { accessTokenLifetime: seconds(LIFETIME_S), refresh: true };
  const short = anIntegration({ clientId: SHORT, overrides });
  await store.change(integrations, SHORT, () => ({ outcome: undefined, next: short }));
  await store.close();
  const folder = join(home.folder, 'holders');
  await mkdir(folder, { mode: 0o700 });
  return {
    home,
    folder,
    server,
    clientId: SHORT,
    file: join(folder, 'tokens.json'),
    ca: home.authority.pem,
    remove: () => rm(home.folder, { recursive: true, force: true }),
  };
}

/** Once: the processes of the drill cannot make another one. */
export async function makeGrant({ home, server, file, ca }: TokenField): Promise<void> {
  const { pem, key } = home.authority.issue({ commonName: 'ada' });
  await tokenSource({ server, clientId: SHORT, by: certificate({ certificate: pem, key }), store: file, ca }).login();
}
