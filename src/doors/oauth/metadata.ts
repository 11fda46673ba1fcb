import type { Integration } from '../../core/integration.ts';
import { oncePer } from '../../core/once-per.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { hasOpaqueItems, RESERVED_RESOURCE, scopeItems } from '../../core/scope.ts';
import type { Settings } from '../../core/settings.ts';
import { ASSERTION_ALGORITHMS } from '../../core/token-issuer.ts';
import { DpopProofs } from '../../operations/grant/dpop-proofs.ts';
import type { Registry } from '../../operations/ports.ts';
import { DEVICE_GRANT_TYPE } from '../token/grant-type.ts';
import { CODE_GRANT_TYPE, GRANT_TYPES } from './grant-types.ts';
import type { Metadata, ResourceMetadata } from './schemas.ts';

/** Below the mount. Case sensitive. */
export const PATHS = {
  /** A page: src/doors/pages/authorize. */
  authorize: '/authorize',
  resources: '/resources',
  token: '/token',
  device: '/device_authorization',
  revoke: '/revoke',
  introspect: '/introspect',
  jwks: '/jwks',
  revocations: '/revocations',
} as const;

/** RFC 8414 3, and where OpenID Connect libraries look. */
export const METADATA_PATHS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const;

export interface MetadataFacts {
  readonly issuer: string;
  readonly mount: string;
  readonly settings: Pick<Settings, 'deviceFlow'>;
  readonly certificateUrl: string | undefined;
}

/** Of integrations. Which of them one has is not public. */
const AUTH_METHODS = ['none', 'tls_client_auth', 'private_key_jwt', 'client_secret_basic', 'client_secret_post'];

/** RFC 8414 2: only what this service has. */
export function metadataOf({ issuer, mount, settings: { deviceFlow }, certificateUrl }: MetadataFacts): Metadata {
  const base = issuer + mount;
  return {
    issuer,
    ...endpointsBelow(base),
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
    dpop_signing_alg_values_supported: [...DpopProofs.ALGORITHMS],
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    grant_types_supported: GRANT_TYPES.filter(
      (type) => type !== CODE_GRANT_TYPE && (deviceFlow || type !== DEVICE_GRANT_TYPE),
    ),
    // Required, even where no integration uses authorization codes.
    response_types_supported: ['none'],
    // Libraries for Java parse no openid-configuration without it. True here: every client sees the same `sub`.
    subject_types_supported: ['public'],
    ...(deviceFlow && { device_authorization_endpoint: base + PATHS.device }),
    revocation_endpoint_auth_methods_supported: AUTH_METHODS.filter((method) => method !== 'tls_client_auth'),
    revocation_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
    jwks_uri: base + PATHS.jwks,
    tls_client_certificate_bound_access_tokens: true,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'tls_client_auth'],
    ...(certificateUrl !== undefined && { mtls_endpoint_aliases: endpointsBelow(certificateUrl + mount) }),
  };
}

/** A longer list helps nobody; RFC 8414 2 allows to leave scopes out. */
const MOST_SCOPES = 500;

/** What depends on registrations; absent rather than empty (RFC 8414 3.2). Anybody can read it, so it shows the scopes of integrations for people only. */
export function withRegistered(
  metadata: Metadata,
  registry: Pick<Registry, 'integrations' | 'signingKeys'>,
  codes: CodeFacts,
): Metadata {
  const { integrations, signingKeys } = registry;
  const withCodes = integrations.filter(({ enabled, flows }) => enabled && flows.code);
  const scopes = [...itemsFor(metadata, registry).values()].flat().sort();
  const algorithms = [...new Set(signingKeys.map(({ algorithm }) => algorithm))];
  return {
    ...metadata,
    ...(withCodes.length > 0 && codeMembers(metadata, codes)),
    ...(withCodes.some(({ clientId }) => clientId === codes.clientDocuments?.integration) && {
      client_id_metadata_document_supported: true,
    }),
    ...(scopes.length > 0 && { scopes_supported: scopes.slice(0, MOST_SCOPES) }),
    // There are no ID tokens. Verifiers for OpenID Connect, such as go-oidc, take from here what access tokens are signed with.
    ...(algorithms.length > 0 && { id_token_signing_alg_values_supported: algorithms }),
  };
}

export interface CodeFacts extends Pick<Settings, 'clientDocuments'> {
  readonly authorizationEndpoint: string;
}

/** RFC 7636 6.2, RFC 9207 3. */
function codeMembers(metadata: Metadata, { authorizationEndpoint }: CodeFacts): Partial<Metadata> {
  return {
    authorization_endpoint: authorizationEndpoint,
    response_types_supported: ['code'],
    grant_types_supported: [CODE_GRANT_TYPE, ...metadata.grant_types_supported],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** What people can confirm, by resource. Kept until an integration changes: anybody may ask, and there may be thousands. */
const scopesForPeople = oncePer((integrations: readonly Integration[]) => {
  const enabled = integrations.filter((integration) => integration.enabled);
  return {
    withDevices: itemsOf(enabled.filter(({ flows }) => flows.code || flows.device)),
    byCode: itemsOf(enabled.filter(({ flows }) => flows.code)),
  };
});

function itemsOf(integrations: readonly Integration[]): ReadonlyMap<string, readonly string[]> {
  const items = new Set(integrations.flatMap(({ scope }) => scopeItems(scope)));
  const byResource = Map.groupBy(items, (item) => (hasOpaqueItems(item) ? item : (item.split(':')[0] ?? item)));
  byResource.delete(RESERVED_RESOURCE); // nobody's business
  return byResource;
}

function itemsFor(metadata: Metadata, { integrations }: Pick<Registry, 'integrations'>) {
  const hasDevices = metadata.device_authorization_endpoint !== undefined;
  return scopesForPeople(integrations)[hasDevices ? 'withDevices' : 'byCode'];
}

/** Of a registered resource server (RFC 9728). */
export function resourceMetadata(
  { audience, name, resources }: ResourceServer,
  metadata: Metadata,
  registry: Pick<Registry, 'integrations'>,
): ResourceMetadata {
  const items = itemsFor(metadata, registry);
  const served = resources.flatMap((resource) => items.get(resource) ?? []).sort();
  return {
    resource: audience,
    authorization_servers: [metadata.issuer],
    bearer_methods_supported: ['header'],
    resource_name: name,
    ...(served.length > 0 && { scopes_supported: served }),
  };
}

/** Those that take a certificate (RFC 8705 5). The last one is our own: RFC 8414 2 allows further members. */
function endpointsBelow(base: string): NonNullable<Metadata['mtls_endpoint_aliases']> {
  return {
    token_endpoint: base + PATHS.token,
    revocation_endpoint: base + PATHS.revoke,
    introspection_endpoint: base + PATHS.introspect,
    revocation_feed_endpoint: base + PATHS.revocations,
  };
}
