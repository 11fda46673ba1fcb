// Discovery (RFC 8414).
import { TokenFailure } from '../failure.ts';
import { type Answer, type Sending, send } from './send.ts';

export interface Endpoints {
  readonly token_endpoint: string;
  readonly device_authorization_endpoint?: string;
  readonly revocation_endpoint?: string;
}

export interface Metadata extends Endpoints {
  readonly issuer: string;
  readonly authorization_endpoint?: string;
  /** RFC 8705 5: where to present a certificate, if elsewhere. */
  readonly mtls_endpoint_aliases?: Partial<Endpoints>;
}

/** The metadata, or the answer if it says to come back later. */
export async function discover(server: string, sending: Sending): Promise<Metadata | Answer> {
  const answer = await send(`${server}/.well-known/oauth-authorization-server`, sending);
  if (answer.status === 429 || answer.status >= 500) return answer;
  const { issuer, token_endpoint: token } = answer.json ?? {};
  if (answer.status !== 200 || typeof issuer !== 'string' || typeof token !== 'string')
    throw new TokenFailure(
      'refused',
      `${server} has no OAuth metadata (status ${answer.status})`,
      'Check the address; the operator may have turned the oauth door off.',
    );
  // RFC 8414 3.3: otherwise another server could pose as this one.
  if (!URL.canParse(issuer) || withoutSlash(new URL(issuer)) !== server)
    throw new TokenFailure('usage', `The server at ${server} calls itself ${issuer}`, `Give ${issuer} as \`server\`.`);
  return answer.json as unknown as Metadata;
}

export function isMetadata(found: Metadata | Answer): found is Metadata {
  return 'token_endpoint' in found;
}

/** Tokens travel over TLS only, except on this machine. */
export function checkAddress(what: string, text: string | undefined): string {
  const url = URL.canParse(text ?? '') ? new URL(text ?? '') : undefined;
  const isLocal = url && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) return withoutSlash(url);
  throw new TokenFailure(
    'usage',
    `${what} is not an https address: ${text}`,
    'Give one like https://tokens.example.com.',
  );
}

function withoutSlash({ href }: URL): string {
  return href.replace(/\/$/, '');
}
