// The real service for end-to-end tests: real configuration, store, keys, TLS and sockets; only its clock can be moved.
import assert from 'node:assert/strict';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { composeService, type Service } from '../../src/compose/service.ts';
import { loadConfig, settingsOf } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Identity, IdentityId } from '../../src/core/identity.ts';
import type { ClientId, Integration } from '../../src/core/integration.ts';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import type { SigningAlgorithm } from '../../src/core/signing-key.ts';
import { type EpochSeconds, epochSeconds, seconds } from '../../src/core/time.ts';
import { localDirectory } from '../../src/directory/local/local-directory.ts';
import { sideBySide } from '../../src/directory/side-by-side.ts';
import { DOOR_NAMES } from '../../src/doors/doors.ts';
import { type Log, makeLog } from '../../src/log/log.ts';
import { openStore } from '../../src/open-store.ts';
import { publishKeys } from '../../src/operations/admin/signing-keys.ts';
import type { Ports } from '../../src/operations/ports.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { Table } from '../../src/store/table.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { systemClock, systemRandom } from '../../src/system.ts';
import { addSigningKey, firstKey, Keyring, type StoredKey } from '../../src/tokens/keyring.ts';
import { readKeyringFile, writeKeyringFile } from '../../src/tokens/keyring-file.ts';
import { type Authority, type Issued, makeAuthority } from '../authority.ts';
import { ISSUER } from '../node.ts';
import { ADA, anIdentity, anIntegration, OPERATOR, scopeOf } from '../samples.ts';
import { newSqlite } from '../store/new-sqlite.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Caller, callerOver, type Protocol, reachOf } from './caller.ts';
import { followed, registryFollows } from './registry-follows.ts';

export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
export const PUBLIC_URL = 'https://tokens.example';
export const MALLORY = 'local:{0a1b2c3d-0000-4000-8000-0000000badd0}' as IdentityId;

const GENEROUS = { perMinute: 1_000_000, burst: 1_000_000 };

/** Registered before the service starts: one of each kind that a rule distinguishes. */
const REGISTERED: readonly Integration[] = [
  anIntegration(),
  anIntegration({ clientId: clientId('other-sync') }),
  anIntegration({ clientId: clientId('disabled'), enabled: false }),
  anIntegration({ clientId: clientId('no-device'), flows: { device: false, certificate: true } }),
  anIntegration({ clientId: clientId('no-certificate'), flows: { device: true, certificate: false } }),
  anIntegration({ clientId: clientId('no-refresh'), overrides: { refresh: false } }),
  anIntegration({ clientId: clientId('strict'), overrides: { refreshRetryWindow: seconds(0) } }),
  anIntegration({ clientId: clientId('bound'), binding: 'certificate' }),
  anIntegration({
    clientId: clientId('named-only'),
    access: { to: 'named', identities: [ADA], groups: [] },
    overrides: { accessTokenLifetime: seconds(3600), grantLifetime: seconds(5400) },
  }),
];

const KNOWN: readonly Identity[] = [
  anIdentity({ email: 'ada@example.com', upn: 'ada@corp.example' }),
  anIdentity({ id: MALLORY, userName: 'mallory' }),
  anIdentity({ id: ids(1), userName: 'disabled-person', enabled: false }),
  anIdentity({ id: ids(2), userName: 'without-api', mayUseApi: false }),
  anIdentity({ id: ids(3), userName: 'twin' }),
  anIdentity({ id: ids(4), userName: 'twin' }),
];

export interface SetUp {
  /** Settings that override those of every test, as in tessera.yaml. */
  readonly settings?: { readonly limits?: Record<string, unknown> } & Record<string, unknown>;
  /** The listeners, if a test is about them; `tls: true` stands for the server certificate of the test. */
  readonly listeners?: readonly Record<string, unknown>[];
  readonly issuers?: readonly Partial<ApprovedIssuer>[];
  /** By default, a good server certificate. */
  readonly server?: (authority: Authority) => Issued;
  /** Replaces the real store of the service. */
  readonly store?: (real: Store) => Store;
  readonly log?: { readonly level: string };
  /** A signing key that signs at once. */
  readonly signing?: SigningAlgorithm;
}

/** A data folder with everything a service needs to start. */
export interface Home {
  readonly folder: string;
  readonly configFile: string;
  readonly config: Config;
  readonly keyring: Keyring;
  readonly authority: Authority;
  readonly serverFiles: { readonly certificate: string; readonly key: string };
}

export interface TestService extends Home, AsyncDisposable {
  /** Of the first listener, and of all. */
  readonly port: number;
  readonly portsOfListeners: readonly number[];
  /** As a start logs them. */
  readonly addresses: readonly string[];
  /** On the same store as the service: for what people do in a browser and operators at a prompt. */
  readonly ports: Ports;
  readonly logLines: readonly string[];
  /** The certificate of ada, whom the directory knows by the common name. */
  readonly ada: Issued;
  /** Lets time pass for the store and the service. */
  pass(length: number): void;
  now(): EpochSeconds;
  put<Row, Companion>(table: Table<Row, Companion>, row: Row): Promise<void>;
  /** Registers or changes an integration, and waits until it is in force. */
  register(integration: Integration): Promise<void>;
  /** Its connections end with the service. */
  caller(certificate?: Issued, protocol?: Protocol): Caller;
  stop(): Promise<void>;
}

export function clientId(text: string): ClientId {
  return text as ClientId;
}

function ids(last: number): IdentityId {
  return `local:{0a1b2c3d-0000-4000-8000-00000000000${last}}` as IdentityId;
}

export function makeHome({ settings = {}, listeners, log, signing, server: issue = issueServer }: SetUp = {}): Home {
  const folder = temporaryFolder('e2e');
  chmodSync(folder, 0o700);
  const authority = makeAuthority({ name: 'Example Root' });
  const server = issue(authority);
  const serverFiles = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') };
  writeFileSync(serverFiles.certificate, server.pem);
  writeFileSync(serverFiles.key, server.key, { mode: 0o600 });
  writeKeyringFile(join(folder, 'keyring.json'), signing ? addSigningKey(firstKey(), signing).keys : firstKey());
  const opened = (listeners ?? [{ tls: true }]).map(({ tls, ...rest }) => ({
    host: '127.0.0.1',
    port: 0,
    doors: DOOR_NAMES, // named, so that /metrics is served too
    ...(tls === true && { tls: serverFiles }),
    ...rest,
  }));
  const configFile = join(folder, 'tessera.yaml');
  const { limits = {}, ...others } = settings;
  const tree = {
    publicUrl: PUBLIC_URL,
    dataFolder: folder,
    listeners: opened,
    limits: {
      stopNotice: 0,
      drainIdle: 0, // tests close their connections after the service
      requestsPerAddress: GENEROUS,
      checksPerAddress: GENEROUS,
      requestsPerIntegration: GENEROUS,
      grantsPerIdentity: GENEROUS,
      grantsPerIntegration: GENEROUS,
      refreshesPerGrant: GENEROUS,
      refreshesPerIdentity: GENEROUS,
      ...limits,
    },
    log: { level: log?.level ?? 'info' },
    ...others,
  };
  writeFileSync(configFile, JSON.stringify(tree)); // JSON is YAML
  const config = loadConfig({ file: configFile, env: {} });
  return { folder, configFile, config, keyring: new Keyring(keysOf(config)), authority, serverFiles };
}

function keysOf({ keyring }: Config): readonly StoredKey[] {
  if (keyring.from !== 'file') throw new Error('tests keep their keyring in a file');
  return readKeyringFile(keyring.path) ?? [];
}

export function issueServer(authority: Authority): Issued {
  return authority.issue({
    commonName: 'localhost',
    dnsNames: ['localhost', new URL(PUBLIC_URL).hostname],
    usages: [SERVER_AUTH],
  });
}

/** A data folder with a store, for services in their own process. */
export async function populatedHome(setUp: SetUp = {}): Promise<Home> {
  const home = makeHome(setUp);
  const path = join(home.folder, 'tessera.db');
  newSqlite(path);
  const store = await openSqliteStore({ path, clock: systemClock.now });
  await populate(store, home.authority);
  await store.close();
  return home;
}

export async function startService(setUp: SetUp = {}): Promise<TestService> {
  const home = makeHome(setUp);
  const started = Date.now() / 1000;
  let passed = 0;
  const clock = (): EpochSeconds => epochSeconds(started + passed); // only a test lets a second begin
  const path = join(home.folder, 'tessera.db');
  const isSqlite = setUp.settings?.['store'] === undefined;
  if (isSqlite) newSqlite(path);
  const store = isSqlite ? await openSqliteStore({ path, clock }) : await openStore(home.config, 'service');
  await populate(store, home.authority, setUp.issuers);
  await publishKeys(keysOf(home.config), { store, by: OPERATOR });
  const logLines: string[] = [];
  const log: Log = makeLog({
    level: home.config.log.level,
    milliseconds: systemClock.milliseconds,
    format: 'json',
    destination: { write: (line) => void logLines.push(line) },
  });
  const running = { ...systemClock, now: clock, running: () => systemClock.running() + passed };
  const service = await composeService(home.config, setUp.store?.(store) ?? store, home.keyring, log, running);
  const leave = followed(service);
  const addresses = await service.listen();
  const portsOfListeners = addresses.map((address) => Number(new URL(address).port));
  const put = <Row, Companion>(table: Table<Row, Companion>, row: Row) => putRow(store, table, row);
  const [port = 0] = portsOfListeners;
  const callers: Caller[] = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    leave();
    stopped ??= stopService(service, home, callers);
    return stopped;
  };
  return {
    ...home,
    port,
    portsOfListeners,
    addresses,
    ports: await portsOf(store, home),
    logLines,
    ada: home.authority.issue({ commonName: 'ada' }),
    now: clock,
    pass: (length) => {
      passed += length;
    },
    put,
    register: async (integration) => {
      await put(integrations, integration);
      await registryFollows();
    },
    caller: (certificate, protocol = 'HTTP/1.1') => {
      const caller = callerOver(protocol, reachOf({ ...home, port }, certificate));
      callers.push(caller);
      return caller;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** After every test, slots belong to open connections, and none is left over. */
async function stopService(service: Service, { folder }: Home, callers: readonly Caller[]): Promise<void> {
  const { held, living, orphaned } = service.census();
  await service.stop();
  for (const caller of callers) caller.close();
  assert.deepEqual({ held, orphaned }, { held: living, orphaned: 0 }, 'every slot belongs to an open connection');
  for (let tries = 0; service.census().held > 0 && tries < 20; tries++) await pause(50); // closing takes a moment
  assert.deepEqual(service.census(), { held: 0, living: 0, orphaned: 0 }, 'no slot outlives the service');
  rmSync(folder, { recursive: true, force: true });
}

/** Whatever it was sent, it is still there, and nothing broke. */
export async function stopUnharmed(service: TestService): Promise<void> {
  const { status } = await service.caller().ask({ path: '/healthz' });
  await service.stop();
  const faults = service.logLines.filter((line) => JSON.parse(line).level === 'error');
  assert.deepEqual([status, faults], [200, []]);
}

export async function populate(
  store: Store,
  authority: Authority,
  differences: SetUp['issuers'] = [{}],
): Promise<void> {
  for (const integration of REGISTERED) await putRow(store, integrations, integration);
  for (const identity of KNOWN) await putRow(store, identities, identity);
  for (const difference of differences) await putRow(store, issuers, anIssuer(authority, difference));
}

export function anIssuer(authority: Authority, difference: Partial<ApprovedIssuer> = {}): ApprovedIssuer {
  return { ...ISSUER, label: 'example', certificate: authority.certificate, ...difference };
}

async function putRow<Row, Companion>(store: Store, table: Table<Row, Companion>, row: Row): Promise<void> {
  await store.change(table, table.keyOf(row), () => ({ outcome: undefined, next: row }));
}

async function portsOf(store: Store, { config, keyring }: Home): Promise<Ports> {
  const registry = new FollowedRegistry(store);
  await registry.refresh();
  const directories = sideBySide(localDirectory(store));
  return {
    store,
    registry,
    keyring,
    directories,
    settings: settingsOf(config),
    issuer: config.publicUrl,
    clock: systemClock,
    random: systemRandom,
  };
}

export const NARROWED = scopeOf('orders:read');
