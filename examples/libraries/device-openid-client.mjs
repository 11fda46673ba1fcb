import * as oauth from 'openid-client';

const config = await oauth.discovery(new URL('https://tessera.example:8443'), 'CLIENT_ID', undefined, oauth.None());
const started = await oauth.initiateDeviceAuthorization(config, { scope: 'orders:read' });
console.log(`Open ${started.verification_uri} and enter ${started.user_code}`);
const granted = await oauth.pollDeviceAuthorizationGrant(config, started);
const refreshed = await oauth.refreshTokenGrant(config, granted.refresh_token);
console.log(refreshed.scope);
await oauth.tokenRevocation(config, refreshed.refresh_token);
