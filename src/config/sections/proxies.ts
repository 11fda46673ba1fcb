import { optional } from '../../schema.ts';
import { choice, section, text, texts } from '../setting.ts';

export const proxies = section('Proxies in front of the service, whose headers are trusted.', {
  addresses: texts(
    'a list of IP addresses or networks',
    '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$',
    'Addresses or networks (CIDR) of the proxies.',
    { default: [], example: ['10.0.0.0/24'] },
  ),
  clientCertificateHeader: choice(
    ['off', 'rfc9440', 'url-encoded-pem', 'xfcc'],
    'How a proxy forwards the client certificate: `off`, `rfc9440` (`Client-Cert`, `Client-Cert-Chain`), `url-encoded-pem` (nginx), `xfcc` (Envoy).',
    { default: 'off', example: 'rfc9440' },
  ),
  headerName: optional(
    text('the name of a header', '^[A-Za-z0-9-]{1,64}$', 'The name of that header, if not the default.', {
      example: 'X-Client-Cert',
    }),
  ),
});
