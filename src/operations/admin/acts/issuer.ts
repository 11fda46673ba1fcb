import { LABEL } from '../../../core/identity.ts';
import { IssuerObject } from '../issuer-objects.ts';
import { form } from '../members.ts';
import { ALL, actsOnThings } from './things.ts';

const things = actsOnThings(
  {
    kind: 'issuer',
    page: 'issuers',
    title: 'Issuer',
    schema: IssuerObject,
    id: form(LABEL, 'label-malformed'),
    filter: ALL,
  },
  async () => (await import('./work/issuer.ts')).THINGS,
);

export const ISSUER_ACTS = {
  'issuer-list': things.list('read', 'List issuers'),
  'issuer-show': things.show('read', 'Show an issuer'),
  'issuer-put': things.put('manage', 'Approve or replace an issuer'),
  'issuer-remove': things.remove('manage', 'Remove an issuer'),
};
