// The verdict on an assertion, as plain data. src/assertions makes it; operations, the log and the dry run read it.
import type { FilledTemplate } from './claims.ts';
import type { Hex } from './hex.ts';
import type { Outcome } from './outcome.ts';
import type { EpochSeconds } from './time.ts';
import type { AssertionRule, AssertionSetting, TokenIssuer } from './token-issuer.ts';
import type { Step } from './verdict.ts';

/** An assertion whose signature and claims passed every check. */
export interface AcceptedAssertion extends AcceptedClaims {
  readonly tokenIssuer: TokenIssuer;
  /** Identifies the assertion, however its signature is written: used once is used. */
  readonly mark: Hex;
}

export interface AcceptedClaims {
  readonly rule: AssertionRule;
  readonly subject: string;
  /** The identity by the template of the rule. */
  readonly name: FilledTemplate;
  readonly expiresAt: EpochSeconds;
  readonly id?: string;
  /** What an assertion of an enterprise says besides (ID-JAG). */
  readonly enterprise?: EnterpriseClaims;
}

/** The integration that it was issued to, and what it limits the grant to. */
export interface EnterpriseClaims {
  readonly clientId: string;
  readonly scope?: string;
  readonly resource?: readonly string[];
}

export interface AssertionStep extends Step {
  readonly setting?: AssertionSetting;
}

export interface AssertionVerdict {
  readonly outcome: Outcome<AcceptedAssertion>;
  readonly steps: readonly AssertionStep[];
  /** The token issuer that `iss` names, if there is one. */
  readonly tokenIssuer?: TokenIssuer;
}
