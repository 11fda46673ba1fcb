// Ory Hydra, built from its Go module. People sign in through its own API for login pages, as a login page would do it.
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Running } from '../bench/contestant.ts';
import { startPostgres } from '../bench/contestants/tessera.ts';
import type { Pair } from '../bench/fill.ts';
import { freePorts } from '../bench/ready.ts';
import { API, CLIENT_ID, oauthPeer, type Peer, pairOf, succeeded, type TokenKind } from './peer.ts';
import { installed, output, startProgram } from './program.ts';

const MODULE = 'github.com/ory/hydra/v2';
/** The newest version that the module proxy has under this path. */
const VERSION = 'v2.3.0';
const REDIRECT = 'http://127.0.0.1/callback';
const STORES = ['SQLite', 'PostgreSQL'] as const;

export async function hydra(): Promise<Peer[]> {
  const folder = await installed(`hydra-${VERSION}`, build);
  const common = { product: 'Hydra', version: VERSION, coldSeconds: 5 };
  const kinds: TokenKind[] = ['opaque', 'ES256', 'RS256'];
  return STORES.map((store) => ({
    ...{ ...common, store, issues: kinds, checks: kinds },
    start: (kind, own, connections) => start(join(folder, 'hydra'), store, kind, own, connections),
  }));
}

async function build(folder: string): Promise<void> {
  const source = join(folder, 'source');
  const found = JSON.parse(await output(['go', 'mod', 'download', '-json', `${MODULE}@${VERSION}`], folder));
  cpSync((found as { Dir: string }).Dir, source, { recursive: true });
  await output(['chmod', '-R', 'u+w', source], folder);
  // A folder beside the module, which the module proxy does not have: its published version is used.
  await output(['go', 'mod', 'edit', '-dropreplace=github.com/ory/hydra-client-go/v2'], source);
  const tags = 'sqlite,sqlite_omit_load_extension';
  await output(['go', 'build', '-mod=mod', '-tags', tags, '-o', join(folder, 'hydra'), '.'], source);
  rmSync(source, { recursive: true });
}

async function start(
  program: string,
  store: Peer['store'],
  kind: TokenKind,
  folder: string,
  connections: number,
): Promise<Running> {
  const postgres = store === 'PostgreSQL' ? await startPostgres() : undefined;
  const [port = 0, admin = 0] = await freePorts(2);
  const env = {
    DSN: postgres
      ? `${postgres.url()}?sslmode=disable&max_conns=8`
      : `sqlite://${join(folder, 'hydra.db')}?_fk=true&_journal_mode=WAL&_synchronous=FULL`,
    SECRETS_SYSTEM: 'a-secret-of-the-bench-and-nothing-else',
    URLS_SELF_ISSUER: `http://127.0.0.1:${port}`,
    URLS_LOGIN: `http://127.0.0.1:${port}/login`,
    URLS_CONSENT: `http://127.0.0.1:${port}/consent`,
    STRATEGIES_ACCESS_TOKEN: kind === 'opaque' ? 'opaque' : 'jwt',
    SERVE_PUBLIC_PORT: String(port),
    SERVE_ADMIN_PORT: String(admin),
    SERVE_PUBLIC_HOST: '127.0.0.1',
    SERVE_ADMIN_HOST: '127.0.0.1',
    TTL_ACCESS_TOKEN: '24h',
    TTL_REFRESH_TOKEN: '720h',
    SQA_OPT_OUT: 'true',
  };
  await output([program, 'migrate', 'sql', 'up', '-e', '--yes'], folder, env);
  const server = startProgram([program, 'serve', 'all', '--dev'], folder, env);
  const stop = async () => {
    await server.stop();
    await postgres?.remove();
  };
  try {
    await server.ready(`http://127.0.0.1:${admin}/health/ready`);
    await register(admin, kind);
    const pairs: Pair[] = [];
    while (pairs.length < 2 * connections) pairs.push(await newPair(port, admin));
    return oauthPeer({
      pids: [server.pid, ...(postgres?.pid ? [postgres.pid] : [])],
      refresh: { port, path: '/oauth2/token' },
      introspect: { port: admin, path: '/admin/oauth2/introspect' },
      pairs,
      stop,
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As large as Tessera's. */
const RSA_BITS = 2048;

function signingKey(kind: 'ES256' | 'RS256'): object {
  const { privateKey } =
    kind === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: RSA_BITS });
  return { ...privateKey.export({ format: 'jwk' }), alg: kind, use: 'sig', kid: 'bench' };
}

function sendJson(url: string, method: string, body: object): Promise<Response> {
  return fetch(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function register(admin: number, kind: TokenKind): Promise<void> {
  const origin = `http://127.0.0.1:${admin}/admin`;
  if (kind !== 'opaque')
    await succeeded(await sendJson(`${origin}/keys/hydra.jwt.access-token`, 'PUT', { keys: [signingKey(kind)] }));
  const own = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
  const client = { client_id: CLIENT_ID, token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT], ...own };
  await succeeded(await sendJson(`${origin}/clients`, 'POST', { ...client, scope: 'offline orders' }));
  const api = { client_id: API.id, client_secret: API.secret, grant_types: ['client_credentials'] };
  await succeeded(await sendJson(`${origin}/clients`, 'POST', api));
}

/** An authorization code, and the pair for it. The browser's part is played here. */
async function newPair(port: number, admin: number): Promise<Pair> {
  const jar = new Map<string, string>();
  const fields = { client_id: CLIENT_ID, response_type: 'code', scope: 'offline orders', redirect_uri: REDIRECT };
  const query = new URLSearchParams({ ...fields, state: 'a-state-of-some-length' });
  const login = await follow(`http://127.0.0.1:${port}/oauth2/auth?${query}`, jar);
  const atConsent = await follow(await accept(admin, 'login', login, { subject: 'ada' }), jar);
  const consent = { grant_scope: ['offline', 'orders'] };
  const back = await follow(await accept(admin, 'consent', atConsent, consent), jar);
  const code = new URL(back).searchParams.get('code') ?? '';
  const body = { grant_type: 'authorization_code', client_id: CLIENT_ID, redirect_uri: REDIRECT, code };
  return pairOf(
    await fetch(`http://127.0.0.1:${port}/oauth2/token`, { method: 'POST', body: new URLSearchParams(body) }),
  );
}

async function follow(url: string, jar: Map<string, string>): Promise<string> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
  for (const set of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    jar.set(name, value);
  }
  const location = response.headers.get('location');
  if (!location || location.includes('error=')) throw new Error(`${url} led to ${location}`);
  return location;
}

async function accept(admin: number, step: 'login' | 'consent', url: string, body: object): Promise<string> {
  const challenge = new URL(url).searchParams.get(`${step}_challenge`) ?? '';
  const path = `/admin/oauth2/auth/requests/${step}/accept?${step}_challenge=${encodeURIComponent(challenge)}`;
  const response = await succeeded(await sendJson(`http://127.0.0.1:${admin}${path}`, 'PUT', body));
  return ((await response.json()) as { redirect_to: string }).redirect_to;
}
