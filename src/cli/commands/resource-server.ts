import type { WrittenResourceServer } from '../../operations/admin/objects.ts';
import { declares, describes } from '../terminal/manual.ts';
import { print, printOnly, remark, result } from '../terminal/output.ts';
import { administering } from './administration.ts';
import type { Administration } from './steps.ts';
import { worksOf, yesNo } from './things.ts';

const FLAGS = `
  --audience <uri>            what tokens and the parameter resource call it -> audience
  --resource <name>           a resource of scopes that it serves; may be repeated; replaces all -> resources
  --name <text>               its name, as people see it -> name
  --identity <id>             the identity, by user name or id, whose certificate or access token speaks for it
      -> identity
  --no-identity               no identity speaks for it
  --enabled <yes|no>          whether it may check tokens and tokens are for it -> enabled
`;

const TEXT = `
resource-server               register the APIs that check tokens by introspection
resource-server add <id>      register a resource server
  <id>                        what it sends as client_id; never that of an integration
  needs --audience --resource
${FLAGS}
  $ tessera resource-server add orders-api --audience https://orders.example.com --resource orders
  $ tessera resource-server add stock-api --audience urn:example:stock --resource stock --identity stock-gateway
resource-server list          list the resource servers
  --json                      as JSON
  $ tessera resource-server list
resource-server show <id>     show one resource server; its secrets are not kept, only when they were made
  --json                      as JSON
  $ tessera resource-server show orders-api
resource-server change <id>   change what the flags name; the rest stays. Grants that are limited to an old audience are
      for nobody
${FLAGS}
  $ tessera resource-server change orders-api --resource orders --resource invoices
  $ tessera resource-server change orders-api --enabled no
resource-server secret <id>   make a secret and print it, this once; an earlier one stays valid beside it
  --drop-old                  make none; end the older of two
  --replace                   end the earlier ones at once
  $ tessera resource-server secret orders-api > orders-api.secret
  $ tessera resource-server secret orders-api --drop-old
resource-server remove <id>   remove a resource server: it may no longer check tokens, and no token is for it
  --yes                       confirm
  $ tessera resource-server remove orders-api --yes
`;

const described = describes(FLAGS, { identity: (given: string | false) => given || '' });

export const commands = declares(TEXT, {
  ...worksOf('resource-server', {
    body: described,
    added: (id, { audience }) => `Registered ${id} for ${audience}`,
    remarks: ({ id, identity }, isNew) =>
      isNew && !identity ? [`Make its secret with: tessera resource-server secret ${id}`] : [],
    columns: ['id', 'audience', 'enabled', 'resources', 'secrets'],
    row: ({ id, audience, ...row }) => [id, audience, yesNo(row.enabled), row.resources.join(' '), row.secrets?.length],
    record: recordOf,
    removed: (id) => [`Removed ${id}`, { id }],
  }),
  'resource-server secret': administering(makeSecret),
});

type SecretFlags = { readonly dropOld?: boolean; readonly replace?: boolean };

/** The secret alone goes to standard output, so that it can be sent to a file. */
async function makeSecret(id: string, { dropOld, replace = false }: SecretFlags, { act }: Administration) {
  if (dropOld) {
    await act('resource-server-secret-drop', { id });
    print(`The old secret of ${id} is no longer valid`);
    return result({ id });
  }
  const { secret } = await act('resource-server-secret-make', { id, query: { replaces: replace } });
  printOnly(secret, { id, secret });
  remark('This is shown once. It is valid within a second.');
}

function recordOf({ id, audience, name, resources, enabled = true, identity, secrets = [] }: WrittenResourceServer) {
  return {
    id,
    audience,
    name,
    resources: resources.join(' '),
    enabled: yesNo(enabled),
    identity,
    'secrets made': secrets.map(({ createdAt }) => createdAt).join(', '),
  };
}
