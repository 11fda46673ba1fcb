// The OpenAPI part of this door: the schemas that requests are read by, with descriptions.
import { described, type Schema } from '../../schema.ts';
import type { OpenapiOperation, OpenapiPaths } from '../openapi-document.ts';
import { METADATA_PATHS, PATHS } from './metadata.ts';
import {
  DeviceAnswer,
  DeviceParameters,
  ErrorAnswer,
  IntrospectionAnswer,
  IntrospectionParameters,
  KeySet,
  Metadata,
  RevocationParameters,
  Snapshot,
  TokenAnswer,
  TokenParameters,
} from './schemas.ts';

interface Words {
  readonly operationId: string;
  readonly summary: string;
  readonly takes?: Schema;
  readonly answers: Schema;
  readonly security?: readonly object[];
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'Refused; error says why, error_description what to do.',
  401: 'The client or its certificate was not accepted.',
  404: 'This address does not serve the path.',
  405: 'The path takes another method.',
  413: 'The body is too large.',
  429: 'Too many requests; see Retry-After.',
  431: 'The headers are too large.',
  500: 'An internal error.',
  503: 'Temporarily unavailable: send the same request again after Retry-After.',
};

/** The paths of the door, for an OpenAPI 3.1 document. */
export function oauthPaths(mount: string): OpenapiPaths {
  return {
    [mount + PATHS.token]: { post: operationOf(TOKEN) },
    [mount + PATHS.device]: { post: operationOf(DEVICE) },
    [mount + PATHS.revoke]: { post: operationOf(REVOKE) },
    [mount + PATHS.introspect]: { post: operationOf(INTROSPECT) },
    [mount + PATHS.revocations]: { get: operationOf(REVOCATIONS) },
    [mount + PATHS.jwks]: { get: operationOf(JWKS) },
    ...Object.fromEntries(
      METADATA_PATHS.map((path) => [
        path,
        { get: operationOf({ operationId: path, summary: METADATA_SUMMARIES[path], answers: Metadata }) },
      ]),
    ),
  };
}

const TOKEN: Words = {
  operationId: 'oauth-token',
  summary:
    'Redeem a device code, refresh, or obtain a token by client certificate or assertion (RFC 6749, 7523, 8628, 8705)',
  takes: TokenParameters,
  answers: TokenAnswer,
};
const DEVICE: Words = {
  operationId: 'oauth-device-authorization',
  summary: 'Start a device authorization (RFC 8628)',
  takes: DeviceParameters,
  answers: DeviceAnswer,
};
const REVOKE: Words = {
  operationId: 'oauth-revoke',
  summary: 'End the grant of a token (RFC 7009)',
  takes: RevocationParameters,
  answers: described({ type: 'object', additionalProperties: false }),
};
const INTROSPECT: Words = {
  operationId: 'oauth-introspect',
  summary: 'Check an access token, for a registered resource server (RFC 7662)',
  takes: IntrospectionParameters,
  answers: IntrospectionAnswer,
  // The last one stands for client_secret_post.
  security: [{ basic: [] }, { certificate: [] }, {}],
};
const REVOCATIONS: Words = {
  operationId: 'oauth-revocations',
  summary:
    'The revocation feed, for a registered resource server: a snapshot in pages, or with Accept: text/event-stream what follows a cursor',
  answers: Snapshot,
  security: [{ basic: [] }, { certificate: [] }],
};
const JWKS: Words = {
  operationId: 'oauth-jwks',
  summary: 'The public keys of access tokens that are JWTs (RFC 7517)',
  answers: KeySet,
};
const METADATA_SUMMARIES: Readonly<Record<(typeof METADATA_PATHS)[number], string>> = {
  '/.well-known/oauth-authorization-server': 'The metadata of this authorization server (RFC 8414)',
  '/.well-known/openid-configuration': 'The same metadata, where OpenID libraries look for it',
};

function operationOf({ operationId, summary, takes, answers, security = [] }: Words): OpenapiOperation {
  const form = takes && { required: true, content: { 'application/x-www-form-urlencoded': { schema: takes } } };
  // Without a body, only the path and the method can be wrong.
  const refusals = Object.entries(REFUSALS)
    .filter(([status]) => takes || status === '404' || status === '405')
    .map(([status, description]) => [status, { description, content: jsonOf(ErrorAnswer) }]);
  return {
    operationId,
    summary,
    tags: ['oauth'],
    security,
    ...(form && { requestBody: form }),
    responses: { 200: { description: 'OK.', content: jsonOf(answers) }, ...Object.fromEntries(refusals) },
  };
}

function jsonOf(schema: Schema) {
  return { 'application/json': { schema } };
}
