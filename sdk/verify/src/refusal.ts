// Why a call is not allowed, and what to answer (RFC 6750 3, RFC 9110 15.6.4).

export type Reason =
  | 'token-missing'
  | 'token-invalid'
  | 'proof-invalid'
  | 'proofs-too-many'
  | 'scope-insufficient'
  | 'unavailable';

export interface Refusal {
  readonly ok: false;
  readonly reason: Reason;
  /** For the log and the caller. Never has the token. */
  readonly description: string;
  /** The permissions that are needed. */
  readonly scope?: readonly string[];
  /** Where the metadata of this API is (RFC 9728), if it serves them. */
  readonly resourceMetadata?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const RETRY_AFTER = '5';
/** Of DPoP proofs: those that the service accepts. */
export const DPOP_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256'];
const PLAIN = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export function refuse(reason: Reason, description: string): Refusal {
  return { ok: false, reason, description };
}

/** RFC 6750 3 and 3.1: a request without a token gets no error code, but a challenge has at least one parameter. */
export function answerTo({ reason, description, scope = [], resourceMetadata }: Refusal): Answer {
  const challenge = (error?: string) => ({
    'www-authenticate': challengeOf({
      ...(error !== undefined && { error, error_description: description }),
      ...(scope.length > 0 && { scope: scope.join(' ') }),
      ...(resourceMetadata !== undefined && { resource_metadata: resourceMetadata }),
    }),
  });
  switch (reason) {
    case 'token-missing':
      return answer(401, 'invalid_request', description, challenge());
    case 'token-invalid':
      return answer(401, 'invalid_token', description, challenge('invalid_token'));
    // RFC 9449 7.1
    case 'proof-invalid':
      return answer(401, 'invalid_dpop_proof', description, {
        'www-authenticate': `DPoP error="invalid_dpop_proof", error_description="${description}", algs="${DPOP_ALGORITHMS.join(' ')}"`,
      });
    case 'scope-insufficient':
      return answer(403, 'insufficient_scope', description, challenge('insufficient_scope'));
    case 'proofs-too-many':
      return answer(429, 'slow_down', description, { 'retry-after': RETRY_AFTER });
    case 'unavailable':
      return answer(503, 'temporarily_unavailable', description, { 'retry-after': RETRY_AFTER });
  }
}

function challengeOf(parameters: Readonly<Record<string, string>>): string {
  const written = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${written.join(', ') || 'realm="api"'}`;
}

function answer(status: number, error: string, error_description: string, headers: Record<string, string>): Answer {
  return { status, headers: { ...PLAIN, ...headers }, body: JSON.stringify({ error, error_description }) };
}
