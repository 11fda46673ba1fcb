// A caller without knowledge of Tessera: unmodified openid-client in its own process. It gets
// two endpoints and prints each step as a JSON line.
import * as oauth from 'openid-client';

const [, , base = '', clientId = '', scope = ''] = process.argv;
const say = (line: object) => console.log(JSON.stringify(line));

const server = {
  issuer: base,
  device_authorization_endpoint: `${base}/Authorize/Device`,
  token_endpoint: `${base}/Authorize/Token`,
};
const config = new oauth.Configuration(server, clientId, undefined, oauth.None());

const started = await oauth.initiateDeviceAuthorization(config, { scope });
say({ step: 'started', user_code: started.user_code });
const granted = await oauth.pollDeviceAuthorizationGrant(config, started);
say({ step: 'granted', scope: granted.scope, token_type: granted.token_type, expires_in: granted.expires_in });

// Contract 4.1: a refresh takes application/json, where OAuth says form. Unmodified, the library is refused, and says why.
const refresh_token = granted.refresh_token ?? '';
try {
  await oauth.refreshTokenGrant(config, refresh_token);
} catch (error) {
  const { error: code, error_description: description, status } = error as oauth.ResponseBodyError;
  say({ step: 'form refused', code, description, status });
}

// The library's own hook for such servers: the same request, its body as JSON.
config[oauth.customFetch] = (url, { body, headers, ...options }) => {
  const json = body instanceof URLSearchParams ? JSON.stringify(Object.fromEntries(body)) : body;
  return fetch(url, {
    ...options,
    headers: { ...headers, 'content-type': 'application/json' },
    body: json,
  } as RequestInit);
};
const refreshed = await oauth.refreshTokenGrant(config, refresh_token);
say({ step: 'refreshed', scope: refreshed.scope, isNew: refreshed.refresh_token !== refresh_token });

try {
  await oauth.refreshTokenGrant(config, `${refresh_token}=`);
} catch (error) {
  const { error: code, status } = error as oauth.ResponseBodyError;
  say({ step: 'forged', code, status });
}
