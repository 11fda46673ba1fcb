import type { AssertionRule, TokenIssuer } from '../../core/token-issuer.ts';
import { registeredTable } from '../table.ts';

export const tokenIssuers = registeredTable<TokenIssuer>('token_issuers', ['label', 'label'], bodyOf, (issuer) => ({
  ...issuer,
  ...issuer.rules[0]?.added,
}));

const UNMET: AssertionRule = {
  conditions: [{ claim: '/iss', test: { oneOf: [] } }],
  identity: '{/sub}',
  identities: 'derived',
};

/**
 * Releases before 0.3 know neither of the first two, and find a rule then that nothing meets: they accept none of its assertions.
 * What 0.3 added is stored in that rule, which `token-issuer change` of 0.2 keeps.
 */
function bodyOf({ kind, tokenEndpointAudience, rules, ...rest }: TokenIssuer) {
  const isKnown = kind === undefined && !tokenEndpointAudience;
  const added = { kind, tokenEndpointAudience, rules };
  return { ...rest, rules: isKnown ? rules : [{ ...UNMET, added }] };
}
