// Requests to the authsvc door: what it takes, and everything that can be wrong with a request.

/** What earlier answers said, by name. */
type Seen = Readonly<Record<string, string>>;

export interface Step {
  readonly name: string;
  readonly request: (seen: Seen) => string;
  readonly withCertificate?: boolean;
  readonly remember?: (answer: string) => Readonly<Record<string, string>>;
}

const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
const [CERTIFICATE, DEVICE, TOKEN, VERIFY, REVOKE] = [
  'Authorize/Certificate',
  'Authorize/Device',
  'Authorize/Token',
  'Authorize/Verify',
  'Revoke/Token',
] as const;
const PATHS = [CERTIFICATE, DEVICE, TOKEN, VERIFY, REVOKE];
const CLIENT = 'quickstart';
const SCOPE = 'orders:read';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

function http(method: string, path: string, headers: readonly string[] = [], body?: string): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [`${method} /authsvc/${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, ...length];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

const postJson = (path: string, fields: object) => http('POST', path, [JSON_TYPE], JSON.stringify(fields));
const postForm = (path: string, fields: Record<string, string>) =>
  http('POST', path, [FORM_TYPE], new URLSearchParams(fields).toString());
const get = (path: string, token: string | undefined) => http('GET', path, [`Authorization: Bearer ${token}`]);

/** The named texts of a JSON body. */
function taking(...names: readonly string[]): (answer: string) => Record<string, string> {
  return (answer) => {
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Record<string, string>;
    return Object.fromEntries(names.map((name) => [name, String(body[name])]));
  };
}

function step(name: string, request: Step['request'], more: Partial<Step> = {}): Step {
  return { name, request, ...more };
}

/** Every operation in the order of a grant's life, then what is refused. */
export function bodySteps(): Step[] {
  return [...grantLife(), ...deviceLife(), ...refusedCredentials(), ...refusedForms()];
}

function grantLife(): Step[] {
  const pair = { remember: taking('access_token', 'refresh_token') };
  const byCertificate = { ...pair, withCertificate: true };
  const refresh = ({ refresh_token }: Seen) => postJson(TOKEN, { client_id: CLIENT, refresh_token });
  return [
    step('a token by certificate', () => postJson(CERTIFICATE, { client_id: CLIENT, scope: SCOPE }), byCertificate),
    step('verify', ({ access_token }) => get(VERIFY, access_token)),
    step('refresh', refresh),
    step('refresh, retried', refresh, pair),
    step('refresh with grant_type', ({ refresh_token }) =>
      postForm(TOKEN, { client_id: CLIENT, grant_type: 'refresh_token', refresh_token: refresh_token ?? '' }),
    ),
    step('verify the next generation', ({ access_token }) => get(VERIFY, access_token)),
    step('verify a refresh token', ({ refresh_token }) => get(VERIFY, refresh_token)),
    step('another integration', ({ refresh_token }) => postJson(TOKEN, { client_id: 'nobody', refresh_token })),
    step('revoke', ({ access_token }) => get(REVOKE, access_token)),
    step('revoke again', ({ access_token }) => get(REVOKE, access_token)),
    step('verify when revoked', ({ access_token }) => get(VERIFY, access_token)),
    step('refresh when revoked', refresh),
  ];
}

function deviceLife(): Step[] {
  const poll = ({ device_code = '' }: Seen) =>
    postForm(TOKEN, { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code });
  const started = { remember: taking('device_code') };
  return [
    step('a device', () => postJson(DEVICE, { client_id: CLIENT, scope: SCOPE }), started),
    step('a device by form', () => postForm(DEVICE, { client_id: CLIENT, scope: SCOPE }), started),
    step('poll', poll),
    step('poll at once', poll),
    step('poll at once, again', poll),
    step('poll in JSON', ({ device_code }) =>
      postJson(TOKEN, { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code }),
    ),
    step('poll without grant_type', ({ device_code }) => postJson(TOKEN, { client_id: CLIENT, device_code })),
    step('poll for nobody', ({ device_code }) => postJson(TOKEN, { client_id: 'nobody', device_code })),
  ];
}

function refusedCredentials(): Step[] {
  const tokens = ['', 'x', 'tsa_AgEB', 'tsr_AQEB', 'eyJhbGciOiJub25lIn0.e30.', 'tsc_x'];
  const scopes = [
    '',
    'orders',
    'orders:delete',
    'orders:read;stock:read',
    'orders:read stock:read',
    'tessera:admin',
    ':',
    'x'.repeat(5000),
  ];
  return [
    ...tokens.flatMap((token) => [
      step(`verify ${token}`, () => get(VERIFY, token)),
      step(`revoke ${token}`, () => get(REVOKE, token)),
      step(`refresh ${token}`, () => postJson(TOKEN, { client_id: CLIENT, refresh_token: token })),
      step(`redeem ${token}`, () => postJson(TOKEN, { client_id: CLIENT, device_code: token })),
    ]),
    ...scopes.flatMap((scope) => [
      step(`scope ${scope.slice(0, 30)} by certificate`, () => postJson(CERTIFICATE, { client_id: CLIENT, scope }), {
        withCertificate: true,
      }),
      step(`scope ${scope.slice(0, 30)} by device`, () => postJson(DEVICE, { client_id: CLIENT, scope })),
    ]),
    ...['client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer', 'password', ''].map((grant_type) =>
      step(`grant_type ${grant_type}`, () => postJson(TOKEN, { client_id: CLIENT, grant_type, assertion: 'x' }), {
        withCertificate: true,
      }),
    ),
    step(
      'resource is unknown here',
      () => postJson(CERTIFICATE, { client_id: CLIENT, scope: SCOPE, resource: 'urn:x' }),
      { withCertificate: true },
    ),
    step('no certificate', () => postJson(CERTIFICATE, { client_id: CLIENT, scope: SCOPE })),
    step('a token in the URL', () => http('GET', `${VERIFY}?access_token=x`)),
  ];
}

const BODIES: readonly (readonly [name: string, headers: readonly string[], body: string])[] = [
  ['no body', [], ''],
  ['an empty object', [JSON_TYPE], '{}'],
  ['a list', [JSON_TYPE], '[]'],
  ['half an object', [JSON_TYPE], '{"client_id":'],
  ['a number', [JSON_TYPE], '{"client_id":1}'],
  ['a key twice', [JSON_TYPE], '{"client_id":"a","client_id":"a"}'],
  ['another charset', ['Content-Type: application/json; charset=iso-8859-1'], '{}'],
  ['text', ['Content-Type: text/plain'], '{}'],
  ['compressed', [JSON_TYPE, 'Content-Encoding: gzip'], '{}'],
  ['a form', [FORM_TYPE], 'client_id=a'],
  ['a form with a key twice', [FORM_TYPE], 'client_id=a&client_id=a'],
  ['HTTP Basic', [FORM_TYPE, `Authorization: Basic ${btoa(`${CLIENT}:`)}`], 'scope=orders:read'],
];

function refusedForms(): Step[] {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'FOO'];
  return PATHS.flatMap((path) => [
    ...methods.map((method) => step(`${method} ${path}`, () => http(method, path))),
    ...BODIES.map(([name, headers, body]) => step(`${path}: ${name}`, () => http('POST', path, headers, body))),
    step(`${path} in capitals, with a slash`, () => http('POST', `${path.toUpperCase()}/`, [JSON_TYPE], '{}')),
    step(`${path} of another site`, () => http('POST', path, [JSON_TYPE, 'Origin: https://other.example'], '{}')),
    step(`below ${path}`, () => http('GET', `${path}/x`)),
  ]);
}
