// Every way a caller might name a certificate header, with somebody else's certificate in it.
import type { Issued } from '../../authority.ts';

export interface Forgery {
  readonly about: string;
  /** Names and values in turn, sent as they stand: letter case and repetition included. */
  readonly headers: readonly string[];
}

const NAMES = [
  'Client-Cert',
  'Client-Cert-Chain',
  'X-Client-Cert',
  'X-Forwarded-Client-Cert',
  'X-SSL-Client-Cert',
  'X-SSL-Cert',
  'SSL-Client-Cert',
  'X-Forwarded-Tls-Client-Cert',
];

/** Certificates as each kind of header carries them. */
export const ENCODINGS = {
  rfc9440: ({ certificate }: Issued) => `:${Buffer.from(certificate).toString('base64')}:`,
  'url-encoded-pem': ({ pem }: Issued) => encodeURIComponent(pem),
  xfcc: ({ pem }: Issued) => `Hash=00;Cert="${encodeURIComponent(pem)}"`,
} as const;

export function forgeriesOf(victim: Issued): Forgery[] {
  return NAMES.flatMap((name) =>
    Object.values(ENCODINGS).flatMap((encode) =>
      variantsOf(name).flatMap((variant) => placed(variant, encode(victim))),
    ),
  );
}

function variantsOf(name: string): string[] {
  const swapped = name.replace(/[a-z]/gi, (letter, at: number) =>
    at % 2 ? letter.toUpperCase() : letter.toLowerCase(),
  );
  return [name, name.toLowerCase(), name.toUpperCase(), swapped, name.replaceAll('-', '_'), name.replace('-', '_')];
}

/** Once, twice, in two letter cases, and with `Connection` asking the proxy to drop what it sets itself. */
function placed(name: string, value: string): Forgery[] {
  return [
    { about: name, headers: [name, value] },
    { about: `${name} twice`, headers: [name, value, name, value] },
    { about: `${name} in two cases`, headers: [name, value, name.toUpperCase(), value] },
    { about: `${name} named by Connection`, headers: [name, value, 'Connection', `keep-alive, ${name}`] },
  ];
}
