import { formatDuration } from '../../core/duration.ts';
import { ACCESS_TOKEN_FORMATS, BINDINGS } from '../../core/integration.ts';
import { isLocked } from '../../core/rules/client.ts';
import { decline } from '../../operations/admin/admin.ts';
import type { WrittenIntegration } from '../../operations/admin/objects.ts';
import { systemClock } from '../../system.ts';
import { readInput } from '../terminal/input.ts';
import { declares, describes, type Flags } from '../terminal/manual.ts';
import { counted, print, result } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administering } from './administration.ts';
import { PROOFS_TEXT, PROOFS_WORKS } from './integration-keys.ts';
import type { Administration } from './steps.ts';
import { switches, worksOf, yesNo } from './things.ts';

const FLAGS = `
  --name <text>               its name, as people see it -> name
  --description <text>        what it is for -> description
  --vendor <text>             who makes it -> vendor
  --access-token-format <format>  of the access tokens of new grants [${ACCESS_TOKEN_FORMATS.join('|')}] -> accessTokenFormat
  --access-token-lifetime <duration>  overrides the server setting -> overrides.accessTokenLifetime
  --grant-lifetime <duration>  overrides the server setting -> overrides.grantLifetime
  --refresh-retry-window <duration>  overrides the server setting -> overrides.refreshRetryWindow
  --refresh <yes|no>          whether its answers carry a refresh token -> overrides.refresh
  --on-reuse <what>           what reuse of a spent refresh token does [revoke|report] -> overrides.onReuse
  --device <yes|no>           whether people may authorize it in a browser -> flows.device
  --certificate <yes|no>      whether callers may authorize by certificate -> flows.certificate
  --assertion <yes|no>        whether workloads may authorize by assertion of a token issuer -> flows.assertion
  --code <yes|no>             whether programs may send people to a browser for an authorization code
  --redirect-uri <uri>        where the code may be sent; may be repeated; replaces all; turns --code on
  --confidential <yes|no>     whether a client id alone proves too little; yes once there are keys or secrets -> confidential
  --secret <yes|no>           whether callers may authenticate with a generated secret -> flows.secret
  --secret-address <address>  where alone a secret works (10.0.0.0/8), or any; may be repeated -> secretAddresses
  --token-endpoint-audience <yes|no>  whether aud of a client assertion may be the token endpoint
      -> tokenEndpointAudience
  --public-enterprise <yes|no>  whether assertions of an enterprise need no client authentication -> publicEnterprise
  --resource-server <id>      the resource server that it runs and may exchange tokens of; empty for none
      -> resourceServer
  --exchange <client_id=scope>  who may exchange its tokens, and for which scope; may be repeated -> exchange
  --no-exchange               nobody may exchange its tokens
  --binding <what>            what a refresh must come with: a certificate, or a DPoP proof [${BINDINGS.join('|')}] -> binding
  --only-identity <id>        allow this identity only, by user name or id; may be repeated
  --only-group <group>        allow this group only; may be repeated
  --everyone                  allow every identity -> access
  --owner <group>             a group that looks after it from elsewhere; may be repeated -> owners
  --scope <scope>             all that its tokens may carry -> scope
`;

const TEXT = `
integration                   register API integrations; each fixes the scope of its tokens
integration add <client_id>   register an integration
  <client_id>                 what callers send as client_id
  needs --scope
${FLAGS}
  $ tessera integration add orders-sync --scope 'orders:read,write;stock:read'
  $ tessera integration add till --scope sales:read --only-group shops --grant-lifetime 30d
  $ tessera integration add web-shop --scope orders:read --access-token-format jwt
  $ tessera integration add coder --scope orders:read --redirect-uri http://127.0.0.1/callback
integration change <client_id>  change what the flags name; the rest stays
${FLAGS}
  $ tessera integration change orders-sync --scope orders:read --refresh-retry-window 0
integration import <file>     register integrations from a file
  <file>                      JSON: {"id","name","description","scope"}, or a list of these; - for standard input
  --update                    change those that are registered already
  $ tessera integration import integrations.json
  $ tessera integration import --update - < one.json
integration list              list the integrations
  --json                      as JSON
  $ tessera integration list
  $ tessera integration list --json | jq -r '.[].clientId'
integration show <client_id>  show one integration
  --json                      as JSON
  $ tessera integration show orders-sync
integration disable <client_id>  refuse the integration at every door, within a second; its grants stay
  $ tessera integration disable orders-sync
integration enable <client_id>  accept a disabled integration again
  $ tessera integration enable orders-sync
integration remove <client_id>  remove an integration for good: its grants end, its client id is free again
  --yes                       confirm it
  $ tessera integration remove orders-sync --yes
${PROOFS_TEXT}
`;

const described = describes(FLAGS, {
  secretAddresses: (given: readonly string[]) => given.filter((address) => address !== 'any'),
  exchange: (given: readonly string[]) => given.map(exchangeEntry),
  access: () => ({ to: 'everyone' }),
});

function exchangeEntry(text: string) {
  const [integration = '', ...scope] = text.split('=');
  return { integration, scope: scope.join('=') };
}

export const commands = declares(TEXT, {
  ...worksOf('integration', {
    body: bodyOf,
    added: (id, { scope }) => `Registered ${id} with the scope ${scope}`,
    columns: ['client id', 'name', 'enabled', 'scope'],
    row: ({ clientId, name, scope, enabled }) => [clientId, name, yesNo(enabled), scope],
    record: recordOf,
    removed: (clientId, endedGrants) => [
      `Removed ${clientId} and ended ${counted(endedGrants, 'grant')}`,
      { clientId, endedGrants },
    ],
  }),
  ...switches('integration'),
  'integration import': administering(importFile),
  ...PROOFS_WORKS,
});

function bodyOf(flags: Flags, before: Partial<WrittenIntegration> = {}): object {
  const body = described(flags, before);
  const { onlyIdentity: identities = [], onlyGroup: groups = [], everyone } = flags;
  const isNamed = !everyone && (flags['onlyIdentity'] !== undefined || flags['onlyGroup'] !== undefined);
  const code = codeFlow(flags, before.flows?.code);
  return {
    ...body,
    // The act looks up user names.
    ...(isNamed && { access: { to: 'named', identities, groups } }),
    ...(code !== undefined && { flows: { ...(body['flows'] as object), code } }),
  };
}

/** `--code yes` alone keeps the redirect URIs; without any, it is for clients with a document, which lists theirs. */
function codeFlow({ code, redirectUri }: Flags, before: unknown): unknown {
  if (code === false) return false;
  if (redirectUri) return { redirectUris: redirectUri };
  return code && (before || { redirectUris: [] });
}

async function importFile(file: string, { update = false }: { update?: boolean }, { act }: Administration) {
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

function recordOf(integration: WrittenIntegration): Record<string, string> {
  const { clientId = '', name = '', description = '', vendor = '', scope, enabled = true, flows = {} } = integration;
  const { access = { to: 'everyone' }, binding = 'none', accessTokenFormat = 'opaque', overrides = {} } = integration;
  const { owners = [] } = integration;
  const { accessTokenLifetime, grantLifetime, refreshRetryWindow, refresh, onReuse } = overrides;
  return {
    'client id': clientId,
    name,
    description,
    vendor,
    scope,
    enabled: yesNo(enabled),
    'by browser': yesNo(flows.device ?? true),
    'by certificate': yesNo(flows.certificate ?? true),
    ...(flows.assertion && { 'by assertion': 'yes' }),
    ...(flows.code && { 'by code': flows.code.redirectUris.join(', ') || 'yes, for clients with a document' }),
    ...proofsOf(integration),
    'who may use it': access.to === 'everyone' ? 'everyone' : [...access.identities, ...access.groups].join(', '),
    ...(owners.length > 0 && { owners: owners.join(', ') }),
    binding,
    'access tokens': accessTokenFormat,
    ...(accessTokenLifetime !== undefined && { 'access token lifetime': formatDuration(accessTokenLifetime) }),
    ...(grantLifetime !== undefined && { 'grant lifetime': formatDuration(grantLifetime) }),
    ...(refreshRetryWindow !== undefined && { 'refresh retry window': formatDuration(refreshRetryWindow) }),
    ...(refresh !== undefined && { refresh: yesNo(refresh) }),
    ...(onReuse !== undefined && { 'on reuse': onReuse }),
  };
}

function proofsOf(integration: WrittenIntegration): Record<string, string> {
  const { flows = {}, secretAddresses = [], resourceServer, exchange = [], keys, secrets = [] } = integration;
  const locked = isLocked(integration, systemClock.milliseconds())
    ? ', and it authenticates nobody: it has no key or secret'
    : '';
  return {
    confidential: `${yesNo(integration.confidential)}${locked}`,
    ...(keys && { 'by key': keys.join(', ') }),
    ...(flows.secret && { 'by secret': secrets.map(({ endsAt }) => `until ${endsAt}`).join(', ') || 'none' }),
    ...(secretAddresses.length > 0 && { 'secrets from': secretAddresses.join(', ') }),
    ...(resourceServer && { 'resource server': resourceServer }),
    ...(exchange.length > 0 && {
      'exchanged by': exchange.map(({ integration: by, scope }) => `${by} for ${scope}`).join(', '),
    }),
  };
}
