// A program without knowledge of Tessera: unmodified client libraries in their own process. It gets the issuer, a Client ID, a secret, a
// file with a private key and an access token to exchange, discovers the rest, and prints each step as a JSON line.
import { readFileSync } from 'node:fs';
import { importPKCS8 } from 'jose';
import * as plain from 'oauth4webapi';
import * as openid from 'openid-client';

const [, , issuer = '', clientId = '', secret = '', keyFile = '', subject = ''] = process.argv;
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const say = (line: object) => console.log(JSON.stringify(line));
const key = await importPKCS8(readFileSync(keyFile, 'utf8'), 'ES256');
const exchanged = {
  subject_token: subject,
  subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  scope: 'orders:read',
};

for (const [how, method] of [
  ['private_key_jwt', openid.PrivateKeyJwt(key)],
  ['client_secret_post', openid.ClientSecretPost(secret)],
  ['client_secret_basic', openid.ClientSecretBasic(secret)],
] as const) {
  const config = await openid.discovery(new URL(issuer), clientId, undefined, method);
  const granted = await openid.clientCredentialsGrant(config, { scope: 'orders:read' });
  say({ by: 'openid-client', how, scope: granted.scope, type: granted.token_type });
  const next = await openid.genericGrantRequest(config, EXCHANGE, exchanged);
  say({ by: 'openid-client', how: `exchange, ${how}`, scope: next.scope, type: next['issued_token_type'] });
}

const config = await openid.discovery(new URL(issuer), clientId, undefined, openid.PrivateKeyJwt(key));
const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
const bound = await openid.clientCredentialsGrant(config, { scope: 'orders:read' }, { DPoP });
say({ by: 'openid-client', how: 'DPoP', scope: bound.scope, type: bound.token_type });

const url = new URL(issuer);
const server = await plain.processDiscoveryResponse(url, await plain.discoveryRequest(url, { algorithm: 'oauth2' }));
const client: plain.Client = { client_id: clientId };
const parameters = new URLSearchParams({ scope: 'orders:read' });
for (const [how, method] of [
  ['private_key_jwt', plain.PrivateKeyJwt(key)],
  ['client_secret_post', plain.ClientSecretPost(secret)],
  ['client_secret_basic', plain.ClientSecretBasic(secret)],
] as const) {
  const sent = await plain.clientCredentialsGrantRequest(server, client, method, parameters);
  const granted = await plain.processClientCredentialsResponse(server, client, sent);
  say({ by: 'oauth4webapi', how, scope: granted.scope, type: granted.token_type });
  const asked = new URLSearchParams(exchanged);
  const answer = await plain.genericTokenEndpointRequest(server, client, method, EXCHANGE, asked);
  const next = await plain.processGenericTokenEndpointResponse(server, client, answer);
  say({ by: 'oauth4webapi', how: `exchange, ${how}`, scope: next.scope, type: next['issued_token_type'] });
}

const proofs = plain.DPoP(client, await plain.generateKeyPair('ES256'));
const request = () =>
  plain.clientCredentialsGrantRequest(server, client, plain.PrivateKeyJwt(key), parameters, { DPoP: proofs });
async function granted(again: boolean): Promise<plain.TokenEndpointResponse> {
  try {
    return await plain.processClientCredentialsResponse(server, client, await request());
  } catch (error) {
    if (again && plain.isDPoPNonceError(error)) return granted(false);
    throw error;
  }
}
const { scope, token_type: type } = await granted(true);
say({ by: 'oauth4webapi', how: 'DPoP', scope, type });
