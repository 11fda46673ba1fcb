// A resource server without knowledge of Tessera: unmodified openid-client and oauth4webapi in their own process. They get the
// issuer, an id, a secret and tokens, discover the rest, and print what they learn as JSON lines.
import { readFileSync } from 'node:fs';
import * as plain from 'oauth4webapi';
import * as openid from 'openid-client';
import { certificateFetch } from './certificate-fetch.ts';

const [, , issuer = '', id = '', secret = '', good = '', bad = '', certificate = '', key = ''] = process.argv;
const address = new URL(issuer);

async function learn(step: string, introspect: (token: string) => Promise<Readonly<Record<string, unknown>>>) {
  const { active, scope, sub, aud } = await introspect(good);
  console.log(JSON.stringify({ step, active, scope, sub, aud, bad: await introspect(bad) }));
}

async function byOpenidClient(step: string, authentication: openid.ClientAuth, fetch?: openid.CustomFetch) {
  const config = await openid.discovery(address, id, undefined, authentication);
  if (fetch) config[openid.customFetch] = fetch;
  await learn(step, (token) => openid.tokenIntrospection(config, token));
}

await byOpenidClient('openid-client, basic', openid.ClientSecretBasic(secret));
await byOpenidClient('openid-client, post', openid.ClientSecretPost(secret));
const { fetch, close } = certificateFetch({ cert: readFileSync(certificate), key: readFileSync(key) });
await byOpenidClient('openid-client, certificate', openid.TlsClientAuth(), fetch);
close();

const found = await plain.discoveryRequest(address, { algorithm: 'oauth2' });
const server = await plain.processDiscoveryResponse(address, found);
const client: plain.Client = { client_id: id };
await learn('oauth4webapi, basic', async (token) => {
  const response = await plain.introspectionRequest(server, client, plain.ClientSecretBasic(secret), token);
  return plain.processIntrospectionResponse(server, client, response);
});
