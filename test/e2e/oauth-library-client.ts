// A caller without knowledge of Tessera: unmodified openid-client in its own process. It gets the issuer and a client id,
// discovers the rest, and prints each step as a JSON line.
import { readFileSync } from 'node:fs';
import * as oauth from 'openid-client';
import { certificateFetch } from './certificate-fetch.ts';

const [, , issuer = '', clientId = '', algorithm = 'oidc', certificate = '', key = ''] = process.argv;
const say = (line: object) => console.log(JSON.stringify(line));
const discover = (authentication: oauth.ClientAuth) =>
  oauth.discovery(new URL(issuer), clientId, undefined, authentication, { algorithm: algorithm as 'oidc' | 'oauth2' });

const config = await discover(oauth.None());
const started = await oauth.initiateDeviceAuthorization(config, {});
say({ step: 'started', user_code: started.user_code });
const granted = await oauth.pollDeviceAuthorizationGrant(config, started);
say({ step: 'granted', scope: granted.scope, token_type: granted.token_type, expires_in: granted.expires_in });

const refreshed = await oauth.refreshTokenGrant(config, granted.refresh_token ?? '', { scope: 'orders:read' });
say({ step: 'refreshed', scope: refreshed.scope, isNew: refreshed.refresh_token !== granted.refresh_token });

await oauth.tokenRevocation(config, refreshed.access_token, { token_type_hint: 'access_token' });
const refusal = await oauth.refreshTokenGrant(config, refreshed.refresh_token ?? '').catch((error: unknown) => error);
const { error: code, status } = refusal as oauth.ResponseBodyError;
say({ step: 'revoked', code, status });

const byCertificate = await discover(oauth.TlsClientAuth());
const { fetch, close } = certificateFetch({ cert: readFileSync(certificate), key: readFileSync(key) });
byCertificate[oauth.customFetch] = fetch;
const own = await oauth.clientCredentialsGrant(byCertificate, { scope: 'orders:read' });
say({ step: 'by certificate', scope: own.scope, hasRefreshToken: own.refresh_token !== undefined });
close();
