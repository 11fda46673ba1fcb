import type { ClientId } from './integration.ts';
import type { KeySource } from './key-source.ts';
import type { Seconds } from './time.ts';

/** Asymmetric only: a key that checks assertions must not be able to make one. */
export const ASSERTION_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
export type AssertionAlgorithm = (typeof ASSERTION_ALGORITHMS)[number];

/** RFC 9864 2.2: Ed25519 is the new name of EdDSA with this curve, the only one that is supported. */
export function isAlgorithmAllowed(alg: unknown, allowed: readonly AssertionAlgorithm[]): alg is AssertionAlgorithm {
  const isEdwards = alg === 'EdDSA' || alg === 'Ed25519';
  return allowed.some((one) => one === alg || (isEdwards && (one === 'EdDSA' || one === 'Ed25519')));
}

/** Of a platform that runs workloads, a provider that vouches for people (ID-JAG), or an integration with own keys. */
export type AssertionKind = 'platform' | 'enterprise' | 'client';

/** A platform whose JWTs are accepted for workloads: a CI system, a cluster, a cloud. */
export interface TokenIssuer {
  /** The name of the token issuer for people, and the provider label of derived identities. */
  readonly label: string;
  /** The `iss` of its assertions, compared exactly. No two token issuers have the same. */
  readonly issuer: string;
  readonly keys: KeySource;
  readonly algorithms: readonly AssertionAlgorithm[];
  /** Absent: a platform. */
  readonly kind?: AssertionKind;
  /** What `aud` must contain; if absent, our own issuer. */
  readonly audience?: string;
  /** Whether `aud` may also be our token endpoint. */
  readonly tokenEndpointAudience?: boolean;
  /** `once`: an assertion gives one grant. `reusable`: any number until it expires. */
  readonly assertions: 'once' | 'reusable';
  readonly maxAssertionLifetime: Seconds;
  /** Exactly one of them must match. */
  readonly rules: readonly AssertionRule[];
  readonly enabled: boolean;
}

/** Which workloads a token issuer may vouch for, and who they are. */
export interface AssertionRule {
  /** All must hold. */
  readonly conditions: readonly ClaimCondition[];
  /** Text with claims in braces, such as `{/sub}` or `{/repository}:{/environment}`. */
  readonly identity: string;
  /** How the identity is found. `derived`: created from the claims on first use. Otherwise by this name in the directory. */
  readonly identities: 'derived' | 'user-name' | 'email' | 'upn';
  /** Labels of the directories that the name is looked up in; if absent, the local one. */
  readonly directories?: readonly string[];
  /** If present, the only integrations that the rule serves. */
  readonly integrations?: readonly ClientId[];
}

/** What a check of an assertion may depend on. */
export type AssertionSetting = keyof Pick<
  TokenIssuer & AssertionRule,
  'algorithms' | 'audience' | 'assertions' | 'maxAssertionLifetime' | 'conditions' | 'identity' | 'identities'
>;

export interface ClaimCondition {
  /** JSON Pointer (RFC 6901). */
  readonly claim: string;
  readonly test: ClaimTest;
}

export type ClaimTest =
  | { readonly is: string }
  | { readonly oneOf: readonly string[] }
  /** `*` stands for any characters except `:` and `/`, `**` for any characters. */
  | { readonly like: string };
