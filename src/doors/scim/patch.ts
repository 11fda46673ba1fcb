// PATCH (RFC 7644 3.5.2), as Entra ID and Okta send it: operations in any letter case, values with or without a path, and paths
// as the names of values.
import { type JsonObject as Json, objectOf, parseJson } from '../../core/json.ts';
import { isJson } from './resources.ts';

export interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly attribute: string;
  /** `emails[type eq "work"]` */
  readonly filter?: { readonly by: string; readonly value: unknown };
  /** `emails[…].value` */
  readonly part?: string | undefined;
  readonly value: unknown;
}

const PATH =
  /^(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?([a-z]+)(?:\[([a-z]+) eq ("(?:[^"\\]|\\.)*"|true|false)\])?(?:\.([a-z]+))?$/i;
const ATTRIBUTES = ['userName', 'externalId', 'displayName', 'active', 'emails', 'members'];
const MOST_OPERATIONS = 1_000;

/** Undefined if they are malformed. Those on other attributes are left out. */
export function readOperations(body: Json): readonly Operation[] | undefined {
  const given = body['Operations'];
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_OPERATIONS) return undefined;
  const all = given.map(readOperation);
  return all.every((one) => one !== undefined) ? all.flat() : undefined;
}

function readOperation(given: unknown): readonly Operation[] | undefined {
  const { op: written, path, value } = isJson(given) ? given : {};
  const op = typeof written === 'string' ? written.toLowerCase() : undefined;
  if (op !== 'add' && op !== 'replace' && op !== 'remove') return undefined;
  if (typeof path === 'string') return onPath(op, path, value);
  if (op === 'remove' || !isJson(value)) return undefined;
  const parts = Object.entries(value).map(([name, one]) => onPath(op, name, one));
  return parts.flatMap((part) => part ?? []);
}

function onPath(op: Operation['op'], path: string, value: unknown): readonly Operation[] | undefined {
  const [, name = '', by, text, part] = PATH.exec(path) ?? [];
  if (name === '') return /^[a-z$][\w$:.-]*/i.test(path) ? [] : undefined;
  const attribute = ATTRIBUTES.find((known) => known.toLowerCase() === name.toLowerCase());
  if (!attribute) return [];
  const wanted = text && parseJson(text);
  if (text && wanted === undefined) return undefined;
  return [{ op, attribute, ...(by && text && { filter: { by, value: wanted } }), part, value }];
}

/** Checked when the resource is read again. */
type Values = readonly unknown[];

/** The resource after these operations. */
export function patched(resource: Json, operations: readonly Operation[]): Json {
  return operations.reduce<Json>((before, operation) => {
    const { attribute, op, value } = operation;
    const { [attribute]: old, ...rest } = before;
    if (attribute === 'emails') return { ...rest, emails: patchedValues((old ?? []) as Values, operation) };
    return op === 'remove' ? rest : { ...rest, [attribute]: value };
  }, resource);
}

function patchedValues(old: Values, { op, filter, part, value }: Operation): Values {
  const isMeant = (one: unknown): one is Json => !filter || objectOf(one)?.[filter.by] === filter.value;
  if (op === 'remove' && part === undefined) return old.filter((one) => !isMeant(one));
  if (!filter) return op === 'replace' ? [value ?? []].flat() : [...old, value ?? []].flat();
  const next = part === undefined ? objectOf(value) : { [part]: op === 'remove' ? undefined : value };
  if (op !== 'remove' && !old.some(isMeant)) return [...old, next && { [filter.by]: filter.value, ...next }];
  return old.map((one) => (isMeant(one) ? next && { ...one, ...next } : one));
}
