// Something of every kind that can end: how it is made, and what shows from outside whether it works.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyIdOf } from '../../src/tokens/opaque/token-text.ts';
import { type Authority, makeAuthority } from '../authority.ts';
import { registered, signInWith } from '../doors/pages/software-passkey.ts';
import { Visitor } from '../doors/pages/visitor.ts';
import { eventually } from '../eventually.ts';
import { claimsIn, partsOf } from '../jwt-node.ts';
import { claimsOf, keySetOf, platformKey } from '../platform.ts';
import { type Answer, type Caller, json } from './caller.ts';
import { CLIENT, type Installation, JWT_CLIENT, WORKLOAD_CLIENT } from './installation.ts';
import { basic, postForm } from './oauth-steps.ts';
import {
  ASSERTION_GRANT,
  CERTIFICATE,
  DEVICE,
  type Pair,
  pairByCertificate,
  refresh,
  refreshed,
  revoke,
  verify,
} from './steps.ts';

/** What shows from outside, each by a name: whether it works. */
export type Seen = Readonly<Record<string, boolean>>;

export interface Thing {
  /** As events and commands name it. */
  readonly id: string;
  look(): Promise<Seen>;
  /** What must be done before it can be ended. */
  readonly prepare?: () => Promise<void>;
}

/** Asks all at once. */
async function seen(asked: Readonly<Record<string, Promise<boolean | Answer>>>): Promise<Seen> {
  const answers = await Promise.all(
    Object.entries(asked).map(async ([name, asking]) => {
      const answer = await asking;
      return [name, typeof answer === 'boolean' ? answer : isAccepted(answer)] as const;
    }),
  );
  return Object.fromEntries(answers);
}

const isAccepted = ({ status }: Answer) => status === 200;

function certificateGrant(caller: Caller, client_id: string): Promise<Answer> {
  return caller.ask({ path: CERTIFICATE, ...json({ client_id, scope: 'orders:read' }) });
}

type Asked = Parameters<typeof seen>[0];

/** What the tokens of a grant show. The refresh token is sent again and again, within the retry window. */
function tokens({ access_token, refresh_token }: Pair, client: string, at: Installation): Asked {
  return { ...accessToken(access_token, at), refresh: refresh(at.caller, refresh_token, client) };
}

/** What an access token shows. A follower of the feed checks JWTs by itself. */
function accessToken(token: string, at: Installation): Asked {
  return {
    verify: verify(at.caller, token),
    introspection: introspect(token, at).then((answer) => answer.json['active'] === true),
    follower: isGoodToFollower(token, at),
  };
}

/** A guard on a busy machine may not be able to find out at once. */
async function isGoodToFollower(token: string, at: Installation): Promise<boolean> {
  let isGood = false;
  await eventually('the follower can find out', async () => {
    const checked = await at.guard.check(token);
    isGood = checked.ok;
    return checked.ok || checked.reason !== 'unavailable';
  });
  return isGood;
}

type Credentials = Pick<Installation['resourceServer'], 'id' | 'secret'>;

function introspect(token: string, at: Installation, by: Credentials = at.resourceServer): Promise<Answer> {
  return postForm(at.caller, '/oauth2/introspect', { token }, basic(by.id, by.secret));
}

/** A key that has minted a token and mints no longer. */
export async function aKey(_: string, at: Installation): Promise<Thing> {
  const caller = at.callerNamed('ada');
  const pair = await pairByCertificate(caller);
  const id = String(keyIdOf(pair.access_token));
  const next = await at.printed(/^Added key (\d+)/, 'keyring', 'add');
  await at.run('keyring', 'mint', next, '--force');
  await firstToken(caller, CLIENT, (token) => String(keyIdOf(token)) === next);
  const older = refreshingOf.get(at) ?? [];
  let newest = pair;
  const refreshNewest = async () => {
    newest = await refreshed(at.caller, newest);
  };
  const all = [...older, refreshNewest];
  refreshingOf.set(at, all);
  // A key that a live grant needs is not retired. The access token that it minted works as before.
  const prepare = async () => {
    for (const refreshOne of all) await refreshOne();
  };
  return { id, look: () => seen(accessToken(pair.access_token, at)), prepare };
}

/** Refreshes a grant of each key so far. */
const refreshingOf = new WeakMap<Installation, readonly (() => Promise<void>)[]>();

/** A key that has signed a token and signs no longer. */
export async function aSigningKey(_: string, at: Installation): Promise<Thing> {
  const caller = at.callerNamed('ada');
  const { access_token: token } = await pairByCertificate(caller, JWT_CLIENT);
  const id = keyOf(token);
  const next = await at.printed(/^Added the signing key (\S+),/, 'keyring', 'add', '--signing', 'ES256');
  await at.run('keyring', 'mint', next, '--force');
  await firstToken(caller, JWT_CLIENT, (other) => keyOf(other) === next);
  const jwks = async () => (await at.publishedKeys()).includes(id);
  return { id, look: () => seen({ ...accessToken(token, at), jwks: jwks() }) };
}

/** Waits for a token of the key that the service is to use from now on. No grant of this is left. */
async function firstToken(caller: Caller, client_id: string, fits: (token: string) => boolean): Promise<void> {
  await eventually('the service uses the next key', async () => {
    const answer = await certificateGrant(caller, client_id);
    if (!isAccepted(answer)) return false;
    const token = String(answer.json['access_token']);
    await revoke(caller, token);
    return fits(token);
  });
}

export function keyOf(jwt: string): string {
  return String(JSON.parse(Buffer.from(partsOf(jwt).header, 'base64url').toString())['kid']);
}

export async function anIdentity(name: string, at: Installation): Promise<Thing> {
  const printed = await at.run('identity', 'add', name, '--generate');
  const [, id = '', password = ''] = /as (\S+)\nPassword, shown this once: (\S+)/.exec(printed) ?? [];
  const caller = at.callerNamed(name);
  const opaque = await pairByCertificate(caller);
  const jwt = await pairByCertificate(caller, JWT_CLIENT);
  const page = async () => (await new Visitor(at.site).signIn(name, password)).status === 303;
  const look = () =>
    seen({
      grant: certificateGrant(caller, CLIENT),
      page: page(),
      opaque: verify(at.caller, opaque.access_token),
      'opaque refresh': refresh(at.caller, opaque.refresh_token),
      ...tokens(jwt, JWT_CLIENT, at),
    });
  return { id, look };
}

export async function aPasskey(name: string, at: Installation): Promise<Thing> {
  const printed = await at.run('identity', 'add', name, '--generate');
  const [, id = '', password = ''] = /as (\S+)\nPassword, shown this once: (\S+)/.exec(printed) ?? [];
  const passkey = await registered(at.site, name, password);
  const page = async () => (await signInWith(new Visitor(at.site), passkey)).status === 303;
  return { id, look: () => seen({ page: page() }) };
}

export async function anIntegration(name: string, at: Installation): Promise<Thing> {
  await addIntegration(name, at);
  const caller = at.callerNamed('ada');
  const pair = await pairByCertificate(caller, name, 'orders:read');
  const key = await platformKey();
  writeFileSync(join(at.home.folder, `${name}.json`), keySetOf(key));
  await addKey(name, at);
  const draw = () => at.printed(/^(tsc_\S+)$/m, 'integration', 'secret', name, '--ends-in', '90d');
  const [older, newer] = [await draw(), await draw()];
  const itself = async (fields: Record<string, string>) =>
    postForm(at.caller, '/oauth2/token', { grant_type: 'client_credentials', client_id: name, ...fields });
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const claims = () => ({ ...claimsOf({ sub: name }, Math.floor(Date.now() / 1000)), iss: name, aud: at.issuer });
  await eventually('the secret is known', async () => isAccepted(await itself({ client_secret: newer })));
  const look = () =>
    seen({
      key: key.sign(claims()).then((client_assertion) => itself({ client_assertion, client_assertion_type })),
      secret: itself({ client_secret: older }),
      'newer secret': itself({ client_secret: newer }),
      grant: certificateGrant(caller, name),
      device: at.caller.ask({ path: DEVICE, ...json({ client_id: name, scope: 'orders:read' }) }),
      ...tokens(pair, name, at),
    });
  return { id: name, look };
}

export function addIntegration(name: string, at: Installation): Promise<unknown> {
  const add = () =>
    at.try('integration', 'add', name, '--scope', 'orders:read', '--access-token-format', 'jwt', '--secret', 'yes');
  return eventually('the service has reported its signing key', async () => (await add()).status === 0);
}

export function addKey(name: string, at: Installation): Promise<unknown> {
  return at.run('integration', 'key', 'add', name, join(at.home.folder, `${name}.json`));
}

export async function anIssuer(name: string, at: Installation): Promise<Thing> {
  const authority = writeAuthority(name, at);
  await addIssuer(name, at);
  const caller = at.callerWith(authority.issue({ commonName: 'ada' }));
  return { id: name, look: () => seen({ grant: certificateGrant(caller, CLIENT) }) };
}

export function writeAuthority(name: string, at: Installation): Authority {
  const authority = makeAuthority({ name });
  writeFileSync(join(at.home.folder, `${name}.pem`), authority.pem);
  return authority;
}

export function addIssuer(name: string, at: Installation): Promise<unknown> {
  return at.run('issuer', 'add', name, join(at.home.folder, `${name}.pem`), '--identity-from', 'common-name');
}

export async function aTokenIssuer(name: string, at: Installation): Promise<Thing> {
  const key = await platformKey();
  writeFileSync(join(at.home.folder, `${name}.json`), keySetOf(key));
  await addTokenIssuer(name, at);
  const grant = async () => {
    const now = Math.floor(Date.now() / 1000);
    const assertion = await key.sign({ ...claimsOf({}, now), iss: platformOf(name), aud: at.issuer });
    const fields = { grant_type: ASSERTION_GRANT, client_id: WORKLOAD_CLIENT, assertion };
    return postForm(at.caller, '/oauth2/token', fields);
  };
  return { id: name, look: () => seen({ grant: grant() }) };
}

const platformOf = (name: string) => `https://${name}.example`;

export function addTokenIssuer(name: string, at: Installation, issuer = platformOf(name)): Promise<unknown> {
  const keys = ['--jwks-file', join(at.home.folder, `${name}.json`)];
  return at.run('token-issuer', 'add', name, '--issuer', issuer, ...keys, '--when', '/repository=acme/app');
}

export async function aResourceServer(name: string, at: Installation): Promise<Thing> {
  await addResourceServer(name, at);
  const draw = async () => ({ id: name, secret: await at.secretFor(name) });
  const [older, newer] = [await draw(), await draw()];
  const ada = at.callerNamed('ada');
  const resource = { client_id: CLIENT, grant_type: 'client_credentials', resource: audienceOf(name) };
  const look = () =>
    seen({
      introspection: introspect('some token', at, older),
      feed: at.caller.ask({ path: '/oauth2/revocations', headers: basic(name, older.secret) }),
      'newer secret': introspect('some token', at, newer),
      audience: postForm(ada, '/oauth2/token', resource),
    });
  return { id: name, look };
}

const audienceOf = (name: string) => `urn:example:${name}`;

export function addResourceServer(name: string, at: Installation): Promise<unknown> {
  return at.run('resource-server', 'add', name, '--audience', audienceOf(name), '--resource', 'orders');
}

export async function aGrant(_: string, at: Installation): Promise<Thing> {
  const pair = await pairByCertificate(at.callerNamed('ada'), JWT_CLIENT);
  const [id = ''] = String(claimsIn(pair.access_token)['jti']).split('.');
  assert.match(id, /^[0-9a-f]{32}$/);
  return { id, look: () => seen(tokens(pair, JWT_CLIENT, at)) };
}
