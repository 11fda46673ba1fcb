// PATCH (RFC 7644 3.5.2), as Entra ID and Okta send it: operations in any letter case, values with or without a path, and paths
// as the names of values.
import { type JsonObject as Json, parseJson } from '../../core/json.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import { isJson, type Malformed, MOST_EMAILS } from './resources.ts';

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
/** The attributes, and what a path may name in each. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  ...{ userName: [], externalId: [], displayName: [], active: [] },
  emails: ['value', 'type', 'primary'],
  members: ['value'],
};
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
  const [, name = '', by, text, named] = PATH.exec(path) ?? [];
  if (name === '') return /^[a-z$][\w$:.-]*/i.test(path) ? [] : undefined;
  const attribute = Object.keys(PARTS).find((known) => known.toLowerCase() === name.toLowerCase());
  const part = named?.toLowerCase();
  if (!attribute || (part && !PARTS[attribute]?.includes(part))) return [];
  const wanted = text && parseJson(text);
  if (text && wanted === undefined) return undefined;
  return [{ op, attribute, ...(by && text && { filter: { by: by.toLowerCase(), value: wanted } }), part, value }];
}

/** The resource after these operations. Values are checked when it is read again. */
export function patched(resource: Json, operations: readonly Operation[]): Outcome<Json, Malformed> {
  const after: Record<string, unknown> = { ...resource };
  for (const operation of operations) {
    const { attribute, op, value } = operation;
    if (attribute !== 'emails') after[attribute] = op === 'remove' ? undefined : value;
    else {
      const emails = patchedEmails((after['emails'] ?? []) as Emails, operation);
      // At once: the next operation must not work on a longer list.
      if (!emails || emails.length > MOST_EMAILS) return refused({ attribute });
      after['emails'] = emails;
    }
  }
  return accept(after);
}

type Emails = readonly Json[];

/** Undefined if the value cannot be read. One that is null or empty is unassigned (RFC 7643 2.5): to replace by it is to remove. */
function patchedEmails(old: Emails, { op, filter, part, value }: Operation): Emails | undefined {
  const isMeant = (one: Json) => !filter || one[filter.by] === filter.value;
  const given = part && filter ? [{ [part]: value }] : [value ?? []].flat();
  if (op === 'remove' || (op === 'replace' && given.length === 0))
    return part ? changed(old, isMeant, { [part]: undefined }) : old.filter((one) => !isMeant(one));
  if (!given.every(isJson)) return undefined;
  const [next, ...more] = given.map(factsOf);
  if (!next) return old;
  if (!filter) return part ? undefined : [...(op === 'add' ? old : []), next, ...more];
  if (more.length > 0) return undefined;
  return old.some(isMeant) ? changed(old, isMeant, next) : [...old, { [filter.by]: filter.value, ...next }];
}

function changed(old: Emails, isMeant: (one: Json) => boolean, next: Json): Emails {
  return old.map((one) => (isMeant(one) ? { ...one, ...next } : one));
}

/** The rest is ignored, and would be copied with each operation. */
function factsOf(given: Json): Json {
  return Object.fromEntries(Object.entries(given).filter(([name]) => PARTS['emails']?.includes(name)));
}
