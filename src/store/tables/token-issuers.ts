import type { TokenIssuer } from '../../core/token-issuer.ts';
import type { Table } from '../table.ts';

export const tokenIssuers: Table<TokenIssuer> = {
  name: 'token_issuers',
  columns: [
    { name: 'label', kind: 'text', fixed: true, of: ({ label }) => label },
    { name: 'body', kind: 'json', of: bodyOf },
  ],
  keyOf: ({ label }) => label,
  encodeKey: (label) => label,
  decode: ([label, body]) => {
    const { added, ...rest } = JSON.parse(body as string);
    return { label, ...rest, ...added };
  },
};

/** Releases before 0.3 know neither of the first two, and find no rule then: they accept none of its assertions. */
function bodyOf({ kind, tokenEndpointAudience, rules, ...all }: TokenIssuer): string {
  const rest = { ...all, label: undefined };
  const isKnown = kind === undefined && !tokenEndpointAudience;
  const added = { kind, tokenEndpointAudience, rules };
  return JSON.stringify(isKnown ? { ...rest, rules } : { ...rest, rules: [], added });
}
