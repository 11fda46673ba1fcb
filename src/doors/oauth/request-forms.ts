// The requests of this door for the OpenAPI document: what is read, with what a request must have, without what is only refused.
import { named, optional, type Schema, string } from '../../schema.ts';
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../token/grant-type.ts';
import {
  ASSERTION_GRANT_TYPE,
  CERTIFICATE_GRANT_TYPE,
  CODE_GRANT_TYPE,
  EXCHANGE_GRANT_TYPE,
  GRANT_TYPES,
} from './grant-types.ts';
import { DeviceParameters, IntrospectionParameters, RevocationParameters, TokenParameters } from './schemas.ts';

const { actor_token: _, ...tokenParameters } = TokenParameters.properties;
const { client_assertion: __, ...introspectionParameters } = IntrospectionParameters.properties;
const client_id = withExample(tokenParameters.client_id, 'orders-sync');
const scope = withExample(tokenParameters.scope, 'orders:read stock:read');

export const TokenForm = named('OauthTokenRequest', {
  ...tokenParameters,
  ...{ client_id, scope },
  grant_type: string({
    description:
      'How the token is obtained. Each needs its own parameter; client_credentials a client certificate, assertion or secret.',
    enum: GRANT_TYPES,
  }),
});

export const DeviceForm = named('OauthDeviceRequest', { ...DeviceParameters.properties, client_id, scope });

export const RevocationForm = named('OauthRevocationRequest', {
  ...RevocationParameters.properties,
  client_id,
  token: string({ description: 'A refresh or access token of any generation.', minLength: 1 }),
});

export const IntrospectionForm = named('OauthIntrospectionRequest', {
  ...introspectionParameters,
  token: string({ description: 'The access token that a caller sent.', minLength: 1 }),
});

function withExample(schema: Schema<string>, example: string) {
  return optional({ ...schema, examples: [example] });
}

const EXAMPLE_CLIENT = { client_id: 'orders-sync' };

export const EXAMPLES = {
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
