import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { ClientCredentials } from 'simple-oauth2';

const https = new Agent({
  cert: readFileSync('client.pem'),
  key: readFileSync('client-key.pem'),
  ca: readFileSync('authority.pem'),
});
const client = new ClientCredentials({
  client: { id: 'CLIENT_ID', secret: '' },
  auth: { tokenHost: 'https://tessera.example:8443', tokenPath: '/oauth2/token', revokePath: '/oauth2/revoke' },
  http: { agent: https },
});
const granted = await client.getToken({ scope: ['orders:read'] });
const refreshed = await granted.refresh();
console.log(refreshed.token.scope);
await refreshed.revokeAll();
https.destroy();
