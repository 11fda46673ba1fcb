// What the door can do, as SCIM clients ask for it (RFC 7643 5 to 7).

import type { JsonObject as Json } from '../../core/json.ts';
import type { Pushing } from '../../operations/grant/pushed-users.ts';
import { GROUP, USER } from './resources.ts';

/** The most resources in one answer. */
export const MOST_RESULTS = 200;

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const NO = { supported: false };

export function providerConfig(base: string): Json {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { ...NO, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_RESULTS },
    changePassword: NO,
    sort: NO,
    etag: NO,
    authenticationSchemes: [
      { type: 'oauthbearertoken', name: 'Bearer', description: 'A secret of the integration, as a bearer token.' },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(base: string): readonly Json[] {
  return (['User', 'Group'] as const).map((name) => ({
    schemas: [RESOURCE_TYPE],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema: name === 'User' ? USER : GROUP,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }));
}

function attribute(name: string, description: string, more: Json = {}): Json {
  const usual = { type: 'string', multiValued: false, required: false, caseExact: false, mutability: 'readWrite' };
  return { name, description, ...usual, returned: 'default', uniqueness: 'none', ...more };
}

function list(name: string, description: string, ...subAttributes: Json[]): Json {
  return attribute(name, description, { type: 'complex', multiValued: true, subAttributes });
}

/** The attribute that carries the id of people cannot be changed. */
const userAttributes = ({ id }: Pushing) => [
  attribute('userName', 'The user name.', {
    required: true,
    uniqueness: 'server',
    ...(id === 'userName' && { mutability: 'immutable' }),
  }),
  attribute('displayName', 'The name for people.'),
  attribute('active', 'If false, the account has ended, and its grants with it.', { type: 'boolean', required: true }),
  list(
    'emails',
    'E-mail addresses.',
    attribute('value', 'The address.'),
    attribute('type', 'What it is for.'),
    attribute('primary', 'The one that counts.', { type: 'boolean' }),
  ),
];

const FIXED = { mutability: 'immutable' };
const GROUP_ATTRIBUTES = [
  attribute('displayName', 'The name that integrations know the group by.', { required: true, uniqueness: 'server' }),
  list(
    'members',
    'Its members.',
    attribute('value', 'The id of a user.', FIXED),
    attribute('$ref', 'Its address.', { ...FIXED, type: 'reference', referenceTypes: ['User'] }),
  ),
];

export function schemas(base: string, pushing: Pushing): readonly Json[] {
  return [
    { id: USER, name: 'User', description: 'A person.', attributes: userAttributes(pushing) },
    { id: GROUP, name: 'Group', description: 'A group of people.', attributes: GROUP_ATTRIBUTES },
  ].map((schema) => ({
    schemas: [SCHEMA],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));
}
