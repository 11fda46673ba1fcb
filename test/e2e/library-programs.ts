// Programs without knowledge of Tessera: unmodified openid-client and oauth4webapi, which discover everything but the issuer and a client
// id. Each runs in a process of its own, and prints its steps as JSON lines.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { type CryptoKey, importPKCS8 } from 'jose';
import * as plain from 'oauth4webapi';
import * as openid from 'openid-client';

const [program = '', issuer = '', clientId = '', ...args] = process.argv.slice(2);
const GRANT = 'urn:ietf:params:oauth:grant-type:';
const SCOPE = { scope: 'orders:read' };
const client: plain.Client = { client_id: clientId };
const say = (line: object) => console.log(JSON.stringify(line));

const configured = (method: openid.ClientAuth, algorithm: 'oidc' | 'oauth2' = 'oidc') =>
  openid.discovery(new URL(issuer), clientId, undefined, method, { algorithm });

async function discovered(): Promise<plain.AuthorizationServer> {
  const found = await plain.discoveryRequest(new URL(issuer), { algorithm: 'oauth2' });
  return plain.processDiscoveryResponse(new URL(issuer), found);
}

/** What a server refused, in the words of the library. */
async function refusalOf(asking: Promise<unknown>) {
  const error = await asking.catch((fault: unknown) => fault);
  const { error: code, error_description: description, status } = error as openid.ResponseBodyError;
  return { code, description, status };
}

/** Node's fetch cannot present a client certificate. Libraries have a hook for one that can. */
function certificateFetch([certificate = '', key = '']: readonly string[]) {
  const agent = new Agent({ cert: readFileSync(certificate), key: readFileSync(key) });
  const fetch: openid.CustomFetch = (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent }, (response) => {
        const given = { status: response.statusCode ?? 0, headers: response.headers as Record<string, string> };
        response.toArray().then((chunks) => resolve(new Response(Buffer.concat(chunks), given)), reject);
      });
      sent.on('error', reject).end(body instanceof URLSearchParams ? body.toString() : undefined);
    });
  return { fetch, close: () => agent.destroy() };
}

async function pollByOpenidClient(config: openid.Configuration, parameters: Record<string, string>) {
  const started = await openid.initiateDeviceAuthorization(config, parameters);
  say({ step: 'started', user_code: started.user_code });
  const granted = await openid.pollDeviceAuthorizationGrant(config, started);
  say({ step: 'granted', scope: granted.scope, token_type: granted.token_type, expires_in: granted.expires_in });
  return granted;
}

/** At the addresses of the contract, without discovery. Contract 4.1: a refresh takes JSON, where OAuth says form. */
async function atTheContract(): Promise<void> {
  const endpoints = {
    device_authorization_endpoint: `${issuer}/Authorize/Device`,
    token_endpoint: `${issuer}/Authorize/Token`,
  };
  const config = new openid.Configuration({ issuer, ...endpoints }, clientId, undefined, openid.None());
  const { refresh_token = '' } = await pollByOpenidClient(config, SCOPE);
  say({ step: 'form refused', ...(await refusalOf(openid.refreshTokenGrant(config, refresh_token))) });
  // The library's own hook for such servers: the same request, its body as JSON.
  config[openid.customFetch] = (url, { body, headers, ...options }) => {
    const json = body instanceof URLSearchParams ? JSON.stringify(Object.fromEntries(body)) : body;
    const typed = { ...headers, 'content-type': 'application/json' };
    return fetch(url, { ...options, headers: typed, body: json } as RequestInit);
  };
  const refreshed = await openid.refreshTokenGrant(config, refresh_token);
  say({ step: 'refreshed', scope: refreshed.scope, isNew: refreshed.refresh_token !== refresh_token });
  const { code, status } = await refusalOf(openid.refreshTokenGrant(config, `${refresh_token}=`));
  say({ step: 'forged', code, status });
}

async function deviceByOpenidClient(): Promise<void> {
  const [algorithm, ...own] = args;
  const config = await configured(openid.None(), algorithm as 'oidc' | 'oauth2');
  const granted = await pollByOpenidClient(config, {});
  const refreshed = await openid.refreshTokenGrant(config, granted.refresh_token ?? '', SCOPE);
  say({ step: 'refreshed', scope: refreshed.scope, isNew: refreshed.refresh_token !== granted.refresh_token });
  await openid.tokenRevocation(config, refreshed.access_token, { token_type_hint: 'access_token' });
  const { code, status } = await refusalOf(openid.refreshTokenGrant(config, refreshed.refresh_token ?? ''));
  say({ step: 'revoked', code, status });
  const byCertificate = await configured(openid.TlsClientAuth(), algorithm as 'oidc' | 'oauth2');
  const { fetch, close } = certificateFetch(own);
  byCertificate[openid.customFetch] = fetch;
  const { scope, refresh_token } = await openid.clientCredentialsGrant(byCertificate, SCOPE);
  say({ step: 'by certificate', scope, hasRefreshToken: refresh_token !== undefined });
  close();
}

async function deviceByOauth4webapi(): Promise<void> {
  const [server, none] = [await discovered(), plain.None()];
  const asked = await plain.deviceAuthorizationRequest(server, client, none, SCOPE);
  const started = await plain.processDeviceAuthorizationResponse(server, client, asked);
  say({ step: 'started', user_code: started.user_code });
  async function poll(): Promise<plain.TokenEndpointResponse> {
    await wait((started.interval ?? 5) * 1000);
    const polled = await plain.deviceCodeGrantRequest(server, client, none, started.device_code);
    return plain.processDeviceCodeResponse(server, client, polled).catch((error: unknown) => {
      if (error instanceof plain.ResponseBodyError && error.error === 'authorization_pending') return poll();
      throw error;
    });
  }
  const refresh = async (token = '') =>
    plain.processRefreshTokenResponse(
      server,
      client,
      await plain.refreshTokenGrantRequest(server, client, none, token),
    );
  const granted = await poll();
  say({ step: 'granted', scope: granted.scope });
  const refreshed = await refresh(granted.refresh_token);
  say({ step: 'refreshed', scope: refreshed.scope, isNew: refreshed.refresh_token !== granted.refresh_token });
  const revoked = await plain.revocationRequest(server, client, none, refreshed.refresh_token ?? '');
  await plain.processRevocationResponse(revoked);
  const { code, status } = await refusalOf(refresh(refreshed.refresh_token));
  say({ step: 'revoked', code, status });
}

/** As a resource server. */
async function introspection(): Promise<void> {
  const [secret = '', good = '', bad = '', ...own] = args;
  type Learn = (token: string) => Promise<Readonly<Record<string, unknown>>>;
  const learn = async (step: string, introspect: Learn) => {
    const { active, scope, sub, aud } = await introspect(good);
    say({ step, active, scope, sub, aud, bad: await introspect(bad) });
  };
  const { fetch, close } = certificateFetch(own);
  for (const [how, method, custom] of [
    ['basic', openid.ClientSecretBasic(secret)],
    ['post', openid.ClientSecretPost(secret)],
    ['certificate', openid.TlsClientAuth(), fetch],
  ] as const) {
    const config = await configured(method);
    if (custom) config[openid.customFetch] = custom;
    await learn(`openid-client, ${how}`, (token) => openid.tokenIntrospection(config, token));
  }
  close();
  const [server, basic] = [await discovered(), plain.ClientSecretBasic(secret)];
  await learn('oauth4webapi, basic', async (token) => {
    const response = await plain.introspectionRequest(server, client, basic, token);
    return plain.processIntrospectionResponse(server, client, response);
  });
}

/** With keys, secrets, exchange and DPoP. */
async function authentication(): Promise<void> {
  const [secret = '', keyFile = '', subject_token = ''] = args;
  const key = await importPKCS8(readFileSync(keyFile, 'utf8'), 'ES256');
  const exchange = `${GRANT}token-exchange`;
  const exchanged = { subject_token, subject_token_type: 'urn:ietf:params:oauth:token-type:access_token', ...SCOPE };
  interface Methods<T> {
    readonly PrivateKeyJwt: (key: CryptoKey) => T;
    readonly ClientSecretPost: (secret: string) => T;
    readonly ClientSecretBasic: (secret: string) => T;
  }
  const methodsOf = <T>({ PrivateKeyJwt, ClientSecretPost, ClientSecretBasic }: Methods<T>) => ({
    private_key_jwt: PrivateKeyJwt(key),
    client_secret_post: ClientSecretPost(secret),
    client_secret_basic: ClientSecretBasic(secret),
  });
  const tell = (by: string, how: string, { scope }: { scope?: string }, type: unknown) => say({ by, how, scope, type });

  for (const [how, method] of Object.entries(methodsOf(openid))) {
    const config = await configured(method);
    const granted = await openid.clientCredentialsGrant(config, SCOPE);
    tell('openid-client', how, granted, granted.token_type);
    const next = await openid.genericGrantRequest(config, exchange, exchanged);
    tell('openid-client', `exchange, ${how}`, next, next['issued_token_type']);
  }
  const config = await configured(openid.PrivateKeyJwt(key));
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
  const bound = await openid.clientCredentialsGrant(config, SCOPE, { DPoP });
  tell('openid-client', 'DPoP', bound, bound.token_type);

  const [server, parameters] = [await discovered(), new URLSearchParams(SCOPE)];
  for (const [how, method] of Object.entries(methodsOf(plain))) {
    const sent = await plain.clientCredentialsGrantRequest(server, client, method, parameters);
    const granted = await plain.processClientCredentialsResponse(server, client, sent);
    tell('oauth4webapi', how, granted, granted.token_type);
    const asked = new URLSearchParams(exchanged);
    const answer = await plain.genericTokenEndpointRequest(server, client, method, exchange, asked);
    const next = await plain.processGenericTokenEndpointResponse(server, client, answer);
    tell('oauth4webapi', `exchange, ${how}`, next, next['issued_token_type']);
  }
  const proofs = { DPoP: plain.DPoP(client, await plain.generateKeyPair('ES256')) };
  const byKey = async (): Promise<plain.TokenEndpointResponse> => {
    const method = plain.PrivateKeyJwt(key);
    const sent = await plain.clientCredentialsGrantRequest(server, client, method, parameters, proofs);
    return plain.processClientCredentialsResponse(server, client, sent);
  };
  const granted = await byKey().catch((error: unknown) => {
    if (plain.isDPoPNonceError(error)) return byKey();
    throw error;
  });
  tell('oauth4webapi', 'DPoP', granted, granted.token_type);
}

/** With assertions, which are in files. */
async function assertions(): Promise<void> {
  const [first = '', second = ''] = args.map((file) => readFileSync(file, 'utf8'));
  const config = await configured(openid.None());
  const grant = () => openid.genericGrantRequest(config, `${GRANT}jwt-bearer`, { assertion: first });
  const granted = await grant();
  say({ by: 'openid-client', scope: granted.scope, hasRefreshToken: granted.refresh_token !== undefined });
  const { code, status } = await refusalOf(grant());
  say({ by: 'openid-client', code, status });
  const [server, none] = [await discovered(), plain.None()];
  const asked = new URLSearchParams({ assertion: second, scope: 'stock:read' });
  const answer = await plain.genericTokenEndpointRequest(server, client, none, `${GRANT}jwt-bearer`, asked);
  const { scope } = await plain.processGenericTokenEndpointResponse(server, client, answer);
  say({ by: 'oauth4webapi', scope });
}

const PROGRAMS = {
  atTheContract,
  deviceByOpenidClient,
  deviceByOauth4webapi,
  introspection,
  authentication,
  assertions,
};
export type Program = keyof typeof PROGRAMS;
await PROGRAMS[program as Program]();
