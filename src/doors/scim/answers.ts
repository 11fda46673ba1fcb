// Answers of the scim door, and what all its endpoints share.
import { type JsonObject as Json, parseJson } from '../../core/json.ts';
import type { Pushing, PushReason } from '../../operations/grant/pushed-users.ts';
import type { TokenPorts } from '../../operations/ports.ts';
import type { Malformed } from './resources.ts';
import { MOST_RESULTS } from './schemas.ts';

/** An answer of an endpoint. */
export interface ScimAnswer {
  readonly status: number;
  readonly body?: Json;
}

/** RFC 7644 3.12. `scimType`: for programs, which the status alone does not help. */
export function scimError(status: number, detail: string, scimType?: string): ScimAnswer {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
  return { status, body: { schemas, status: String(status), ...(scimType && { scimType }), detail } };
}

export interface ScimRequest {
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Json;
  /** The address of this directory's resources. */
  readonly base: string;
  readonly pushing: Pushing;
  readonly ports: TokenPorts;
}

export const NOT_FOUND = scimError(404, 'There is no such resource.');

const WORDS: Readonly<Record<Exclude<PushReason, 'unknown'>, Parameters<typeof scimError>>> = {
  exists: [409, 'Another resource of this directory already has this name.', 'uniqueness'],
  'id-missing': [400, 'The attribute that carries the id of people is missing: look at scim.id.', 'invalidValue'],
  'id-changed': [400, 'The attribute that carries the id of people cannot be changed.', 'mutability'],
  'name-malformed': [400, 'The name has characters that cannot be printed, or spaces around it.', 'invalidValue'],
  'member-unknown': [400, 'One of the members is no user of this directory.', 'invalidValue'],
  'groups-too-many': [400, 'One of the members is in too many groups.', 'invalidValue'],
};

export function worded(refusal: PushReason | Malformed): ScimAnswer {
  if (refusal === 'unknown') return NOT_FOUND;
  if (typeof refusal === 'string') return scimError(...WORDS[refusal]);
  return scimError(400, `The attribute ${refusal.attribute} is missing or malformed.`, 'invalidValue');
}

export function listed(resources: readonly Json[], totalResults: number, startIndex: number): ScimAnswer {
  const counted = { totalResults, startIndex, itemsPerPage: resources.length };
  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], ...counted, Resources: resources };
  return { status: 200, body };
}

const ALWAYS = ['id', 'schemas', 'meta'];

/** RFC 7644 3.9. */
export function isWanted(attribute: string, query: ScimRequest['query']): boolean {
  const names = (given: unknown) =>
    String(given)
      .toLowerCase()
      .split(/[\s,]+/);
  const name = attribute.toLowerCase();
  if (ALWAYS.includes(name)) return true;
  if (query['attributes']) return names(query['attributes']).includes(name);
  return !names(query['excludedAttributes']).includes(name);
}

/** The resources of an answer without the attributes that were not asked for. */
export function trimmed(body: Json, query: ScimRequest['query']): Json {
  if (Array.isArray(body['Resources']))
    return { ...body, Resources: body['Resources'].map((one) => trimmed(one, query)) };
  return Object.fromEntries(Object.entries(body).filter(([name]) => isWanted(name, query)));
}

const FILTER =
  /^\s*([a-z]+)(?:\[type\s+eq\s+"([^"]*)"\])?(?:\.value)?\s+eq\s+("(?:[^"\\]|\\.)*")(?:\s+and\s+(.*))?\s*$/i;

export interface Filter<By extends string> {
  readonly by: By;
  readonly value: string;
  /** Of an address. */
  readonly type?: string;
  /** Entra ID asks whether a resource refers to another: `id eq "…" and members eq "…"`. */
  readonly and?: Filter<By>;
}

/** One attribute equals a text, or two do. Undefined if there is none; `malformed` if it is another. */
export function readFilter<By extends string>(
  given: unknown,
  attributes: readonly By[],
): Filter<By> | 'malformed' | undefined {
  if (given === undefined || given === '') return undefined;
  const [, name, type, text = '', rest] = FILTER.exec(typeof given === 'string' ? given : '') ?? [];
  const by = attributes.find((attribute) => attribute.toLowerCase() === name?.toLowerCase());
  const value = parseJson(text); // the pattern lets escapes pass that JSON does not have
  const and = rest === undefined ? undefined : readFilter(rest, attributes);
  const isPlain = type === undefined || by === 'emails';
  if (!by || typeof value !== 'string' || !isPlain || and === 'malformed' || and?.and) return 'malformed';
  return { by, value, ...(type !== undefined && { type }), ...(and && { and }) };
}

function wholeOf(given: unknown, otherwise: number): number {
  const whole = Math.trunc(Number(given));
  return Number.isNaN(whole) ? otherwise : Math.min(whole, Number.MAX_SAFE_INTEGER);
}

/** One page of all. Everything is counted, and no more than a page is kept. */
export async function paged<T>(all: AsyncIterable<T> | Iterable<T>, { query }: ScimRequest) {
  const startIndex = Math.max(1, wholeOf(query['startIndex'], 1));
  const count = Math.min(wholeOf(query['count'], MOST_RESULTS), MOST_RESULTS);
  const page: T[] = [];
  let total = 0;
  for await (const one of all) {
    total += 1;
    if (total >= startIndex && page.length < count) page.push(one);
  }
  return { page, total, startIndex };
}
