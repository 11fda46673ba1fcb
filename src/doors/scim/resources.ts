// Users and groups as SCIM writes them (RFC 7643). Attributes that are not in the schemas are ignored, as Entra ID and Okta expect.
import type { IdentityId, KnownUser, PushedEmail, PushedGroup, PushedUser } from '../../core/identity.ts';
import { type JsonObject as Json, objectOf } from '../../core/json.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';

export interface Malformed {
  readonly attribute: string;
}

type Read<T> = Outcome<T, Malformed>;

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export function isJson(value: unknown): value is Json {
  return objectOf(value) !== undefined;
}

/** Of a text, in characters. */
export const LONGEST = 1_024;
export const MOST_EMAILS = 20;

/** Entra ID also writes booleans as text. */
function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > 0 && Array.from(value).length <= LONGEST ? value : undefined;
}

/** Absent, null and empty values are the same (RFC 7643 2.5). */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function readTexts<Required extends string, Other extends string>(
  given: Json,
  required: Required,
  others: readonly Other[],
): Read<{ [name in Required]: string } & { [name in Other]?: string }> {
  const texts: Record<string, string> = {};
  for (const attribute of [required, ...others]) {
    if (attribute !== required && isAbsent(given[attribute])) continue;
    const value = textOf(given[attribute]);
    if (value === undefined) return refused({ attribute });
    texts[attribute] = value;
  }
  return accept(texts as { [name in Required]: string } & { [name in Other]?: string });
}

export function readUser(given: Json): Read<PushedUser> {
  const texts = readTexts(given, 'userName', ['externalId', 'displayName']);
  if (!texts.ok) return texts;
  const active = flagOf(given['active']);
  if (active === undefined) return refused({ attribute: 'active' });
  const emails = readEmails(given['emails'] ?? []);
  return emails ? accept({ ...texts.value, active, emails }) : refused({ attribute: 'emails' });
}

function readEmails(given: unknown): readonly PushedEmail[] | undefined {
  if (!Array.isArray(given) || given.length > MOST_EMAILS || !given.every(isJson)) return undefined;
  const named = given.filter(({ value }) => !isAbsent(value));
  const isWhole = ({ value, type, primary }: Json) =>
    textOf(value) && (isAbsent(type) || textOf(type)) && (isAbsent(primary) || flagOf(primary) !== undefined);
  if (!named.every(isWhole)) return undefined;
  return named.map(({ value, type, primary }) => ({
    value: value as string,
    ...(textOf(type) !== undefined && { type: type as string }),
    ...(flagOf(primary) !== undefined && { primary: flagOf(primary) as boolean }),
  }));
}

interface ReadGroup extends Pick<PushedGroup, 'displayName' | 'externalId'> {
  readonly members: readonly IdentityId[];
}

export function readGroup(given: Json, label: string): Read<ReadGroup> {
  const texts = readTexts(given, 'displayName', ['externalId']);
  if (!texts.ok) return texts;
  const listed = isAbsent(given['members']) ? [] : given['members'];
  const members = Array.isArray(listed) ? readMembers(listed, label) : undefined;
  return members ? accept({ ...texts.value, members }) : refused({ attribute: 'members' });
}

const ID = /^[0-9a-f]{32}$/;

export function readId(id: unknown, label: string): IdentityId | undefined {
  return typeof id === 'string' && ID.test(id) ? (`${label}:${id}` as IdentityId) : undefined;
}

/** One, or a list of them. */
export function readMembers(given: unknown, label: string): readonly IdentityId[] | undefined {
  const ids = [given].flat().map((member) => readId(isJson(member) ? member['value'] : undefined, label));
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

function idIn(id: string): string {
  return id.slice(Math.max(id.indexOf(':'), id.indexOf('/')) + 1);
}

/** `groups`: undefined where they are not looked for. */
export function userResource(
  { id, pushed }: KnownUser,
  groups: readonly PushedGroup[] | undefined,
  base: string,
): Json {
  const location = `${base}/Users/${idIn(id)}`;
  const shown = groups?.map((group) => ({
    value: idIn(group.id),
    display: group.displayName,
    $ref: `${base}/Groups/${idIn(group.id)}`,
  }));
  const all = { ...pushed, ...(shown && shown.length > 0 && { groups: shown }) };
  return { schemas: [USER], id: idIn(id), ...all, meta: { resourceType: 'User', location } };
}

export function groupResource(group: PushedGroup, members: readonly IdentityId[] | undefined, base: string): Json {
  const { id, displayName, externalId } = group;
  const memberOf = (member: IdentityId) => ({ value: idIn(member), $ref: `${base}/Users/${idIn(member)}` });
  return {
    schemas: [GROUP],
    id: idIn(id),
    displayName,
    ...(externalId !== undefined && { externalId }),
    ...(members && { members: members.map(memberOf) }),
    meta: { resourceType: 'Group', location: `${base}/Groups/${idIn(id)}` },
  };
}
