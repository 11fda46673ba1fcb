// What the door can do, as SCIM clients ask for it (RFC 7643 5 to 7).
import type { JsonObject as Json } from '../../core/json.ts';
import type { Pushing } from '../../operations/grant/pushed-users.ts';
import { GROUP, LONGEST, MOST_EMAILS, USER } from './resources.ts';

/** The most resources in one answer. */
export const MOST_RESULTS = 200;

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const NO = { supported: false };

/** A resource of the service itself, with its address. */
function described(base: string, type: string, id: string, facts: Json): Json {
  const at = type === 'ServiceProviderConfig' ? type : `${type}s/${id}`;
  return { schemas: [`${CORE}:${type}`], ...facts, meta: { resourceType: type, location: `${base}/${at}` } };
}

export function providerConfig(base: string): Json {
  const bearer = 'A secret of the integration, as a bearer token.';
  return described(base, 'ServiceProviderConfig', '', {
    patch: { supported: true },
    bulk: { ...NO, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_RESULTS },
    ...{ changePassword: NO, sort: NO, etag: NO },
    authenticationSchemes: [{ type: 'oauthbearertoken', name: 'Bearer', description: bearer }],
  });
}

export function resourceTypes(base: string): readonly Json[] {
  return [
    { id: 'User', name: 'User', endpoint: '/Users', schema: USER },
    { id: 'Group', name: 'Group', endpoint: '/Groups', schema: GROUP },
  ].map((facts) => described(base, 'ResourceType', facts.id, facts));
}

export function schemas(base: string, { id }: Pushing): readonly Json[] {
  const user = id === 'userName' ? [{ ...USER_NAME, ...FIXED }, ...USER_REST] : [USER_NAME, ...USER_REST];
  return [
    { id: USER, name: 'User', description: 'A person.', attributes: user },
    { id: GROUP, name: 'Group', description: 'A group of people.', attributes: GROUP_ATTRIBUTES },
  ].map((facts) => described(base, 'Schema', facts.id, facts));
}

const USUAL = {
  ...{ type: 'string', multiValued: false, required: false, caseExact: false },
  ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none' },
};
const LIST = { ...USUAL, type: 'complex', multiValued: true };
/** SCIM has no other words for lengths. */
const SOME = `1 to ${LONGEST} characters`;
const NAME = { ...USUAL, required: true, uniqueness: 'server' };
const FLAG = { ...USUAL, type: 'boolean' };
/** The attribute that carries the id of people cannot be changed. */
const FIXED = { mutability: 'immutable' };

const USER_NAME = {
  ...NAME,
  name: 'userName',
  description: `The user name: ${SOME} that can be printed, without spaces around them.`,
};
const USER_REST = [
  { ...USUAL, name: 'displayName', description: `The name for people, of at most ${LONGEST} characters.` },
  { ...FLAG, name: 'active', description: 'If false, the account has ended, and its grants with it.' },
  {
    ...{ ...LIST, name: 'emails', description: `E-mail addresses, at most ${MOST_EMAILS}.` },
    subAttributes: [
      { ...USUAL, name: 'value', description: `The address, of at most ${LONGEST} characters.` },
      { ...USUAL, name: 'type', description: `What it is for, in at most ${LONGEST} characters.` },
      { ...FLAG, name: 'primary', description: 'The one that counts.' },
    ],
  },
  {
    ...{ ...LIST, name: 'groups', description: 'Its groups, in the answer about one user.', mutability: 'readOnly' },
    subAttributes: [
      { ...USUAL, mutability: 'readOnly', name: 'value', description: 'The id of a group.' },
      { ...USUAL, mutability: 'readOnly', name: 'display', description: 'Its name.' },
      {
        ...{ ...USUAL, mutability: 'readOnly', name: '$ref', description: 'Its address.' },
        ...{ type: 'reference', referenceTypes: ['Group'] },
      },
    ],
  },
];
const MEMBER = { ...USUAL, ...FIXED };
const GROUP_ATTRIBUTES = [
  { ...NAME, name: 'displayName', description: `The name that integrations know the group by: ${SOME}.` },
  {
    ...{ ...LIST, name: 'members', description: 'Its members.' },
    subAttributes: [
      { ...MEMBER, name: 'value', description: 'The id of a user.' },
      {
        ...MEMBER,
        mutability: 'readOnly',
        name: '$ref',
        description: 'Its address.',
        type: 'reference',
        referenceTypes: ['User'],
      },
    ],
  },
];
