// A workload without knowledge of Tessera: unmodified client libraries in their own process. It gets the issuer, a client id
// and files with assertions, discovers the rest, and prints each step as a JSON line.
import { readFileSync } from 'node:fs';
import * as plain from 'oauth4webapi';
import * as openid from 'openid-client';

const [, , issuer = '', clientId = '', ...files] = process.argv;
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const say = (line: object) => console.log(JSON.stringify(line));
const [first = '', second = ''] = files.map((file) => readFileSync(file, 'utf8'));

const config = await openid.discovery(new URL(issuer), clientId, undefined, openid.None());
const granted = await openid.genericGrantRequest(config, GRANT_TYPE, { assertion: first });
say({ by: 'openid-client', scope: granted.scope, hasRefreshToken: granted.refresh_token !== undefined });
const again = await openid
  .genericGrantRequest(config, GRANT_TYPE, { assertion: first })
  .catch((error: unknown) => error);
const { error: code, status } = again as openid.ResponseBodyError;
say({ by: 'openid-client', code, status });

const url = new URL(issuer);
const found = await plain.discoveryRequest(url, { algorithm: 'oauth2' });
const server = await plain.processDiscoveryResponse(url, found);
const client: plain.Client = { client_id: clientId };
const parameters = new URLSearchParams({ assertion: second, scope: 'stock:read' });
const answer = await plain.genericTokenEndpointRequest(server, client, plain.None(), GRANT_TYPE, parameters);
const { scope } = await plain.processGenericTokenEndpointResponse(server, client, answer);
say({ by: 'oauth4webapi', scope });
