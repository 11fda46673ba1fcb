// Callers without knowledge of Tessera: unmodified openid-client and oauth4webapi, with authorization code and PKCE. The browser is the
// parent, which reads the address and writes what the redirect carried.
import { createInterface } from 'node:readline';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

interface CodeOrder {
  readonly library: 'openid-client' | 'oauth4webapi';
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

const { library, issuer, clientId, redirectUri } = JSON.parse(process.env['ORDER'] ?? '') as CodeOrder;
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const redirects = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function open(address: URL): Promise<URL> {
  say({ open: address.href });
  return new URL(`${redirectUri}?${(await redirects.next()).value}`);
}

async function byOpenidClient(): Promise<void> {
  const config = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), { algorithm: 'oauth2' });
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'orders:read',
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const granted = await openid.authorizationCodeGrant(config, await open(address), { pkceCodeVerifier, expectedState });
  const refreshed = await openid.refreshTokenGrant(config, granted.refresh_token ?? '');
  say({ scope: refreshed.scope });
  await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
}

async function byOauth4webapi(): Promise<void> {
  const address = new URL(issuer);
  const server = await oauth.processDiscoveryResponse(
    address,
    await oauth.discoveryRequest(address, { algorithm: 'oauth2' }),
  );
  const client: oauth.Client = { client_id: clientId };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const authorize = new URL(server.authorization_endpoint ?? '');
  authorize.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'orders:read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const answer = oauth.validateAuthResponse(server, client, await open(authorize), state);
  const redeem = () => oauth.authorizationCodeGrantRequest(server, client, oauth.None(), answer, redirectUri, verifier);
  const granted = await oauth.processAuthorizationCodeResponse(server, client, await redeem());
  say({ scope: granted.scope });
  const again = await oauth.processAuthorizationCodeResponse(server, client, await redeem()).catch((error) => error);
  say({ refused: (again as oauth.ResponseBodyError).error });
}

await (library === 'openid-client' ? byOpenidClient() : byOauth4webapi());
process.exit(0);
