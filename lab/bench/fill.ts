// Fills a store like one that has been in use: an integration, people, an approved issuer and grants, created by the
// operations of the service.

import { mkdirSync } from 'node:fs';
import { settingsOf } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Identity } from '../../src/core/identity.ts';
import type { Integration } from '../../src/core/integration.ts';
import { accept } from '../../src/core/outcome.ts';
import { presenter } from '../../src/core/presenter.ts';
import type { Target } from '../../src/core/rules/audience.ts';
import type { SigningAlgorithm } from '../../src/core/signing-key.ts';
import { localDirectory } from '../../src/directory/local/local-directory.ts';
import { sideBySide } from '../../src/directory/side-by-side.ts';
import { openStore } from '../../src/open-store.ts';
import { addIdentity } from '../../src/operations/admin/identities.ts';
import { makeResourceServerSecret } from '../../src/operations/admin/secrets.ts';
import { publishKeys } from '../../src/operations/admin/signing-keys.ts';
import { startDevice } from '../../src/operations/device/start-device.ts';
import { drawGrant, issueGrant } from '../../src/operations/grant/issue-grant.ts';
import { mintPair } from '../../src/operations/grant/token-pair.ts';
import type { Ports } from '../../src/operations/ports.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { insert, type Store } from '../../src/store/store.ts';
import type { Table } from '../../src/store/table.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { systemClock, systemRandom } from '../../src/system.ts';
import { addSigningKey, firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { writeKeyringFile } from '../../src/tokens/keyring-file.ts';
import { approveIssuer, registerIntegration, registerResourceServer } from '../../test/administer.ts';
import { OPERATOR } from '../../test/samples.ts';
import { USER_NAME } from './certificates.ts';

export const CLIENT_ID = 'bench';
export const SCOPE = 'orders:read,write;stock:read';
const PRESENTER = presenter('127.0.0.1', 'bench/1');
const ORIGIN = { kind: 'device' } as const;

/** Absent: none. */
export interface Filling {
  /** Live grants that were created together and are stored side by side; their tokens are returned. */
  readonly known: number;
  /** More live grants whose tokens are returned, spread among the others. */
  readonly spread?: number;
  /** Live grants that get no requests. */
  readonly others?: number;
  readonly deviceCodes?: number;
  /** Access tokens are JWTs that are signed so; undefined: opaque. */
  readonly signing?: SigningAlgorithm | undefined;
}

export interface Pair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const RESOURCE_SERVER_ID = 'bench-api';

export interface Seeds {
  /** Of the resource server. */
  readonly secret: string;
  readonly pairs: readonly Pair[];
  readonly deviceCodes: readonly string[];
}

export async function fill(config: Config, issuerPem: string, filling: Filling): Promise<Seeds> {
  mkdirSync(config.dataFolder, { recursive: true });
  const keys = filling.signing ? addSigningKey(firstKey(), filling.signing).keys : firstKey();
  if (config.keyring.from !== 'file') throw new Error('the bench keeps its keyring in a file');
  writeKeyringFile(config.keyring.path, keys);
  const store = await openStore(config, 'init');
  await publishKeys(keys, { store, by: OPERATOR });
  const secret = await administer(store, issuerPem, filling.signing);
  const ports = await portsOf(config, store, new Keyring(keys));
  const draft = await draftOf(ports);
  const pairs: Pair[] = [];
  const { known, spread = 0, others = 0 } = filling;
  await addGrants(ports, draft, known, (pair) => pairs.push(pair));
  await addGrants(ports, draft, spread + others, (pair, index) => {
    if (isShare(index, spread, spread + others)) pairs.push(pair);
  });
  const deviceCodes = await startDevices(ports, filling.deviceCodes ?? 0);
  await store.close();
  return { secret, pairs, deviceCodes };
}

/** Returns the secret of the resource server. */
async function administer(store: Store, pem: string, signing: SigningAlgorithm | undefined): Promise<string> {
  const ports = { store, by: OPERATOR, random: systemRandom, issuer: 'https://localhost' };
  await registerIntegration(
    CLIENT_ID,
    {
      name: 'Bench',
      description: 'Measured.',
      vendor: 'lab',
      scope: SCOPE,
      accessTokenFormat: signing ? 'jwt' : 'opaque',
    },
    ports,
  );
  await addIdentity({ userName: USER_NAME }, ports);
  const revocation = { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true } as const;
  const draft = { label: 'LAB', identitySources: ['common-name'], identities: 'directory', profile: 'strict' } as const;
  await approveIssuer({ ...draft, pem, revocation }, ports);
  const server = { audience: 'https://orders.example.com', resources: ['orders'] };
  await registerResourceServer(RESOURCE_SERVER_ID, server, ports);
  const secret = await makeResourceServerSecret(RESOURCE_SERVER_ID, { replaces: false }, ports);
  if (!secret.ok) throw new Error(`no secret: ${secret.refusal.reason}`);
  return secret.value.reveal();
}

async function portsOf(config: Config, store: Store, keyring: Keyring): Promise<Ports> {
  const registry = new FollowedRegistry(store);
  await registry.refresh();
  return {
    store,
    registry,
    keyring,
    directories: sideBySide(localDirectory(store)),
    settings: settingsOf(config),
    issuer: config.publicUrl,
    clock: systemClock,
    random: systemRandom,
  };
}

interface Draft {
  readonly integration: Integration;
  readonly identity: Identity;
  readonly target: Target;
}

async function draftOf({ registry, directories }: Ports): Promise<Draft> {
  const integration = registry.integration(CLIENT_ID);
  const [identity] = await directories.get('local').byUserName(USER_NAME);
  if (!integration || !identity) throw new Error('the store was not filled');
  return { integration, identity, target: { scope: integration.scope, resource: undefined } };
}

const AT_ONCE = 1000;

async function addGrants(
  ports: Ports,
  draft: Draft,
  count: number,
  keep: (pair: Pair, index: number) => void,
): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    const now = systemClock.now();
    const issued = Array.from({ length: Math.min(AT_ONCE, count - done) }, () =>
      issueGrant({ ...draft, origin: ORIGIN, presenter: PRESENTER }, drawGrant(ports), now, ports),
    );
    const rows = issued.map(({ grant }) => grant);
    await insertAll(ports.store, grants, rows);
    for (const [index, { pair }] of issued.entries()) {
      const minted = await mintPair(accept(pair), ports);
      if (!minted.ok) throw new Error(minted.refusal.reason);
      const { accessToken, refreshToken } = minted.value;
      keep({ accessToken: accessToken.reveal(), refreshToken: refreshToken?.reveal() ?? '' }, done + index);
    }
  }
}

/** Evenly spread positions: `count` of `total`. */
function isShare(index: number, many: number, total: number): boolean {
  return Math.floor(((index + 1) * many) / total) > Math.floor((index * many) / total);
}

/** Many rows in one commit: the first as a change, the others inserted beside it. */
async function insertAll<Row, Companion>(
  store: Store,
  table: Table<Row, Companion>,
  [first, ...others]: readonly Row[],
): Promise<void> {
  if (!first) return;
  const inserts = others.map((row) => insert(table, row));
  await store.change(table, table.keyOf(first), () => ({ outcome: undefined, next: first, inserts }));
}

async function startDevices(ports: Ports, count: number): Promise<string[]> {
  const codes: string[] = [];
  for (let i = 0; i < count; i++) {
    const started = await startDevice({ clientId: CLIENT_ID, scope: SCOPE, presenter: PRESENTER }, ports);
    if (!started.ok) throw new Error(`no device authorization: ${started.refusal.reason}`);
    codes.push(started.value.deviceCode.reveal());
  }
  return codes;
}
