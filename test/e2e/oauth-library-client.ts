// A caller without knowledge of Tessera: unmodified openid-client in its own process. It gets the issuer and a client id,
// discovers the rest, and prints each step as a JSON line.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import * as oauth from 'openid-client';

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

// Node's fetch cannot present a client certificate; the library has a hook for that.
const byCertificate = await discover(oauth.TlsClientAuth());
const agent = new Agent({ cert: readFileSync(certificate), key: readFileSync(key) });
byCertificate[oauth.customFetch] = (url, { method, headers, body }) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      const given = { status: response.statusCode ?? 0, headers: response.headers as Record<string, string> };
      response.on('end', () => resolve(new Response(Buffer.concat(chunks), given)));
    });
    sent.on('error', reject);
    sent.end(body instanceof URLSearchParams ? body.toString() : undefined);
  });
const own = await oauth.clientCredentialsGrant(byCertificate, { scope: 'orders:read' });
say({ step: 'by certificate', scope: own.scope, hasRefreshToken: own.refresh_token !== undefined });
agent.destroy();
