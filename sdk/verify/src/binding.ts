// Tokens that are bound to a client certificate (RFC 8705 3).
import { createHash } from 'node:crypto';
import type { Claims } from './claims.ts';
import { type Refusal, refuse } from './refusal.ts';

export function whyNotBound({ boundTo }: Claims, certificate: Uint8Array | undefined): Refusal | undefined {
  if (boundTo === undefined) return undefined;
  if (!certificate)
    return refuse('token-invalid', 'This token needs its client certificate, which this connection lacks.');
  const shown = createHash('sha256').update(certificate).digest('base64url');
  return shown === boundTo ? undefined : refuse('token-invalid', 'This token is bound to another client certificate.');
}

interface TlsSocket {
  getPeerCertificate?(): { readonly raw?: Uint8Array } | null;
}

/** The client certificate of a connection of Node, in DER. */
export function certificateOf(socket: unknown): Uint8Array | undefined {
  return (socket as TlsSocket | undefined)?.getPeerCertificate?.()?.raw;
}
