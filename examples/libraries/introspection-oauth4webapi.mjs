import * as oauth from 'oauth4webapi';

const issuer = new URL('https://tessera.example:8443');
const server = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { algorithm: 'oauth2' }),
);
const client = { client_id: 'orders-api' };
const asked = await oauth.introspectionRequest(
  server,
  client,
  oauth.ClientSecretBasic('SECRET'),
  process.env.ACCESS_TOKEN,
);
const { active, scope } = await oauth.processIntrospectionResponse(server, client, asked);
console.log(active && scope);
