// The OpenAPI part of this door: the schemas of requests and answers, with descriptions, examples and links.
import type { Schema } from '../../schema.ts';
import {
  type OpenapiLink,
  type OpenapiMediaType,
  type OpenapiOperation,
  type OpenapiParameter,
  type OpenapiPaths,
  refusalResponse,
} from '../openapi-document.ts';
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../token/grant-type.ts';
import { ASSERTION_GRANT_TYPE, CERTIFICATE_GRANT_TYPE, CODE_GRANT_TYPE, EXCHANGE_GRANT_TYPE } from './grant-types.ts';
import { type METADATA_PATHS, PATHS } from './metadata.ts';
import {
  DeviceAnswer,
  DeviceForm,
  ErrorAnswer,
  IntrospectionAnswer,
  IntrospectionForm,
  KeySet,
  Metadata,
  NoAnswer,
  ResourceMetadata,
  RevocationForm,
  Snapshot,
  TokenAnswer,
  TokenForm,
} from './schemas.ts';

const STATUSES = {
  400: 'Refused; error says why, error_description what to do.',
  401: 'The client or its certificate was not accepted.',
  404: 'This address does not serve the path.',
  405: 'The path takes another method.',
  410: 'The cursor or page is too old, or of another store or resource server: take a snapshot.',
  413: 'The body is too large, or in too many parts.',
  429: 'Too many requests; see Retry-After.',
  431: 'The headers are too large.',
  500: 'An internal error.',
  503: 'Temporarily unavailable: send the same request again after Retry-After.',
} as const;

interface Words {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly OpenapiParameter[];
  readonly takes?: { readonly schema: Schema; readonly examples: Readonly<Record<string, object>> };
  readonly answers: Schema;
  /** The stream that it answers to those who accept text/event-stream. */
  readonly streams?: string;
  readonly security?: readonly object[];
  /** Where these are neither POSTED nor PUBLISHED. */
  readonly refuses?: readonly (keyof typeof STATUSES)[];
  readonly next?: Readonly<Record<string, OpenapiLink>>;
}

const EXAMPLE_CLIENT = { client_id: 'orders-sync' };

const EXAMPLES = {
  token: {
    redeem: { ...EXAMPLE_CLIENT, grant_type: DEVICE_GRANT_TYPE, device_code: 'tsd_EXAMPLE==' },
    code: {
      ...EXAMPLE_CLIENT,
      grant_type: CODE_GRANT_TYPE,
      code: 'tso_EXAMPLE==',
      redirect_uri: 'http://127.0.0.1:8765/callback',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
    refresh: { ...EXAMPLE_CLIENT, grant_type: REFRESH_GRANT_TYPE, refresh_token: 'tsr_EXAMPLE==' },
    certificate: { ...EXAMPLE_CLIENT, grant_type: CERTIFICATE_GRANT_TYPE, scope: 'orders:read stock:read' },
    key: {
      grant_type: CERTIFICATE_GRANT_TYPE,
      client_assertion: 'eyJ.EXAMPLE.JWT',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    },
    exchange: {
      ...EXAMPLE_CLIENT,
      grant_type: EXCHANGE_GRANT_TYPE,
      client_secret: 'tsc_EXAMPLE',
      subject_token: 'tsa_EXAMPLE==',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    },
    workload: { ...EXAMPLE_CLIENT, grant_type: ASSERTION_GRANT_TYPE, assertion: 'eyJ.EXAMPLE.JWT' },
  },
  device: { start: { ...EXAMPLE_CLIENT, scope: 'orders:read stock:read' } },
  revocation: { revoke: { ...EXAMPLE_CLIENT, token: 'tsr_EXAMPLE==' } },
  introspection: { check: { token: 'tsa_EXAMPLE==' } },
} as const;

const SENT_CLIENT = { client_id: '$request.body#/client_id' };

const OPERATIONS: Readonly<Record<string, Words>> = {
  [PATHS.token]: {
    operationId: 'oauth-token',
    summary:
      'Redeem a device code or an authorization code, refresh, exchange, or obtain a token by certificate, key, secret or assertion (RFC 6749, 7523, 8628, 8693, 8705)',
    parameters: [parameter('header', 'DPoP', 'A DPoP proof (RFC 9449), to which the tokens are bound.')],
    takes: { schema: TokenForm, examples: EXAMPLES.token },
    answers: TokenAnswer,
    security: [{}, { certificate: [] }],
    next: {
      refresh: {
        operationId: 'oauth-token',
        description: 'Refresh the pair before or after access_token expires.',
        requestBody: { ...SENT_CLIENT, grant_type: REFRESH_GRANT_TYPE, refresh_token: '$response.body#/refresh_token' },
      },
      introspect: {
        operationId: 'oauth-introspect',
        description: 'Check access_token, as a resource server.',
        requestBody: { token: '$response.body#/access_token' },
      },
      revoke: {
        operationId: 'oauth-revoke',
        description: 'End the grant.',
        requestBody: { ...SENT_CLIENT, token: '$response.body#/access_token' },
      },
    },
  },
  [PATHS.device]: {
    operationId: 'oauth-device-authorization',
    summary: 'Start a device authorization (RFC 8628)',
    takes: { schema: DeviceForm, examples: EXAMPLES.device },
    answers: DeviceAnswer,
    next: {
      redeem: {
        operationId: 'oauth-token',
        description: 'Redeem the device code once the person has confirmed.',
        requestBody: { ...SENT_CLIENT, grant_type: DEVICE_GRANT_TYPE, device_code: '$response.body#/device_code' },
      },
    },
  },
  [PATHS.revoke]: {
    operationId: 'oauth-revoke',
    summary: 'End the grant of a token (RFC 7009)',
    takes: { schema: RevocationForm, examples: EXAMPLES.revocation },
    answers: NoAnswer,
  },
  [PATHS.introspect]: {
    operationId: 'oauth-introspect',
    summary: 'Check an access token, for a registered resource server (RFC 7662)',
    takes: { schema: IntrospectionForm, examples: EXAMPLES.introspection },
    answers: IntrospectionAnswer,
    // The last one stands for client_secret_post.
    security: [{ basic: [] }, { bearer: [] }, { certificate: [] }, {}],
  },
  [PATHS.revocations]: {
    operationId: 'oauth-revocations',
    summary:
      'The revocation feed, for a registered resource server: a snapshot in pages, or with Accept: text/event-stream what follows a cursor',
    parameters: [
      parameter('query', 'page', 'The next of the page before: the next page of the same snapshot.'),
      parameter('query', 'after', 'For the stream: the cursor of a snapshot.'),
      parameter(
        'header',
        'Last-Event-ID',
        'For the stream: the id of the last event that arrived. Counts before after.',
      ),
      parameter('query', 'client_id', 'The id of the resource server, if a certificate or an access token proves it.'),
    ],
    answers: Snapshot,
    streams: 'Events whose data is one entry of a snapshot each.',
    security: [{ basic: [] }, { bearer: [] }, { certificate: [] }],
    refuses: [400, 401, 404, 405, 410, 429, 431, 500, 503],
    next: {
      page: {
        operationId: 'oauth-revocations',
        description: 'The next page.',
        parameters: { 'query.page': '$response.body#/next' },
      },
    },
  },
  [PATHS.jwks]: {
    operationId: 'oauth-jwks',
    summary: 'The public keys of access tokens that are JWTs (RFC 7517)',
    answers: KeySet,
  },
  [`${PATHS.resources}/{id}`]: {
    operationId: 'oauth-resource-metadata',
    summary: 'The metadata of a registered resource server (RFC 9728)',
    parameters: [{ ...parameter('path', 'id', 'The id of the resource server.'), required: true }],
    answers: ResourceMetadata,
  },
};

const METADATA: Readonly<Record<(typeof METADATA_PATHS)[number], Words>> = {
  '/.well-known/oauth-authorization-server': {
    operationId: 'oauth-metadata',
    summary: 'The metadata of this authorization server (RFC 8414)',
    answers: Metadata,
  },
  '/.well-known/openid-configuration': {
    operationId: 'oauth-openid-metadata',
    summary: 'The same metadata, where OpenID libraries look for it',
    answers: Metadata,
  },
};

export function oauthPaths(mount: string): OpenapiPaths {
  const below = Object.entries(OPERATIONS).map(([path, words]): [string, Words] => [mount + path, words]);
  const operations = [...below, ...Object.entries(METADATA)];
  return Object.fromEntries(
    operations.map(([path, words]) => [path, { [words.takes ? 'post' : 'get']: operationOf(words) }]),
  );
}

function parameter(place: OpenapiParameter['in'], name: string, description: string): OpenapiParameter {
  return { name, in: place, description, schema: { type: 'string' } };
}

function operationOf(words: Words): OpenapiOperation {
  const { operationId, summary, parameters, takes, answers, streams, security = [], next } = words;
  const { refuses = takes ? POSTED : PUBLISHED } = words;
  const stream =
    streams === undefined ? {} : { 'text/event-stream': { schema: { type: 'string', description: streams } } };
  return {
    operationId,
    summary,
    tags: ['oauth'],
    security,
    ...(parameters && { parameters }),
    ...(takes && { requestBody: { required: true, content: { [FORM_TYPE]: formOf(takes) } } }),
    responses: {
      200: {
        description: 'OK.',
        content: { 'application/json': { schema: answers }, ...stream },
        ...(next && { links: next }),
      },
      ...Object.fromEntries(
        refuses.map((status) => [status, refusalResponse(status, STATUSES[status], { schema: ErrorAnswer }, security)]),
      ),
    },
  };
}

const POSTED = [400, 401, 404, 405, 413, 429, 431, 500, 503] as const;
const PUBLISHED = [400, 404, 405, 431, 503] as const;
const FORM_TYPE = 'application/x-www-form-urlencoded';

function formOf({ schema, examples }: NonNullable<Words['takes']>): OpenapiMediaType {
  const values = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return { schema, examples: Object.fromEntries(values) };
}
