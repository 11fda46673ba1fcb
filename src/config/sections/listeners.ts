import { DOOR_NAMES } from '../../doors/doors.ts';
import { optional } from '../../schema.ts';
import { choice, choices, entries, flag, optionalSection, path, text, url, whole } from '../setting.ts';

const tls = optionalSection(
  'The server certificate. Omit it for plain HTTP, which is allowed only on loopback or behind a proxy. Files are read again when they change.',
  {
    certificate: path('PEM file with the server certificate, then its intermediates.', {
      example: '/etc/tessera/server.crt',
    }),
    key: path('PEM file with its private key.', { example: '/etc/tessera/server.key' }),
  },
);

const HTTPS_ON_LOOPBACK = {
  host: '127.0.0.1',
  port: 8443,
  tls: { certificate: '<dataFolder>/server.crt', key: '<dataFolder>/server.key' },
};

/** A colon is only in IPv6 addresses, which have at least two. */
const HOST = '^([A-Za-z0-9._-]+|[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)$';

export const listeners = entries(
  'Where the service accepts connections.',
  {
    host: text(
      'a host name or an IP address, without a port or brackets',
      HOST,
      'The address; `0.0.0.0` or `::` for all.',
      { default: '127.0.0.1', example: '0.0.0.0' },
    ),
    port: whole([0, 65_535], 'The port; 0 for any.', { default: 8443, example: 8443 }),
    sharePort: flag('Shares the port with processes of the same user. Workers always do.', false),
    tls,
    clientCertificates: choice(
      ['request', 'require', 'off'],
      '`request` asks for one, `require` refuses callers without one, `off` never asks: browsers show no dialogue.',
      'request',
    ),
    publicUrl: optional(
      url('Its public address, if it differs; in OAuth metadata under `mtls_endpoint_aliases`.', {
        example: 'https://mtls.tokens.example.com',
      }),
    ),
    behindProxy: flag('Allows plain HTTP from the addresses under `proxies`.', false),
    doors: optional(
      choices(
        DOOR_NAMES,
        '`authsvc`, `oauth` (also for resource servers and `tessera login`), `pages` (also for devices), `ops` (health, metrics), `admin`, `console` (beside `pages`), `scim`. If absent, the first four without `/metrics`.',
        { example: ['ops'] },
        { not: { contains: { const: 'console' }, not: { contains: { const: 'pages' } } } },
      ),
    ),
  },
  [HTTPS_ON_LOOPBACK],
);
