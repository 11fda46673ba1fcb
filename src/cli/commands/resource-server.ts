import { ResourceServerObject } from '../../operations/admin/objects.ts';
import { group } from '../terminal/command.ts';
import { argument, flag } from '../terminal/options.ts';
import { print, printOnly, remark, result } from '../terminal/output.ts';
import { administers } from './administration.ts';
import { fieldsOf } from './fields.ts';
import type { Administration } from './steps.ts';
import { registered } from './things.ts';

const ID = argument('what it sends as client_id; never that of an integration');

const FIELDS = fieldsOf(
  ResourceServerObject,
  {
    audience: { value: '<uri>' },
    resources: { option: 'resource', value: '<name>' },
    identity: { value: '<id>', none: 'no identity speaks for it' },
    secrets: { label: 'secrets made', shown: (secrets = []) => secrets.map(({ createdAt }) => createdAt).join(', ') },
  },
  ['id', 'audience', 'enabled', 'resources', 'secrets'],
);

const resourceServer = registered('resource-server', {
  id: ID,
  fields: FIELDS,
  added: (id, { audience }) => `Registered ${id} for ${audience}`,
  remarks: ({ id, identity }, isNew) =>
    isNew && !identity ? [`Make its secret with: tessera resource-server secret ${id}`] : [],
  removed: (id) => [`Removed ${id}`, { id }],
});

export const commands = {
  'resource-server': group('register the APIs that check tokens by introspection', {
    add: resourceServer.add({
      about: 'register a resource server',
      examples: [
        'tessera resource-server add orders-api --audience https://orders.example.com --resource orders',
        'tessera resource-server add stock-api --audience urn:example:stock --resource stock --identity stock-gateway',
      ],
    }),
    list: resourceServer.list({ about: 'list the resource servers', examples: ['tessera resource-server list'] }),
    show: resourceServer.show({
      about: 'show one resource server; its secrets are not kept, only when they were made',
      examples: ['tessera resource-server show orders-api'],
    }),
    change: resourceServer.change({
      about: 'change what the flags name; the rest stays. Grants that are limited to an old audience are for nobody',
      examples: [
        'tessera resource-server change orders-api --resource orders --resource invoices',
        'tessera resource-server change orders-api --enabled no',
      ],
    }),
    secret: administers({
      about: 'make a secret and print it, this once; an earlier one stays valid beside it',
      arguments: { id: ID },
      options: {
        dropOld: flag('make none; end the older of two'),
        replace: flag('end the earlier ones at once'),
      },
      examples: [
        'tessera resource-server secret orders-api > orders-api.secret',
        'tessera resource-server secret orders-api --drop-old',
      ],
      run: makeSecret,
    }),
    remove: resourceServer.remove({
      about: 'remove a resource server: it may no longer check tokens, and no token is for it',
      options: { yes: flag('confirm it') },
      examples: ['tessera resource-server remove orders-api --yes'],
    }),
  }),
};

type SecretFlags = { readonly id: string; readonly dropOld?: boolean; readonly replace?: boolean };

/** The secret alone goes to standard output, so that it can be sent to a file. */
async function makeSecret({ id, dropOld, replace = false }: SecretFlags, { act }: Administration) {
  if (dropOld) {
    await act('resource-server-secret-drop', { id });
    print(`The old secret of ${id} is no longer valid`);
    return result({ id });
  }
  const { secret } = await act('resource-server-secret-make', { id, query: { replaces: replace } });
  printOnly(secret, { id, secret });
  remark('This is shown once. It is valid within a second.');
}
