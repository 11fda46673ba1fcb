// The one schema of the configuration: it validates, gives the TypeScript type, the JSON Schema file for editors and
// docs/configuration.md.
import { JWT_LIFETIME_MAX, REFRESHES_LOGGED, DEFAULT_SETTINGS as usual } from '../core/settings.ts';
import { optional, type ValueOf } from '../schema.ts';
import { directories } from './sections/directories.ts';
import { limits } from './sections/limits.ts';
import { listeners } from './sections/listeners.ts';
import {
  choice,
  documentHosts,
  duration,
  entries,
  flag,
  keyringSource,
  NOT_ZERO,
  networks,
  path,
  section,
  storeAddress,
  text,
  url,
  whole,
} from './setting.ts';

const WITHIN_A_DAY = { ...NOT_ZERO, most: JWT_LIFETIME_MAX };

export const CONFIG_SCHEMA = section('Settings of Tessera, a token issuance service.', {
  publicUrl: optional(
    url('The public address: https, without a path. Required unless every listener is on loopback.', {
      example: 'https://tokens.example.com',
    }),
  ),
  dataFolder: path('The folder for data.', { default: './data', example: '/var/lib/tessera' }),
  store: storeAddress('`sqlite:PATH` or `postgres://…`.', 'sqlite:<dataFolder>/tessera.db'),
  keyring: keyringSource('The server keys: a file of mode 0600, or `env:NAME`.', '<dataFolder>/keyring.json'),
  onRollback: choice(
    ['wait', 'resume'],
    'After the database was put back: `wait` for an operator, with 503, or `resume` where possible (docs/postgresql.md).',
    'wait',
  ),
  listeners,
  proxies: section('Proxies whose headers are trusted.', {
    addresses: networks('Proxies whose headers are trusted: addresses or networks (CIDR).', ['10.0.0.0/24'], {
      not: { type: 'array', contains: { type: 'string', pattern: '/0$' } },
    }),
    clientCertificateHeader: choice(
      ['off', 'rfc9440', 'url-encoded-pem', 'xfcc'],
      'How a proxy forwards the client certificate: `off`, `rfc9440` (`Client-Cert`, `Client-Cert-Chain`), `url-encoded-pem` (nginx), `xfcc` (Envoy).',
      { default: 'off', example: 'rfc9440' },
    ),
    headerName: optional(
      text('the name of a header', '^[A-Za-z0-9-]{1,64}$', 'The name of that header, if not the usual one.', {
        example: 'X-Client-Cert',
      }),
    ),
  }),
  authsvc: section('The door for programs written for docs/contract.md.', {
    mounts: entries(
      'Paths of the authsvc door (docs/contract.md). The list replaces the default.',
      {
        path: text('a path such as /authsvc', '^(/[A-Za-z0-9._~-]+)+$', 'The path; case-insensitive.', '/authsvc'),
        errorKeys: choice(
          ['spec', 'oauth', 'both'],
          'The fields of an error: `spec` (`Error`, `Error_description`), `oauth` (`error`, `error_description`), or `both`.',
          'spec',
        ),
      },
      [{ path: '/authsvc', errorKeys: 'spec' }],
    ),
  }),
  oauth: section('The door for OAuth libraries (docs/callers.md).', {
    enabled: flag('Whether it is served, with metadata under `/.well-known`.', true),
    mount: text('a path such as /oauth2', '^(/[A-Za-z0-9._~-]+)+$', 'Its path; case-sensitive.', '/oauth2'),
    clientDocuments: documentHosts(
      'Hosts whose clients need no registration (docs/agents.md). `redirects: listed` allows redirect URIs of other origins.',
    ),
    clientDocumentAddresses: networks('Private addresses to fetch such documents from.', ['10.2.0.0/16']),
    guestIntegration: text(
      'the Client ID of an integration',
      '^[!-~]{1,128}$',
      'The integration of clients with a document.',
      'guests',
    ),
  }),
  tokens: section('An integration can override lifetimes.', {
    accessTokenLifetime: duration('How long an access token works.', usual.accessTokenLifetime, NOT_ZERO),
    oauthTokenLifetime: duration(
      'The same for access tokens of `/oauth2` that come by a code, or without refresh token, if shorter (docs/oauth.md).',
      usual.oauthTokenLifetime,
      NOT_ZERO,
    ),
    jwtLifetime: duration('How long a JWT access token works, at most 24h.', usual.jwtLifetime, WITHIN_A_DAY),
    signingKeyPublishedFor: duration(
      'How long a signing key is published before it signs.',
      usual.signingKeyPublishedFor,
    ),
    grantLifetime: duration('How long a new grant can be refreshed.', usual.grantLifetime, NOT_ZERO),
    refresh: flag('Whether responses contain a refresh token.', usual.refresh),
    refreshRetryWindow: duration(
      'How long a spent refresh token gets the same pair again. Choose at least 13s.',
      usual.refreshRetryWindow,
    ),
    refreshSiblingWindow: duration(
      'How long a program may still use a refresh token that another program with the same login has refreshed (docs/agents.md). Guests by document have at least 7 days, unless their integration sets it.',
      usual.refreshSiblingWindow,
    ),
    onReuse: choice(
      ['revoke', 'report'],
      'If a spent refresh token is presented later, `revoke` ends the grant, `report` only writes an event.',
      usual.onReuse,
    ),
    accessTokenOverlap: optional(duration('Ends older access tokens this long after a refresh.', { example: '5m' })),
  }),
  device: section('A person confirms in a browser.', {
    enabled: flag('Whether it is offered. An integration can switch it off.', usual.deviceFlow),
    codeLifetime: duration('How long a device code and its user code work.', usual.deviceCodeLifetime, NOT_ZERO),
    pollInterval: duration('How often a device may poll.', usual.pollInterval, NOT_ZERO),
    wrongUserCodes: whole([1, 100], 'Wrong user codes per identity within `codeLifetime`.', usual.wrongUserCodes),
    failedSignIns: whole(
      [1, 100],
      'Failed sign-ins in known browsers that spend a user code.',
      usual.failedSignInsPerDeviceCode,
    ),
  }),
  signIn: section('Passwords and browser sessions.', {
    passwords: flag('Whether people may sign in with a password.', usual.passwords),
    failedPerIdentity: whole([1, 1000], 'Failed sign-ins per user name and window.', usual.failedSignInsPerIdentity),
    failedPerAddress: whole(
      [1, 100_000],
      'The same per address, from unknown browsers.',
      usual.failedSignInsPerAddress,
    ),
    window: duration('The window of these limits.', usual.signInWindow, NOT_ZERO),
    knownBrowserLifetime: duration('How long a browser stays known.', usual.knownBrowserLifetime),
    sessionIdle: duration('A session ends when unused for this long.', usual.sessionIdle, NOT_ZERO),
    sessionLifetime: duration('A session ends this long after sign-in.', usual.sessionLifetime, NOT_ZERO),
  }),
  directories,
  limits,
  revocation: section('Fetching revocation lists and OCSP responses.', {
    listBytes: whole([65_536, 1_073_741_824], 'Size of a list.', 67_108_864),
    addressesPerIssuer: whole([36, 100_000], 'Lists kept per approved issuer.', 1_000),
    totalBytes: whole(
      [1_048_576, 68_719_476_736],
      'Memory for lists per process; at least twice `listBytes`.',
      536_870_912,
    ),
    ocspWithoutNonce: duration('Use of an OCSP response without a nonce.', '1h'),
  }),
  log: section('On standard output, one line per request.', {
    level: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'The lowest level that is logged.', 'info'),
    format: choice(['json', 'pretty'], 'For machines, or for people.', 'json'),
  }),
  metrics: section('`/metrics`, on listeners that name `ops` in `doors`.', {
    enabled: flag('Whether listeners that name `ops` serve `/metrics`.', true),
  }),
  tracing: section('Traces for an OpenTelemetry collector.', {
    endpoint: optional(
      text(
        'an http or https address',
        '^https?://[^\\s?#@]+$',
        'Where spans are sent (OTLP, HTTP, JSON). If absent, off.',
        {
          example: 'http://127.0.0.1:4318/v1/traces',
        },
      ),
    ),
    samplePercent: whole([0, 100], 'Percentage recorded, if the caller sends no `traceparent`.', {
      default: 100,
      example: 5,
    }),
    serviceName: text('a name of 1 to 60 characters', '^[ -~]{1,60}$', 'The `service.name` of the spans.', {
      default: 'tessera',
      example: 'tessera-staging',
    }),
  }),
  events: section('The log of every state change.', {
    retention: duration('How long events are kept.', usual.eventRetention, NOT_ZERO),
    refreshes: choice(
      REFRESHES_LOGGED,
      'Which refreshes become events: `all`, `changes` (another address, agent or certificate), or `none`.',
      usual.refreshesLogged,
    ),
  }),
  pages: section('How the pages look.', {
    name: text('a name of 1 to 60 characters', '^[^\\p{Cc}]{1,60}$', 'The name of the service.', {
      default: 'Tessera',
      example: 'Example Corp access',
    }),
    accent: text('a colour such as #0b5fff', '^#[0-9A-Fa-f]{6}$', 'The colour of buttons and links.', '#0b5fff'),
    strictTransport: duration('How long browsers must use https (Strict-Transport-Security).', '365d'),
    logo: optional(path('An SVG or PNG file, next to the name.', { example: '/etc/tessera/logo.svg' })),
  }),
});

type Given = ValueOf<typeof CONFIG_SCHEMA>;

type DeepReadonly<T> = T extends number | string | boolean | { reveal(): string }
  ? T
  : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** What the program holds: defaults applied, durations in seconds, paths absolute, passwords as secrets. */
export type Config = DeepReadonly<Omit<Given, 'publicUrl'>> & { readonly publicUrl: string };
/** As read, before the public address of a service on loopback is filled in. */
export type ReadConfig = Omit<Config, 'publicUrl'> & { readonly publicUrl?: string };
export type Listener = Config['listeners'][number];
