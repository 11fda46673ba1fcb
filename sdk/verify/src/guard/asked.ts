// What a caller has asked the proxy for: in headers that the proxy sets, or in the request to the guard itself. Never in both, so
// that a caller cannot choose.
import type { IncomingMessage } from 'node:http';
import type { Asked } from './rules.ts';

/** `path`: the request itself, below `/check`. */
export type From = 'headers' | 'path';

/** A header in which the proxy sends the certificate of the caller's connection. */
export interface CertificateHeader {
  readonly header: string;
  /** RFC 9440 `Client-Cert`; PEM as nginx escapes it; Envoy's `X-Forwarded-Client-Cert`. */
  readonly form: 'rfc9440' | 'url-encoded-pem' | 'xfcc';
}

export type Received = Pick<IncomingMessage, 'method' | 'url' | 'headersDistinct'>;

export const CHECK = '/check';
const METHOD = /^[A-Z]{1,20}(-[A-Z]{1,20})*$/;
const HOST = /^([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])\.?(?::\d{1,5})?$/i;

/** A text says why it cannot be read. */
export function readAsked(request: Received, from: From): Asked | string {
  const named = from === 'headers' ? byHeaders(request) : byPath(request);
  if (typeof named === 'string') return named;
  const [, host] = HOST.exec(named.host) ?? [];
  if (host === undefined || !METHOD.test(named.method)) return 'the host or the method cannot be read';
  return { ...named, host: host.toLowerCase() };
}

function byHeaders({ headersDistinct: headers }: Received): Asked | string {
  const names = ['x-forwarded-method', 'x-forwarded-host', 'x-forwarded-uri'];
  const [method, host, target] = names.map((name) => soleLine(headers, name));
  if (method !== undefined && host !== undefined && target !== undefined) return { method, host, target };
  return 'the proxy must send X-Forwarded-Method, X-Forwarded-Host and X-Forwarded-Uri, each once';
}

function byPath({ method = '', url = '', headersDistinct }: Received): Asked | string {
  const host = soleLine(headersDistinct, 'host');
  if (host === undefined) return 'the proxy must send Host, once';
  return { method, host, target: url.slice(CHECK.length) };
}

type Lines = IncomingMessage['headersDistinct'];

/** Undefined if there are none or several. */
export function soleLine(headers: Lines, name: string): string | undefined {
  const lines = headers[name];
  return lines?.length === 1 ? lines[0] : undefined;
}

/** In DER. One that cannot be read counts as none, which a bound token is refused without. */
export function readCertificate(headers: Lines, { header, form }: CertificateHeader): Uint8Array | undefined {
  const line = soleLine(headers, header.toLowerCase());
  const found = line === undefined ? undefined : FORMS[form].exec(line)?.[1];
  if (found === undefined) return undefined;
  return form === 'rfc9440' ? Buffer.from(found, 'base64') : derOf(found);
}

const FORMS: Readonly<Record<CertificateHeader['form'], RegExp>> = {
  rfc9440: /^:([A-Za-z0-9+/]+={0,2}):$/,
  'url-encoded-pem': /^(-+BEGIN%20CERTIFICATE-+[^,;]*)$/,
  // One element alone: a proxy before may have added others.
  xfcc: /^(?:[^,"]|"[^"]*")*?\bCert="([^"]*)"(?:[^,"]|"[^"]*")*$/,
};
const PEM = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;

function derOf(escaped: string): Uint8Array | undefined {
  try {
    const [, base64] = PEM.exec(decodeURIComponent(escaped)) ?? [];
    return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  } catch {
    return undefined;
  }
}
