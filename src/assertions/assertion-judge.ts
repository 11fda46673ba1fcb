// Whether an assertion is accepted, step by step: its form, its token issuer, its signature, its claims.
import type { AssertionStep, AssertionVerdict } from '../core/assertion.ts';
import { showClaim } from '../core/claims.ts';
import { accept, refuse } from '../core/outcome.ts';
import type { RefusalReason } from '../core/refusal.ts';
import { judgeClaims } from '../core/rules/claims.ts';
import type { EpochSeconds } from '../core/time.ts';
import {
  type AssertionKind,
  type AssertionSetting,
  isAlgorithmAllowed,
  type TokenIssuer,
} from '../core/token-issuer.ts';
import type { Step } from '../core/verdict.ts';
import { sha256 } from '../tokens/sha256.ts';
import { type ReadAssertion, readAssertion } from './assertion-text.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import type { KeySet, Signature } from './key-set.ts';

export interface JudgePorts {
  readonly keys: Pick<IssuerKeys, 'keysOf' | 'newestKeys' | 'failureOf'>;
  /** Our own issuer: the default audience, and never a token issuer. */
  readonly ourIssuer: string;
  /** An audience where the token issuer allows it. Undefined: the oauth door is off. */
  readonly ourTokenEndpoint?: string | undefined;
  readonly now: () => EpochSeconds;
}

export class AssertionJudge {
  readonly #ports: JudgePorts;

  constructor(ports: JudgePorts) {
    this.#ports = ports;
  }

  async judge(text: string, tokenIssuers: readonly TokenIssuer[]): Promise<AssertionVerdict> {
    const steps: AssertionStep[] = [];
    const check: Check = (rule, passed, words, reason, setting) => {
      steps.push({ rule, passed, about: 'assertion', words, reason, ...(setting && { setting }) });
      return passed;
    };
    const read = readAssertion(text);
    const why = read.ok ? '' : `: ${read.refusal}`;
    if (!check('form', read.ok, `it is a JWT in compact form${why}`, 'assertion-malformed') || !read.ok)
      return verdictOf(steps);
    const tokenIssuer = this.#issuerOf(read.value, tokenIssuers, check);
    if (!tokenIssuer) return { ...verdictOf(steps), unknownIssuer: read.value.claims['iss'] };
    const isSigned =
      checkHeader(read.value, tokenIssuer, check) && (await this.#checkSignature(read.value, tokenIssuer, check));
    if (!isSigned) return { ...verdictOf(steps), tokenIssuer };
    const { claims } = read.value;
    const { ourIssuer, ourTokenEndpoint, now } = this.#ports;
    const judged = judgeClaims({ claims, tokenIssuer, ourIssuer, ourTokenEndpoint, now: now() });
    const all = [...steps, ...judged.steps];
    if (!judged.outcome.ok) return { outcome: judged.outcome, steps: all, tokenIssuer };
    const mark = markOf(read.value, tokenIssuer, judged.outcome.value.id);
    return { outcome: accept({ ...judged.outcome.value, tokenIssuer, mark }), steps: all, tokenIssuer };
  }

  #issuerOf(
    { claims: { iss } }: ReadAssertion,
    tokenIssuers: readonly TokenIssuer[],
    check: Check,
  ): TokenIssuer | undefined {
    const found = tokenIssuers.filter(({ issuer, enabled }) => enabled && issuer === iss);
    const isKnown = found.length === 1 && iss !== this.#ports.ourIssuer;
    const words = `iss is that of one token issuer, found ${found.map(({ label }) => label).join(', ') || 'none'}`;
    return check('issuer', isKnown, words, 'assertion-issuer-unknown') ? found[0] : undefined;
  }

  async #checkSignature(read: ReadAssertion, tokenIssuer: TokenIssuer, check: Check): Promise<boolean> {
    const keys = await this.#ports.keys.keysOf(tokenIssuer);
    if (!this.#checkKeys(keys, 'are known', tokenIssuer, check)) return false;
    let signature = await keys.verify(read);
    if (isByUnknownKey(signature, read)) {
      const newest = await this.#ports.keys.newestKeys(tokenIssuer);
      if (!this.#checkKeys(newest, 'were fetched just now, for one that is not known', tokenIssuer, check))
        return false;
      signature = await newest.verify(read);
    }
    const isKnown = !(signature in KEY_PROBLEMS);
    const problem = isKnown ? '' : `, found ${KEY_PROBLEMS[signature as KeyProblem]}`;
    if (!check('key', isKnown, `a key has its kid and fits its alg${problem}`, 'assertion-not-authentic')) return false;
    return check('signature', signature === 'authentic', 'the signature is that of the key', 'assertion-not-authentic');
  }

  #checkKeys(keys: KeySet | undefined, are: string, tokenIssuer: TokenIssuer, check: Check): keys is KeySet {
    const failure = keys ? undefined : this.#ports.keys.failureOf(tokenIssuer);
    const words = `the keys of ${tokenIssuer.label} ${are}${failure ? `: ${failure}` : ''}`;
    return check('keys', keys !== undefined, words, 'assertion-keys-unavailable');
  }
}

/** Without a `kid`, the key may be one that was published a moment ago. */
function isByUnknownKey(signature: Signature, { header }: ReadAssertion): boolean {
  return signature === 'key-unknown' || (signature === 'forged' && header['kid'] === undefined);
}

/** In the words of `tessera token-issuer explain`, also for the log. */
export function printAssertionStep({ rule, passed, words, setting }: Step): string {
  return `${passed ? 'pass' : 'FAIL'} ${rule}: ${words}${setting ? ` {${setting}}` : ''}`;
}

type Check = (rule: string, passed: boolean, words: string, reason: RefusalReason, by?: AssertionSetting) => boolean;
type KeyProblem = Exclude<Signature, 'authentic' | 'forged'>;

const KEY_PROBLEMS: Readonly<Record<KeyProblem, string>> = {
  'key-unknown': 'none',
  'key-ambiguous': 'too many',
  'key-unusable': 'one that cannot be used',
};

/** What `typ` may be: a JWT for one purpose is refused for the others. */
const TYPES: Readonly<Record<AssertionKind, readonly [types: readonly unknown[], words: string]>> = {
  platform: [[undefined, 'jwt', 'jose'], 'absent, JWT or JOSE'],
  enterprise: [['oauth-id-jag+jwt'], 'oauth-id-jag+jwt'],
  client: [[undefined, 'jwt', 'client-authentication+jwt'], 'absent, JWT or client-authentication+jwt'],
};

/** Headers that bring keys along (`jwk`, `jku`, `x5c`, `x5u`) are not used. */
function checkHeader({ header }: ReadAssertion, { algorithms, kind = 'platform' }: TokenIssuer, check: Check): boolean {
  const { typ, alg, kid, crit } = header;
  const type = typeof typ === 'string' ? typ.toLowerCase() : typ;
  const isAllowed = isAlgorithmAllowed(alg, algorithms);
  const [types, typeWords] = TYPES[kind];
  const algorithmWords = `alg is ${algorithms.join(' or ')}, found ${showClaim(alg)}`;
  return (
    check('type', types.includes(type), `typ is ${typeWords}`, 'assertion-malformed') &&
    check('critical', crit === undefined, 'crit is absent: no extension is supported', 'assertion-malformed') &&
    check('kid', kid === undefined || typeof kid === 'string', 'kid is absent or a text', 'assertion-malformed') &&
    check('algorithm', isAllowed, algorithmWords, 'assertion-algorithm-not-allowed', 'algorithms')
  );
}

function verdictOf(steps: readonly AssertionStep[]): AssertionVerdict {
  const failed = steps.find(({ passed }) => !passed);
  return { steps, outcome: refuse(failed?.reason ?? 'assertion-malformed', { rule: failed?.rule ?? '' }) };
}

/** Without an id, what the signature covers: an ECDSA signature can be rewritten by anybody and stays valid. */
function markOf({ signingInput }: ReadAssertion, { issuer, kind }: TokenIssuer, id: string | undefined) {
  if (id === undefined) return sha256(signingInput);
  return sha256(kind === 'client' ? JSON.stringify([kind, issuer, id]) : `${issuer}\0${id}`);
}
