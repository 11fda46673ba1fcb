import { KEY_ADDRESS } from '../../../core/key-source.ts';
import { SECRET_LIFETIME_MAX } from '../../../core/settings.ts';
import { isoTime, seconds } from '../../../core/time.ts';
import { boolean, described, list, object, optional, string } from '../../../schema.ts';
import { MOST_ROWS } from '../../../store/store.ts';
import { type AdminOutcome, decline } from '../admin.ts';
import { AUTHORITIES, CLOSED, entered, form, having, lifetime, ranges } from '../members.ts';
import { IntegrationObject } from '../objects.ts';
import { NEW_CLIENT_ID } from '../text-forms.ts';
import { type ActPorts, act, answering, listOf, SecretObject } from './act.ts';
import { actsOnThings } from './things.ts';

const work = () => import('./work/integration.ts');
const keys = () => import('../integration-keys.ts');
const secrets = () => import('../secrets.ts');

const things = actsOnThings(
  {
    kind: 'integration',
    page: 'integrations',
    title: 'Integration',
    schema: IntegrationObject,
    id: form(NEW_CLIENT_ID, 'client-id-malformed'),
  },
  async () => (await work()).THINGS,
);

/** One that is changed has a scope already. */
const NEW_ONES_HAVE_A_SCOPE = {
  if: { properties: { update: { const: true } }, required: ['update'] },
  else: { properties: { integrations: { items: having('scope') } } },
};
const { name, description, vendor, scope, accessTokenFormat } = IntegrationObject.properties;
/** Files of others may have more. */
const Imported = object(
  {
    id: form(NEW_CLIENT_ID, 'client-id-malformed', 'Its client id.'),
    ...{ name, description, vendor, accessTokenFormat },
    scope: optional(scope),
  },
  { title: 'IntegrationToImport', 'x-refusal': 'import-malformed' },
);
const UPDATE = optional(boolean({ description: 'Change those that exist.' }));
const Import = object(
  { integrations: list(Imported, { minItems: 1, maxItems: MOST_ROWS - 1 }), update: UPDATE },
  { ...CLOSED, title: 'IntegrationImport', ...NEW_ONES_HAVE_A_SCOPE },
);

const FILE_OR_ADDRESS = {
  if: having('file'),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { not: having('url') },
  else: having('url'),
};
const KEYS = 'Public keys: PEM, or JSON (a key or a key set).';
const KeyAddition = object(
  {
    file: optional(entered('longText', string({ format: 'public-keys', description: KEYS }))),
    url: optional(form(KEY_ADDRESS, 'key-address-malformed', 'Fetch them from here instead.')),
    authorities: optional(AUTHORITIES),
    allowedAddresses: optional(ranges('Addresses off the public internet to fetch from.')),
  },
  { ...CLOSED, title: 'KeyAddition', ...FILE_OR_ADDRESS },
);
const Key = described<Readonly<Record<string, string>>>({
  type: 'object',
  title: 'PublicKey',
  additionalProperties: string(),
});
const KEY = object({ key: string({ description: 'Its id, or the address of the keys.' }) });
const LASTS = lifetime('How long it is valid.', [1, SECRET_LIFETIME_MAX], 'secret-lifetime-malformed');
const EVERY = object({ all: optional(boolean({ description: 'All of them, the newest too.' })) });

export const INTEGRATION_ACTS = {
  'integration-list': things.list('read', 'List integrations'),
  'integration-show': things.show('read', 'Show an integration'),
  'integration-put': things.put('manage', 'Make or replace an integration'),
  'integration-import': act('manage', 'POST', '/integrations/import', {
    command: 'integration import',
    page: 'integrations',
    summary: 'Register several: all or none',
    body: Import,
    answers: listOf(object({ clientId: string(), isNew: boolean() }), 'ImportedIntegrations'),
    run: async ({ body: { integrations, update = false } }, ports) =>
      answering(await (await work()).importIntegrations(integrations, update, ports), (items) => ({ items })),
  }),
  'integration-enable': act('operate', 'POST', '/integrations/{id}/enable', {
    command: 'integration enable',
    page: 'integrations',
    summary: 'Enable an integration',
    answers: IntegrationObject,
    run: async ({ id }, ports) => changed(id, await (await work()).enableIntegration(id, true, ports), ports),
  }),
  'integration-disable': act('operate', 'POST', '/integrations/{id}/disable', {
    command: 'integration disable',
    page: 'integrations',
    summary: 'Disable an integration',
    answers: IntegrationObject,
    run: async ({ id }, ports) => changed(id, await (await work()).enableIntegration(id, false, ports), ports),
  }),
  'integration-remove': things.remove('manage', 'Remove an integration'),
  'integration-key-list': act('read', 'GET', '/integrations/{id}/keys', {
    command: 'integration key list',
    page: 'integrations',
    summary: 'List its public keys',
    answers: listOf(Key, 'KeyList'),
    run: async ({ id }, ports) => (await keys()).listKeys(id, ports),
  }),
  'integration-key-add': act('manage', 'POST', '/integrations/{id}/keys', {
    command: 'integration key add',
    page: 'integrations',
    summary: 'Add public keys',
    body: KeyAddition,
    answers: IntegrationObject,
    run: async ({ id, body: { file, url, ...settings } }, ports) => {
      if ((file === undefined) === (url === undefined)) return decline('object-malformed', 'give either file or url');
      const given = file === undefined ? { url: url ?? '', ...settings } : { file };
      return changed(id, await (await keys()).addIntegrationKeys(id, given, ports), ports);
    },
  }),
  'integration-key-remove': act('operate', 'DELETE', '/integrations/{id}/keys', {
    command: 'integration key remove',
    page: 'integrations',
    summary: 'Remove a public key',
    query: KEY,
    answers: IntegrationObject,
    run: async ({ id, query: { key } }, ports) =>
      changed(id, await (await keys()).removeIntegrationKey(id, key, ports), ports),
  }),
  'integration-secret-make': act('manage', 'POST', '/integrations/{id}/secrets', {
    command: 'integration secret',
    page: 'integrations',
    summary: 'Make a secret, shown once',
    query: object({ endsIn: LASTS }),
    answers: SecretObject,
    run: async ({ id, query: { endsIn } }, ports) => {
      const made = await (await secrets()).makeIntegrationSecret(id, seconds(endsIn), ports);
      return answering(made, ({ secret, endsAt }) => ({ secret: secret.reveal(), endsAt: isoTime(endsAt) }));
    },
  }),
  'integration-secret-drop': act('operate', 'DELETE', '/integrations/{id}/secrets', {
    command: 'integration secret',
    page: 'integrations',
    summary: 'End the older of two secrets',
    query: EVERY,
    answers: IntegrationObject,
    run: async ({ id, query: { all = false } }, ports) =>
      changed(id, await (await secrets()).dropIntegrationSecrets(id, { all }, ports), ports),
  }),
};

/** The answer to a change is the integration. */
async function changed(id: string, done: AdminOutcome<unknown>, ports: ActPorts) {
  return done.ok ? (await work()).THINGS.show(id, ports) : done;
}
