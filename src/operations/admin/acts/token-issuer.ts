import { LABEL } from '../../../core/identity.ts';
import { TokenIssuerObject } from '../issuer-objects.ts';
import { form } from '../members.ts';
import { ALL, actsOnThings } from './things.ts';

const things = actsOnThings(
  {
    kind: 'token-issuer',
    page: 'token-issuers',
    title: 'TokenIssuer',
    schema: TokenIssuerObject,
    id: form(LABEL, 'label-malformed'),
    filter: ALL,
  },
  async () => (await import('./work/token-issuer.ts')).THINGS,
);

export const TOKEN_ISSUER_ACTS = {
  'token-issuer-list': things.list('read', 'List token issuers'),
  'token-issuer-show': things.show('read', 'Show a token issuer'),
  'token-issuer-put': things.put('manage', 'Make or replace a token issuer'),
  'token-issuer-remove': things.remove('manage', 'Remove a token issuer'),
};
