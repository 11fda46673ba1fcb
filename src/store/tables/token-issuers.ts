import type { TokenIssuer } from '../../core/token-issuer.ts';
import { registeredTable } from '../table.ts';

export const tokenIssuers = registeredTable<TokenIssuer>(
  'token_issuers',
  ['label', 'label'],
  (body) => body,
  // 0.3.0 to 0.3.4 write the whole issuer into its first rule, if it is of a kind or named by the token endpoint.
  (issuer) => ({ ...issuer, ...issuer.rules[0]?.added }),
);
