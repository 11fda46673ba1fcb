// The OpenAPI part of this door: the schemas that requests are read by, with descriptions, examples and links.
import type { Schema } from '../../schema.ts';
import {
  type OpenapiLink,
  type OpenapiOperation,
  type OpenapiPaths,
  type OpenapiSchema,
  refusalResponse,
} from '../openapi-document.ts';
import { DEVICE_GRANT_TYPE } from '../token/grant-type.ts';
import { errorBody } from './answers.ts';
import { type AuthsvcOperation, ROUTES } from './routes.ts';
import {
  CertificateGrant,
  DeviceGrant,
  ERROR_BODIES,
  type ErrorKeys,
  Nothing,
  RedemptionRequest,
  RefreshRequest,
  ScopeRequest,
  TokenGrant,
  VerifiedToken,
} from './schemas.ts';
import { AUTHSVC_ERRORS, type AuthsvcError } from './wording.ts';

interface Words {
  readonly summary: string;
  readonly description: string;
  /** The schemas of the body: one per kind of request that this type can carry. */
  readonly takes?: Readonly<Record<string, readonly Schema[]>>;
  readonly answers: Schema;
  readonly security: readonly object[];
  /** The codes of a 400, and of a 401 if there is one. */
  readonly refuses: readonly AuthsvcError[];
  readonly unauthorized?: AuthsvcError;
  readonly next?: readonly (keyof typeof NEXT)[];
  /** Options of curl commands to copy, by their label. Capital letters stand for the caller's own values. */
  readonly samples: Readonly<Record<string, readonly string[]>>;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const BEARER = [{ bearer: [] }];
const BEARER_OPTION = "--header 'Authorization: Bearer ACCESS_TOKEN'";
const CERTIFICATE_OPTION = '--cert client.crt --key client.key';

interface Next {
  readonly operation: AuthsvcOperation;
  readonly description: string;
  readonly body?: Readonly<Record<string, string>>;
}

/** What a caller can do with an answer. */
const NEXT = {
  redeem: {
    operation: 'authorize-token',
    description: 'Redeem the device code once the person has confirmed.',
    body: {
      client_id: '$request.body#/client_id',
      grant_type: DEVICE_GRANT_TYPE,
      device_code: '$response.body#/device_code',
    },
  },
  refresh: {
    operation: 'authorize-token',
    description: 'Refresh the pair before or after access_token expires.',
    body: { client_id: '$request.body#/client_id', refresh_token: '$response.body#/refresh_token' },
  },
  verify: { operation: 'verify', description: 'Check access_token: send it as Authorization: Bearer.' },
  revoke: { operation: 'revoke', description: 'End the grant: send access_token as Authorization: Bearer.' },
} as const satisfies Readonly<Record<string, Next>>;

const WORDS: Readonly<Record<AuthsvcOperation, Words>> = {
  'authorize-token': {
    summary: 'Refresh a token pair, or redeem a device code',
    description:
      'A refresh takes JSON. A device code is redeemed once only. The same refresh token presented again shortly after, because the answer was lost, is answered with the same pair.',
    takes: { [JSON_TYPE]: [RefreshRequest, RedemptionRequest], [FORM_TYPE]: [RedemptionRequest] },
    answers: TokenGrant,
    security: [],
    refuses: AUTHSVC_ERRORS.filter((code) => code !== 'invalid_token'),
    next: ['refresh', 'verify', 'revoke'],
    samples: {
      Refresh: jsonBody({ client_id: 'CLIENT_ID', refresh_token: 'REFRESH_TOKEN' }),
      'Redeem a device code': jsonBody({
        client_id: 'CLIENT_ID',
        grant_type: DEVICE_GRANT_TYPE,
        device_code: 'DEVICE_CODE',
      }),
    },
  },
  'authorize-certificate': {
    summary: 'Obtain a token by client certificate',
    description: 'Present the certificate in the TLS handshake. The identity it is mapped to is part of the answer.',
    takes: { [JSON_TYPE]: [ScopeRequest] },
    answers: CertificateGrant,
    security: [{ certificate: [] }],
    refuses: ['invalid_request', 'invalid_scope', 'invalid_grant', 'unauthorized_client'],
    unauthorized: 'invalid_client',
    next: ['refresh', 'verify', 'revoke'],
    samples: { 'Get a token': [CERTIFICATE_OPTION, ...jsonBody({ client_id: 'CLIENT_ID', scope: 'SCOPE' })] },
  },
  'authorize-device': {
    summary: 'Start a device authorization',
    description: 'Show user_code and verification_uri to a person, then poll Authorize/Token at the interval.',
    takes: { [JSON_TYPE]: [ScopeRequest], [FORM_TYPE]: [ScopeRequest] },
    answers: DeviceGrant,
    security: [],
    refuses: ['invalid_client', 'invalid_request', 'invalid_scope', 'invalid_grant'],
    next: ['redeem'],
    samples: { Start: jsonBody({ client_id: 'CLIENT_ID', scope: 'SCOPE' }) },
  },
  verify: {
    summary: 'Check an access token',
    description: 'For resource servers and scripts: who it belongs to and what it allows at this moment.',
    answers: VerifiedToken,
    security: BEARER,
    refuses: ['invalid_request'],
    unauthorized: 'invalid_token',
    next: ['revoke'],
    samples: { Check: [BEARER_OPTION] },
  },
  revoke: {
    summary: 'Revoke the grant of an access token',
    description: 'Ends every token of the grant at once, of every generation, at every door.',
    answers: Nothing,
    security: BEARER,
    refuses: ['invalid_request'],
    unauthorized: 'invalid_token',
    samples: { Revoke: [BEARER_OPTION] },
  },
};

function jsonBody(fields: Readonly<Record<string, string>>): string[] {
  return ["--header 'Content-Type: application/json'", `--data '${JSON.stringify(fields)}'`];
}

export interface DocumentedMount {
  readonly path: string;
  readonly errorKeys: ErrorKeys;
}

export function authsvcPaths(mounts: readonly DocumentedMount[], publicUrl: string): OpenapiPaths {
  const names = uniqueNames(mounts.map(({ path }) => path));
  return Object.fromEntries(
    mounts.flatMap((mount, at) =>
      ROUTES.map(({ operation, method, path }) => {
        const words = operationOf(operation, mount.errorKeys, (id) => `${names[at]}-${id}`);
        const samples = Object.entries(WORDS[operation].samples).map(([label, options]) => ({
          lang: 'Shell',
          label,
          source: ['curl', ...options, `'${publicUrl}${mount.path}${path}'`].join(' \\\n  '),
        }));
        return [mount.path + path, { [method.toLowerCase()]: { ...words, 'x-codeSamples': samples } }];
      }),
    ),
  );
}

/** A name for each mount, made of letters, digits and dashes. Mounts that differ in other characters get a number. */
function uniqueNames(paths: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  for (const path of paths) {
    const plain = path
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    let name = plain || 'mount';
    for (let number = 2; taken.has(name); number++) name = `${plain || 'mount'}-${number}`;
    taken.add(name);
  }
  return [...taken];
}

function operationOf(operation: AuthsvcOperation, keys: ErrorKeys, idOf: (name: string) => string): OpenapiOperation {
  const words = WORDS[operation];
  const { summary, description, takes, answers, security, next = [] } = words;
  const links = Object.fromEntries(next.map((name) => [name, linkTo(NEXT[name], idOf)]));
  return {
    operationId: idOf(operation),
    summary,
    description,
    tags: ['authsvc'],
    security,
    ...(takes && { requestBody: { required: true, content: requestContent(takes) } }),
    responses: {
      200: {
        description: 'Granted.',
        content: { [JSON_TYPE]: { schema: answers, example: exampleOf(answers) } },
        ...(next.length > 0 && { links }),
      },
      ...refusalResponses(words, keys),
    },
  };
}

function requestContent(takes: NonNullable<Words['takes']>) {
  return Object.fromEntries(
    Object.entries(takes).map(([type, schemas]) => {
      const [first] = schemas as [Schema, ...Schema[]];
      return [type, { schema: schemas.length > 1 ? { oneOf: schemas } : first, example: exampleOf(first) }];
    }),
  );
}

function linkTo({ operation, description, body }: Next, idOf: (name: string) => string): OpenapiLink {
  return { operationId: idOf(operation), description, ...(body && { requestBody: body }) };
}

/** Every refusal of an operation by status, worded with the error keys of its mount. */
function refusalResponses({ refuses, unauthorized, takes, security }: Words, keys: ErrorKeys) {
  const presented = security === BEARER ? 'access token' : 'client certificate';
  const descriptions: Readonly<Record<number, string>> = {
    400: `Refused: ${refuses.join(', ')}. The description says what to do.`,
    ...(unauthorized && { 401: `The ${presented} was not accepted.` }),
    404: 'This address does not serve the operation. Check the path.',
    405: 'The path takes another method.',
    ...(takes && { 413: 'The body is too large, or in too many parts.' }),
    429: 'Too many requests. Wait, then ask again.',
    431: 'The request headers are too large.',
    503: 'Temporarily unavailable. Wait, then send exactly the same request again: it may have been carried out.',
  };
  const errors: Readonly<Record<number, AuthsvcError | undefined>> = { 400: refuses[0], 401: unauthorized };
  const refusals = Object.entries(descriptions).map(([status, description]) => {
    const example = errorBody(errors[Number(status)] ?? 'invalid_request', description, keys);
    return [status, refusalResponse(Number(status), description, { schema: ERROR_BODIES[keys], example }, security)];
  });
  return Object.fromEntries(refusals);
}

/** An object made of the first example, or the first allowed value, of each property. */
function exampleOf(schema: Schema): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema as OpenapiSchema;
  const shown = Object.entries(properties).filter(([name, { examples }]) => examples || required.includes(name));
  return Object.fromEntries(shown.map(([name, { examples, enum: allowed }]) => [name, examples?.[0] ?? allowed?.[0]]));
}
