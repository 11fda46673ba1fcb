// Integrations as operators write them: what must be true of the fields, and what depends on other things.
import { type Access, hasProofs, type Integration, keyNames, parseClientId } from '../../core/integration.ts';
import { accept } from '../../core/outcome.ts';
import { isRedirectUri } from '../../core/redirect-uri.ts';
import type { ResourceServerId } from '../../core/resource-server.ts';
import { signingKeyOf } from '../../core/rules/signing-keys.ts';
import { parseScope } from '../../core/scope.ts';
import { JWT_LIFETIME_MAX, LIFETIME_MAX } from '../../core/settings.ts';
import { isoTime } from '../../core/time.ts';
import { isAddressRange } from '../../outbound/address-filter.ts';
import { resourceServers } from '../../store/tables/resource-servers.ts';
import { isSigned } from '../../tokens/access-token.ts';
import { type DraftPorts, rowOf, unlessEmpty, type Whole } from './acts/work/kind.ts';
import { tokenIssuerOf } from './acts/work/token-issuer.ts';
import { type Acted, decline } from './admin.ts';
import { findOnce } from './find-identity.ts';
import { replacedKeys } from './integration-keys.ts';
import { whyNotEverywhere } from './mac-keys.ts';
import { MOST_NAMED, MOST_REDIRECT_URIS, type WrittenIntegration } from './objects.ts';
import { findThing } from './perform.ts';
import { allPublishedKeys } from './signing-keys.ts';
import { NEW_CLIENT_ID, PLAIN_NAME, PLAIN_TEXT, SHOWN_NAME } from './text-forms.ts';

/** Not even hashes of secrets are shown. A `confidential: false` would contradict a key that a client adds before it sends this back. */
export function writtenIntegration(row: Integration): WrittenIntegration {
  const {
    scope,
    confidential,
    keys,
    secrets,
    removed: _,
    registration: __,
    disabledByOwner: ___,
    ...integration
  } = row;
  const made = secrets?.map(({ createdAt, endsAt }) => ({ createdAt: isoTime(createdAt), endsAt: isoTime(endsAt) }));
  return {
    ...integration,
    ...(confidential && { confidential }),
    ...(keys && { keys: keyNames(keys), publicKeys: keys }),
    ...(made && { secrets: made }),
    scope: scope.text,
  };
}

/** The integration that a body with every field describes. Keys that it does not name, and secrets, stay. */
export async function draftedIntegration(
  clientIdText: string,
  body: Required<WrittenIntegration>,
  before: Integration | undefined,
  ports: DraftPorts,
): Acted<Integration> {
  const named = draftedNames(clientIdText, body.scope, before);
  if (!named.ok) return named;
  const objection = objectionTo(body);
  if (objection) return objection;
  const access = await draftedAccess(body.access, ports);
  if (!access.ok) return access;
  const keys = body.publicKeys ? replacedKeys(body.publicKeys) : accept(before?.keys);
  if (!keys.ok) return keys;
  const { name, description, vendor, enabled, flows, binding, accessTokenFormat, confidential } = body;
  const isOfOwner = before?.enabled ? ports.isOwner : before?.disabledByOwner;
  const proofs = {
    flows: { device: flows.device ?? true, certificate: flows.certificate ?? true, ...said(flows) },
    keys: keys.value,
    secrets: before?.secrets,
  };
  const isProven = hasProofs(rowOf<Proofs>(proofs, undefined));
  if (isProven && confidential === false) return decline('public-with-proofs', clientIdText);
  const next: Whole<Integration> = {
    clientId: named.value.clientId,
    name,
    description,
    vendor,
    scope: named.value.scope,
    enabled,
    flows: proofs.flows,
    access: access.value,
    binding,
    accessTokenFormat,
    overrides: Object.fromEntries(Object.entries(body.overrides).filter(([, value]) => value !== undefined)),
    owners: unlessEmpty(body.owners),
    tokenEndpointAudience: unlessEmpty(body.tokenEndpointAudience),
    publicEnterprise: unlessEmpty(body.publicEnterprise),
    secretAddresses: unlessEmpty(body.secretAddresses),
    exchange: unlessEmpty(body.exchange),
    resourceServer: unlessEmpty(body.resourceServer) as ResourceServerId | undefined,
    keys: proofs.keys,
    secrets: proofs.secrets,
    disabledByOwner: !enabled && isOfOwner ? true : undefined,
    removed: undefined,
    registration: before?.registration,
    confidential: confidential ?? (before?.confidential || isProven),
  };
  return accept(rowOf(next, before));
}

type Proofs = Pick<Integration, 'flows' | 'keys' | 'secrets'>;

export function draftedNames(clientIdText: string, scopeText: string | undefined, before?: Integration) {
  const clientId = parseClientId(clientIdText);
  if (!clientId || (!before && !NEW_CLIENT_ID.test(clientId))) return decline('client-id-malformed', clientIdText);
  const scope = scopeText === undefined ? undefined : parseScope(scopeText);
  if (!scope) return scopeText ? decline('scope-malformed', scopeText) : decline('scope-missing', clientId);
  return accept({ clientId, scope });
}

/** Without what is false or empty: rows do not have it. */
function said<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => unlessEmpty(value))) as Partial<T>;
}

const LEAST_SECONDS = { accessTokenLifetime: 1, grantLifetime: 1, refreshRetryWindow: 0, refreshSiblingWindow: 0 };

function objectionTo(draft: Required<WrittenIntegration>) {
  const { name, description, vendor, access, flows, owners, overrides, secretAddresses, exchange } = draft;
  if (!owners.every((group) => PLAIN_NAME.test(group))) return decline('text-malformed', 'owner');
  const { redirectUris = [] } = flows.code || {};
  const wrong = redirectUris.find((uri) => !isRedirectUri(uri)) ?? redirectUris[MOST_REDIRECT_URIS];
  if (wrong !== undefined) return decline('redirect-uri-malformed', wrong);
  if (!SHOWN_NAME.test(name)) return decline('text-malformed', 'name');
  for (const [field, text] of Object.entries({ description, vendor })) {
    if (!PLAIN_TEXT.test(text)) return decline('text-malformed', field);
  }
  for (const [field, least] of Object.entries(LEAST_SECONDS) as [keyof typeof LEAST_SECONDS, number][]) {
    const { [field]: length = 1 } = overrides;
    if (length < least || length > LIFETIME_MAX) return decline('lifetime-malformed', field);
  }
  if (isSigned(draft.accessTokenFormat) && (overrides.accessTokenLifetime ?? 0) > JWT_LIFETIME_MAX)
    return decline('lifetime-too-long', 'accessTokenLifetime');
  const range = secretAddresses.find((text) => !isAddressRange(text));
  if (range !== undefined) return decline('address-range-malformed', range);
  const entry = exchange.find(({ integration, scope }) => !parseClientId(integration) || !parseScope(scope));
  if (entry) return decline('exchange-malformed', `${entry.integration}=${entry.scope}`);
  if (access.to !== 'named') return undefined;
  if (!access.groups.every((group) => PLAIN_NAME.test(group))) return decline('text-malformed', 'group');
  if (access.identities.length <= MOST_NAMED) return undefined;
  return decline('object-malformed', `access names more than ${MOST_NAMED} identities: put them into a group`);
}

/** Operators may give user names; the integration stores ids, each once. */
async function draftedAccess(access: Access, ports: DraftPorts): Acted<Access> {
  if (access.to !== 'named') return accept(access);
  const ids = new Set<(typeof access.identities)[number]>();
  for (const name of access.identities) {
    const found = await findOnce(name, ports);
    if (!found.ok) return found;
    ids.add(found.value.id);
  }
  return accept({ ...access, identities: [...ids] });
}

/** Why other things do not allow it. A new client id must be nobody else's name. */
export async function objectionToIntegration(next: Integration, before: Integration | undefined, ports: DraftPorts) {
  const { clientId, resourceServer, accessTokenFormat } = next;
  const { store } = ports;
  if (!before && (await store.load(resourceServers, clientId)).found)
    return decline('client-id-of-resource-server', clientId);
  if (!before && (await tokenIssuerOf(clientId, ports))) return decline('client-id-of-token-issuer', clientId);
  if (isSigned(accessTokenFormat) && accessTokenFormat !== before?.accessTokenFormat) {
    const objection = await whyNotSigned(store);
    if (objection) return objection;
  }
  if (!resourceServer || resourceServer === before?.resourceServer) return undefined;
  const server = await findThing('resource-server', resourceServer, ports);
  return server.ok ? undefined : server;
}

/** No key signs yet, or a running node would refuse callers. */
async function whyNotSigned(store: DraftPorts['store']) {
  const key = signingKeyOf(await allPublishedKeys(store));
  if (!key) return decline('signing-key-missing', '');
  return whyNotEverywhere(key.id, { store });
}
