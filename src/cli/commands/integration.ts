import type { CodeFlow } from '../../core/integration.ts';
import { isLocked } from '../../core/rules/client.ts';
import { decline } from '../../operations/admin/admin.ts';
import { IntegrationObject } from '../../operations/admin/objects.ts';
import { systemClock } from '../../system.ts';
import { group } from '../terminal/command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { readInput } from '../terminal/input.ts';
import { argument, flag, insteadOf, orNone, texts, yesNo } from '../terminal/options.ts';
import { counted, print, result } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administers } from './administration.ts';
import { byHand, fieldsOf } from './fields.ts';
import { key, secret } from './integration-keys.ts';
import type { Administration } from './steps.ts';
import { registered, switches } from './things.ts';

const FIELDS = fieldsOf(
  IntegrationObject,
  {
    enabled: { not: '`enable` and `disable` do it' },
    confidential: {
      shown: (isConfidential, integration) =>
        isLocked(integration, systemClock.milliseconds())
          ? 'yes, and it authenticates nobody: it has no key or secret'
          : isConfidential
            ? 'yes'
            : 'no',
    },
    'flows.device': { label: 'by browser' },
    'flows.certificate': { label: 'by certificate' },
    'flows.assertion': { label: 'by assertion' },
    'flows.secret': { label: 'by secret' },
    'flows.code': {
      ...byHand(
        {
          code: yesNo('whether programs may send people to a browser for an authorization code'),
          redirectUri: texts('<uri>', 'where the code may be sent; replaces all; turns --code on'),
        },
        // `--code yes` alone keeps the redirect URIs; without any, it is for clients with a document, which lists theirs.
        ({ code, redirectUri: redirectUris }, before: CodeFlow | false | undefined) => {
          if (code === false && redirectUris)
            throw new CommandFailure(
              'usage',
              '--code no and --redirect-uri contradict each other',
              'Give one of them.',
            );
          if (code === false) return false;
          return redirectUris ? { redirectUris } : code && (before || { redirectUris: [] });
        },
      ),
      label: 'by code',
      shown: (code) => (code ? code.redirectUris.join(', ') || 'yes, for clients with a document' : 'no'),
    },
    access: {
      ...byHand(
        {
          onlyIdentity: texts('<id>', 'allow this identity only, by user name or id'),
          onlyGroup: texts('<group>', 'allow this group only'),
          everyone: insteadOf(['onlyIdentity', 'onlyGroup'], flag('allow every identity')),
        },
        ({ onlyIdentity, onlyGroup, everyone }) => {
          if (everyone) return { to: 'everyone' };
          if (!onlyIdentity && !onlyGroup) return undefined;
          return { to: 'named', identities: onlyIdentity ?? [], groups: onlyGroup ?? [] };
        },
      ),
      label: 'who may use it',
      shown: (access) => (access?.to === 'named' ? [...access.identities, ...access.groups].join(', ') : 'everyone'),
    },
    owners: { option: 'owner', value: '<group>' },
    secretAddresses: {
      ...byHand(
        {
          secretAddress: orNone(
            'a secret works everywhere',
            texts('<address>', 'where alone a secret works (10.0.0.0/8), or any'),
          ),
        },
        ({ secretAddress }) => (secretAddress === false ? [] : secretAddress?.filter((address) => address !== 'any')),
      ),
      label: 'secrets from',
    },
    resourceServer: { value: '<id>', none: 'it runs none' },
    exchange: {
      ...byHand(
        {
          exchange: orNone(
            'nobody may exchange its tokens',
            texts('<client_id=scope>', 'who may exchange its tokens, and for which scope'),
          ),
        },
        ({ exchange }) => (exchange === false ? [] : exchange?.map(exchangeEntry)),
      ),
      label: 'exchanged by',
      shown: (entries = []) => entries.map(({ integration, scope }) => `${integration} for ${scope}`).join(', '),
    },
    accessTokenFormat: { label: 'access tokens' },
    keys: { label: 'by key' },
    publicKeys: { not: '`integration key` does it', shown: () => undefined },
    secrets: { shown: (secrets = []) => secrets.map(({ endsAt }) => `until ${endsAt}`).join(', ') },
  },
  ['clientId', 'name', 'enabled', 'scope'],
);

function exchangeEntry(text: string) {
  const [integration = '', ...scope] = text.split('=');
  return { integration, scope: scope.join('=') };
}

const ID = argument('what callers send as client_id', '<client_id>');

const integration = registered('integration', {
  id: ID,
  fields: FIELDS,
  added: (id, { scope }) => `Registered ${id} with the scope ${scope}`,
  removed: (clientId, endedGrants) => [
    `Removed ${clientId} and ended ${counted(endedGrants, 'grant')}`,
    { clientId, endedGrants },
  ],
});

export const commands = {
  integration: group('register API integrations; each fixes the scope of its tokens', {
    add: integration.add({
      about: 'register an integration',
      examples: [
        "tessera integration add orders-sync --scope 'orders:read,write;stock:read'",
        'tessera integration add till --scope sales:read --only-group shops --grant-lifetime 30d',
        'tessera integration add web-shop --scope orders:read --access-token-format jwt',
        'tessera integration add coder --scope orders:read --redirect-uri http://127.0.0.1/callback',
      ],
    }),
    change: integration.change({
      about: 'change what the flags name; the rest stays',
      examples: ['tessera integration change orders-sync --scope orders:read --refresh-retry-window 0'],
    }),
    import: administers({
      about: 'register integrations from a file',
      arguments: {
        file: argument('JSON: {"id","name","description","scope"}, or a list of these; - for standard input'),
      },
      options: { update: flag('change those that are registered already') },
      examples: ['tessera integration import integrations.json', 'tessera integration import --update - < one.json'],
      run: importFile,
    }),
    list: integration.list({
      about: 'list the integrations',
      examples: ['tessera integration list', "tessera integration list --json | jq -r '.[].clientId'"],
    }),
    show: integration.show({ about: 'show one integration', examples: ['tessera integration show orders-sync'] }),
    disable: switches('integration', 'disable', ID, {
      about: 'refuse the integration at every door, within a second; its grants stay',
      examples: ['tessera integration disable orders-sync'],
    }),
    enable: switches('integration', 'enable', ID, {
      about: 'accept a disabled integration again',
      examples: ['tessera integration enable orders-sync'],
    }),
    remove: integration.remove({
      about: 'remove an integration for good: its grants end, its client id is free again',
      options: { yes: flag('confirm it') },
      examples: ['tessera integration remove orders-sync --yes'],
    }),
    key,
    secret,
  }),
};

type ImportFlags = { readonly file: string; readonly update?: boolean };

async function importFile({ file, update = false }: ImportFlags, { act }: Administration): Promise<void> {
  const integrations = entriesIn(readInput(file));
  const { items } = await act('integration-import', { body: { integrations, update } });
  for (const { clientId, isNew } of items) print(`${isNew ? 'Registered' : 'Changed'} ${clientId}`);
  result(items);
}

/** One entry, or a list. */
function entriesIn(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text.replace(/^\ufeff/, ''))].flat();
  } catch {
    return accepted(decline('import-malformed', 'it is not JSON'));
  }
}
