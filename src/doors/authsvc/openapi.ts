// The OpenAPI part of this door: the schemas that requests are read by, with descriptions.
import { described, type Schema } from '../../schema.ts';
import type { OpenapiOperation, OpenapiPaths } from '../openapi-document.ts';
import { type AuthsvcOperation, ROUTES } from './dialect.ts';
import { DeviceGrant, ErrorBody, ScopeParameters, TokenGrant, TokenParameters, VerifiedToken } from './schemas.ts';
import { WORDING } from './wording.ts';

interface Words {
  readonly summary: string;
  readonly description: string;
  readonly takes?: { readonly schema: Schema; readonly types: readonly string[] };
  readonly answers: Schema;
  readonly bearer?: true;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const WORDS: Readonly<Record<AuthsvcOperation, Words>> = {
  'authorize-token': {
    summary: 'Refresh a token pair, or redeem a device code',
    description:
      'A refresh takes JSON. A device code is redeemed once only. The same refresh token presented again shortly after, because the answer was lost, is answered with the same pair.',
    takes: { schema: TokenParameters, types: [JSON_TYPE, FORM_TYPE] },
    answers: TokenGrant,
  },
  'authorize-certificate': {
    summary: 'Obtain a token by client certificate',
    description: 'Present the certificate in the TLS handshake. The identity it is mapped to is part of the answer.',
    takes: { schema: ScopeParameters, types: [JSON_TYPE] },
    answers: TokenGrant,
  },
  'authorize-device': {
    summary: 'Start a device authorization',
    description: 'Show user_code and verification_uri to a person, then poll Authorize/Token at the interval.',
    takes: { schema: ScopeParameters, types: [JSON_TYPE, FORM_TYPE] },
    answers: DeviceGrant,
  },
  verify: {
    summary: 'Check an access token',
    description: 'For resource servers and scripts: who it belongs to and what it allows at this moment.',
    answers: VerifiedToken,
    bearer: true,
  },
  revoke: {
    summary: 'Revoke the grant of an access token',
    description: 'Ends every token of the grant at once, of every generation, at every door.',
    answers: described({ type: 'object', additionalProperties: false }),
    bearer: true,
  },
};

/** The paths of one mount, for an OpenAPI 3.1 document. */
export function authsvcPaths(mount: string): OpenapiPaths {
  return Object.fromEntries(
    ROUTES.map(({ operation, method, path }) => [
      mount + path,
      { [method.toLowerCase()]: operationOf(operation, WORDS[operation]) },
    ]),
  );
}

function operationOf(operationId: string, { summary, description, takes, answers, bearer }: Words): OpenapiOperation {
  return {
    operationId,
    summary,
    description,
    tags: ['authsvc'],
    security: bearer ? [{ bearer: [] }] : [],
    ...(takes && { requestBody: { required: true, content: contentOf(takes.types, takes.schema) } }),
    responses: {
      200: { description: 'Granted.', content: contentOf([JSON_TYPE], answers) },
      ...Object.fromEntries(
        statuses(bearer).map((status) => [
          status,
          { description: STATUS_WORDS[status], content: contentOf([JSON_TYPE], ErrorBody) },
        ]),
      ),
    },
  };
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'Refused; Error says why, Error_description what to do.',
  401: 'The certificate or the token was not accepted.',
  413: 'The body is too large.',
  429: 'Too many requests; see Retry-After.',
  431: 'The headers are too large.',
  503: 'Temporarily unavailable: ask the same again after Retry-After. Error_description says whether something may have been changed.',
};

function statuses(bearer: true | undefined): number[] {
  const all = new Set(Object.values(WORDING).map(({ status }) => status));
  return [...all]
    .filter((status) => status !== 404 && status !== 405 && !(bearer && status === 400))
    .sort((a, b) => a - b);
}

function contentOf(types: readonly string[], schema: Schema): Record<string, { readonly schema: Schema }> {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
