import type { Grant, Pair } from '../../core/grant.ts';
import type { IdentityId } from '../../core/identity.ts';
import { accept, type Outcome } from '../../core/outcome.ts';
import { audiencesOf } from '../../core/rules/audience.ts';
import { parseScope } from '../../core/scope.ts';
import { between, type EpochSeconds, type Seconds } from '../../core/time.ts';
import { isSigned, mintAccessToken } from '../../tokens/access-token.ts';
import { newTokenKey } from '../../tokens/jwt/jwt.ts';
import type { MintedRefreshToken } from '../../tokens/opaque/pair.ts';
import type { Secret } from '../../tokens/secret.ts';
import type { Ports } from '../ports.ts';

/** The token grant of contract 2.1, before a dialect words it. */
export interface TokenPair {
  readonly grantId: string;
  readonly identityId: IdentityId;
  readonly accessToken: Secret;
  /** Absent if the integration offers no refresh. */
  readonly refreshToken?: Secret;
  readonly expiresIn: Seconds;
  readonly expiresAt: EpochSeconds;
  readonly refreshUntil: EpochSeconds;
  readonly scope: string;
  /** Whether its access token needs DPoP proofs (RFC 9449). */
  readonly isKeyBound?: true;
}

/** What a decision yields: the row that it commits, and the refresh token minted for it. */
export interface DecidedPair {
  readonly grant: Grant;
  readonly minted: MintedRefreshToken;
  readonly now: EpochSeconds;
  /** Whether a program got it that shares the login, for a spent token. */
  readonly isOfSibling?: boolean;
}

type MintPorts = Pick<Ports, 'keyring' | 'registry' | 'issuer'>;

type AccessTerms = Pick<Grant, 'format' | 'scope'> & { readonly resource?: Grant['resource'] | undefined };

/** What the row of a new generation says about its access token. Part of the decision, so that a retry reads it. Throws if this node cannot mint it. */
export function accessTokenFacts({ format, scope: text, resource }: AccessTerms, ports: MintPorts): Pick<Pair, 'jwt'> {
  if (!isSigned(format)) return {};
  const scope = parseScope(text);
  if (!scope) throw new Error('a grant has a scope that does not parse');
  const audience = audiencesOf(scope, ports.registry.resourceServers, ports.issuer, resource);
  return { jwt: { audience, signingKey: newTokenKey(ports).id } };
}

/** Mints the access token, after the commit: signing takes time, and a retry mints the same one from the row. */
export function mintPair(
  decided: Outcome<DecidedPair>,
  ports: MintPorts,
): Outcome<TokenPair> | Promise<Outcome<TokenPair>> {
  if (!decided.ok) return decided;
  const { grant, minted } = decided.value;
  const accessToken = mintAccessToken(grant, minted.root, ports);
  const pairWith = (minted: Secret) => accept(tokenPair(decided.value, minted));
  // Opaque tokens are minted at once: waiting for them would take another turn.
  return accessToken instanceof Promise ? accessToken.then(pairWith) : pairWith(accessToken);
}

function tokenPair({ grant, minted, now }: DecidedPair, accessToken: Secret): TokenPair {
  const { id: grantId, identityId, refreshUntil, scope, pair, terms } = grant;
  const { expiresAt } = pair;
  const expiresIn = between(now, expiresAt);
  const first: TokenPair = { grantId, identityId, accessToken, expiresIn, expiresAt, refreshUntil, scope };
  const granted: { -readonly [Field in keyof TokenPair]: TokenPair[Field] } = first;
  if (terms?.jkt !== undefined) granted.isKeyBound = true;
  if (grant.refreshable) granted.refreshToken = minted.refreshToken;
  return granted;
}
