// A caller without knowledge of Tessera: unmodified oauth4webapi in its own process. It prints each step as a JSON line.
import { setTimeout as wait } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';

const [, , issuer = '', clientId = ''] = process.argv;
const say = (line: object) => console.log(JSON.stringify(line));
const client: oauth.Client = { client_id: clientId };
const none = oauth.None();

const address = new URL(issuer);
const found = await oauth.discoveryRequest(address, { algorithm: 'oauth2' });
const server = await oauth.processDiscoveryResponse(address, found);

const asked = await oauth.deviceAuthorizationRequest(server, client, none, { scope: 'orders:read' });
const started = await oauth.processDeviceAuthorizationResponse(server, client, asked);
say({ step: 'started', user_code: started.user_code });

async function poll(): Promise<oauth.TokenEndpointResponse> {
  for (;;) {
    await wait((started.interval ?? 5) * 1000);
    const polled = await oauth.deviceCodeGrantRequest(server, client, none, started.device_code);
    try {
      return await oauth.processDeviceCodeResponse(server, client, polled);
    } catch (error) {
      if (!(error instanceof oauth.ResponseBodyError) || error.error !== 'authorization_pending') throw error;
    }
  }
}

async function refresh(token = ''): Promise<oauth.TokenEndpointResponse> {
  const sent = await oauth.refreshTokenGrantRequest(server, client, none, token);
  return oauth.processRefreshTokenResponse(server, client, sent);
}

const granted = await poll();
say({ step: 'granted', scope: granted.scope });
const refreshed = await refresh(granted.refresh_token);
say({ step: 'refreshed', scope: refreshed.scope, isNew: refreshed.refresh_token !== granted.refresh_token });

const revoked = await oauth.revocationRequest(server, client, none, refreshed.refresh_token ?? '');
await oauth.processRevocationResponse(revoked);
const { error: code, status } = (await refresh(refreshed.refresh_token).catch((error: unknown) => error)) as {
  error: string;
  status: number;
};
say({ step: 'revoked', code, status });
