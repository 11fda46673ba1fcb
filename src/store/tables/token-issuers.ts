import type { AssertionRule, TokenIssuer } from '../../core/token-issuer.ts';
import { keyedTable } from '../table.ts';

export const tokenIssuers = keyedTable<TokenIssuer>({
  name: 'token_issuers',
  columns: [
    { name: 'label', kind: 'text', fixed: true, of: ({ label }) => label },
    { name: 'body', kind: 'json', of: bodyOf },
  ],
  decode: ([label, body]) => {
    const issuer = JSON.parse(body as string);
    return { label, ...issuer, ...issuer.rules[0]?.added };
  },
});

const UNMET: AssertionRule = {
  conditions: [{ claim: '/iss', test: { oneOf: [] } }],
  identity: '{/sub}',
  identities: 'derived',
};

/**
 * Releases before 0.3 know neither of the first two, and find a rule then that nothing meets: they accept none of its assertions.
 * What 0.3 added is stored in that rule, which `token-issuer change` of 0.2 keeps.
 */
function bodyOf({ kind, tokenEndpointAudience, rules, ...all }: TokenIssuer): string {
  const rest = { ...all, label: undefined };
  const isKnown = kind === undefined && !tokenEndpointAudience;
  const added = { kind, tokenEndpointAudience, rules };
  return JSON.stringify({ ...rest, rules: isKnown ? rules : [{ ...UNMET, added }] });
}
