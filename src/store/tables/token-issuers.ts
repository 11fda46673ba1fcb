import type { TokenIssuer } from '../../core/token-issuer.ts';
import type { Table } from '../table.ts';

export const tokenIssuers: Table<TokenIssuer> = {
  name: 'token_issuers',
  columns: [
    { name: 'label', kind: 'text', fixed: true, of: ({ label }) => label },
    { name: 'body', kind: 'json', of: (tokenIssuer) => JSON.stringify({ ...tokenIssuer, label: undefined }) },
  ],
  keyOf: ({ label }) => label,
  encodeKey: (label) => label,
  decode: ([label, body]) => ({ label, ...JSON.parse(body as string) }),
};
