// Where the service listens, and which proxies it trusts.
import { DOOR_NAMES } from '../../doors/doors.ts';
import { optional } from '../../schema.ts';
import { choice, choices, entries, flag, optionalSection, path, section, text, texts, whole } from '../setting.ts';

const tls = optionalSection(
  'The server certificate. Leave it out for plain HTTP, which is allowed on loopback or behind a proxy only. Files are read again when they change.',
  {
    certificate: path({
      description: 'PEM file with the server certificate, followed by its intermediates.',
      example: '/etc/tessera/server.crt',
    }),
    key: path({
      description: 'PEM file with the private key of that certificate.',
      example: '/etc/tessera/server.key',
    }),
  },
);

const HTTPS_ON_LOOPBACK = {
  host: '127.0.0.1',
  port: 8443,
  tls: { certificate: '<dataFolder>/server.crt', key: '<dataFolder>/server.key' },
};

export const listeners = entries(
  'The addresses on which the service accepts connections.',
  {
    host: text('a host name or an IP address', '^[A-Za-z0-9._:-]+$', {
      description: 'The address to listen on; `0.0.0.0` or `::` for all.',
      default: '127.0.0.1',
      example: '0.0.0.0',
    }),
    port: whole(0, 65_535, {
      description: 'The port; 0 lets the system choose one.',
      default: 8443,
      example: 8443,
    }),
    tls,
    clientCertificates: choice(['request', 'require', 'off'], {
      description:
        'Whether the TLS handshake asks for a client certificate: `request` asks and accepts callers without one, `require` turns them away, `off` never asks, so that browsers show no certificate dialogue.',
      default: 'request',
    }),
    behindProxy: flag({
      description: 'Allows plain HTTP beyond loopback, from the addresses under `proxies` only.',
      default: false,
    }),
    doors: optional(
      choices(DOOR_NAMES, {
        description: 'The doors that this listener serves. All of them where this is absent.',
        example: ['authsvc', 'ops'],
      }),
    ),
  },
  [HTTPS_ON_LOOPBACK],
);

export const proxies = section('Proxies in front of the service. Nothing is believed from any other address.', {
  addresses: texts('a list of IP addresses or networks', '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$', {
    description: 'The addresses or networks (CIDR) of the proxies, whose `X-Forwarded-For` is believed.',
    default: [],
    example: ['10.0.0.0/24'],
  }),
  clientCertificateHeader: choice(['off', 'rfc9440', 'url-encoded-pem', 'xfcc'], {
    description:
      'How a proxy that ends TLS passes on the client certificate: `rfc9440` (`Client-Cert`, `Client-Cert-Chain`), `url-encoded-pem` (as nginx sends it), `xfcc` (Envoy). It is validated here again.',
    default: 'off',
    example: 'rfc9440',
  }),
  headerName: optional(
    text('the name of a header', '^[A-Za-z0-9-]{1,64}$', {
      description: 'The name of that header, where the proxy uses another than the usual one.',
      example: 'X-Client-Cert',
    }),
  ),
});
