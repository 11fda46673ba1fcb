// Keycloak from its published distribution, on PostgreSQL, as `start --optimized` runs it.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Running } from '../bench/contestant.ts';
import { startPostgres } from '../bench/contestants/tessera.ts';
import type { Pair } from '../bench/fill.ts';
import { freePorts } from '../bench/ready.ts';
import { API, CLIENT_ID, oauthPeer, type Peer, pairOf, type TokenKind } from './peer.ts';
import { download, installed, output, startProgram } from './program.ts';

/** Runs on Java 17. */
const VERSION = '26.4.7';
const SHA_256 = 'aca60ab72ae4d67adc6b8fe7fca5e08d16a6bb5e4a4f2ebb54050e3f5503fd2b';
const ARCHIVE = `https://repo1.maven.org/maven2/org/keycloak/keycloak-quarkus-dist/${VERSION}/keycloak-quarkus-dist-${VERSION}.tar.gz`;
const REALM = 'bench';
const USER = { username: 'ada', password: 'a-password-of-the-bench' } as const;

export async function keycloak(): Promise<Peer[]> {
  await output(['java', '-version'], '.');
  const folder = await installedKeycloak();
  const kinds: TokenKind[] = ['ES256', 'RS256'];
  const common = { product: 'Keycloak', version: VERSION, store: 'PostgreSQL' as const, coldSeconds: 60 };
  return [{ ...common, issues: kinds, checks: kinds, start: (...args) => start(folder, ...args) }];
}

async function install(folder: string): Promise<void> {
  const archive = join(folder, 'archive.tar.gz');
  await download(ARCHIVE, SHA_256, archive);
  await output(['tar', '--extract', '--gzip', '--file', archive, '--strip-components=1'], folder);
  rmSync(archive);
  await output([join(folder, 'bin/kc.sh'), 'build', '--db=postgres', '--health-enabled=true'], folder);
}

async function start(product: string, kind: TokenKind, folder: string, connections: number): Promise<Running> {
  const server = await startKeycloak(product, folder, realm(kind), { KC_HOSTNAME: 'http://localhost' });
  const { port, stop } = server;
  try {
    const path = `/realms/${REALM}/protocol/openid-connect/token`;
    const pairs: Pair[] = [];
    while (pairs.length < 2 * connections) pairs.push(await newPair(`http://127.0.0.1:${port}${path}`));
    return oauthPeer({
      pids: server.pids,
      pairs,
      stop,
      refresh: { port, path },
      introspect: { port, path: `${path}/introspect` },
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Keycloak {
  /** Without TLS. */
  readonly port: number;
  readonly pids: readonly number[];
  readonly stop: () => Promise<void>;
}

export function installedKeycloak(): Promise<string> {
  return installed(`keycloak-${VERSION}`, install);
}

/** On a PostgreSQL of its own, with this realm. `more`: its settings, as environment variables. */
export async function startKeycloak(
  product: string,
  folder: string,
  realm: { readonly realm: string },
  more: Readonly<Record<string, string>>,
): Promise<Keycloak> {
  const home = join(folder, 'keycloak');
  cpSync(product, home, { recursive: true });
  mkdirSync(join(home, 'data/import'), { recursive: true });
  writeFileSync(join(home, 'data/import/realm.json'), JSON.stringify(realm));
  const postgres = await startPostgres();
  const [port = 0, management = 0] = await freePorts(2);
  const address = new URL(postgres.url());
  const env = {
    KC_HTTP_ENABLED: 'true',
    KC_HTTP_HOST: '127.0.0.1',
    KC_HTTP_PORT: String(port),
    KC_HTTP_MANAGEMENT_PORT: String(management),
    KC_DB_URL: `jdbc:postgresql://${address.host}${address.pathname}`,
    KC_DB_USERNAME: address.username,
    KC_DB_PASSWORD: 'unused',
    KC_CACHE: 'local',
    KC_LOG_LEVEL: 'warn',
    ...more,
  };
  const server = startProgram([join(home, 'bin/kc.sh'), 'start', '--optimized', '--import-realm'], folder, env);
  const stop = async () => {
    await server.stop();
    await postgres.remove();
  };
  try {
    await server.ready(`http://127.0.0.1:${port}/realms/${realm.realm}`);
    return { port, pids: [server.pid, postgres.pid as number], stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Each refresh token is accepted once. Everything else is as Keycloak makes it. */
function realm(kind: TokenKind) {
  const attributes = { 'access.token.signed.response.alg': kind };
  const flows = { standardFlowEnabled: false, directAccessGrantsEnabled: true };
  const day = 86_400;
  return {
    ...{ realm: REALM, enabled: true, sslRequired: 'none', revokeRefreshToken: true, refreshTokenMaxReuse: 0 },
    ...{ accessTokenLifespan: day, ssoSessionIdleTimeout: day, ssoSessionMaxLifespan: 10 * day },
    clients: [
      { clientId: CLIENT_ID, publicClient: true, ...flows, attributes, fullScopeAllowed: false },
      { clientId: API.id, secret: API.secret, publicClient: false, standardFlowEnabled: false },
    ],
    users: [
      {
        ...{ username: USER.username, enabled: true, email: 'ada@example.org', emailVerified: true },
        ...{ firstName: 'Ada', lastName: 'Lovelace' },
        credentials: [{ type: 'password', value: USER.password }],
      },
    ],
  };
}

async function newPair(url: string): Promise<Pair> {
  const body = new URLSearchParams({ grant_type: 'password', client_id: CLIENT_ID, ...USER });
  return pairOf(await fetch(url, { method: 'POST', body }));
}
