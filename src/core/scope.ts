// The scope string of contract 2.2, with the grammar that docs/spec-gaps.md gives it:
//   scope      = entry *( ";" entry ) [ ";" ]
//   entry      = resource [ ":" permission *( "," permission ) ]
//   resource   = a letter, then letters, digits, "_", "." or "-"      (compares without case)
//   resource   = also an opaque item such as api://x/.default, which has a "/": compared whole, never at the authsvc door
//   permission = a lower-case letter, then lower-case letters, digits, "_", "." or "-"

import { keepNewest } from './keep-newest.ts';
import { oncePer } from './once-per.ts';

declare const parsed: unique symbol;

/** Only `parseScope` creates one, so a `Scope` is always well-formed. */
export interface Scope {
  /** The requested text, unchanged; responses echo it (contract 2.1). */
  readonly text: string;
  /** Lower-case resource → its permissions; a bare resource has none. */
  readonly resources: ReadonlyMap<string, ReadonlySet<string>>;
  readonly [parsed]: true;
}

export const SCOPE_MAX_LENGTH = 4096;

/** Stands for power over this service: never part of a default, never served by a resource server. */
export const RESERVED_RESOURCE = 'tessera';

const NAME = '[A-Za-z][A-Za-z0-9_.-]*';
// RFC 6749 3.3, with a slash and without the separator of entries.
const ITEM = String.raw`[!#-.0-:<-[\]-~]*\/[!#-:<-[\]-~]*`;
const LOWER = '[a-z][a-z0-9_.-]*';
const ENTRY = `(?:${ITEM}|${NAME}(?::${LOWER}(?:,${LOWER})*)?)`;

const RESOURCE = new RegExp(`^${NAME}$`);
const OPAQUE = new RegExp(`^${ITEM}$`);
const PERMISSION = new RegExp(`^${LOWER}$`);

/** What can be parsed, for documents. */
export const SCOPE_PATTERN = `^(?=.{1,${SCOPE_MAX_LENGTH}}$)${ENTRY}(?:;${ENTRY})*;?$`;
export const RESOURCE_PATTERN = `^(?![Tt][Ee][Ss][Ss][Ee][Rr][Aa]$)(?:${ITEM}|${NAME})$`;

/** Cache size: the same few texts come with most requests. */
const MOST_REMEMBERED = 1000;
const remembered = new Map<string, Scope>();

export function parseScope(text: string): Scope | undefined {
  const known = remembered.get(text);
  if (known) return known;
  const scope = parse(text);
  return scope && keepNewest(remembered, text, scope, MOST_REMEMBERED);
}

function parse(text: string): Scope | undefined {
  if (text.length === 0 || text.length > SCOPE_MAX_LENGTH) return undefined;
  const resources = new Map<string, Set<string>>();
  const entries = text.endsWith(';') ? text.slice(0, -1).split(';') : text.split(';');
  for (const entry of entries) {
    const parts = parseEntry(entry);
    if (!parts) return undefined;
    const merged = resources.get(parts.resource) ?? new Set();
    for (const permission of parts.permissions) merged.add(permission);
    resources.set(parts.resource, merged);
  }
  return { text, resources } as Partial<Scope> as Scope;
}

/** Whether a scope has the reserved resource. Most have not, and are not parsed. */
export function concernsAdministration(text: string): boolean {
  return /tessera/i.test(text) && parseScope(text)?.resources.has(RESERVED_RESOURCE) === true;
}

function isOpaqueItem(text: string): boolean {
  return OPAQUE.test(text);
}

export function hasOpaqueItems(text: string): boolean {
  return text.includes('/');
}

/** The name of a resource, in lower case; an opaque item as it is. */
export function parseResource(text: string): string | undefined {
  if (isOpaqueItem(text)) return text;
  return RESOURCE.test(text) ? text.toLowerCase() : undefined;
}

function parseEntry(entry: string): { resource: string; permissions: string[] } | undefined {
  if (isOpaqueItem(entry)) return { resource: entry, permissions: [] };
  const colon = entry.indexOf(':');
  const resource = colon < 0 ? entry : entry.slice(0, colon);
  if (!RESOURCE.test(resource)) return undefined;
  const permissions = colon < 0 ? [] : entry.slice(colon + 1).split(',');
  if (!permissions.every((permission) => PERMISSION.test(permission))) return undefined;
  return { resource: resource.toLowerCase(), permissions };
}

/** Each permission by itself, sorted, as in `orders:read`, `orders:write`; a bare resource stays bare. */
export const scopeItems = oncePer(({ resources }: Scope): readonly string[] => {
  const items = [...resources].flatMap(([resource, permissions]) =>
    permissions.size === 0 ? [resource] : [...permissions].map((permission) => `${resource}:${permission}`),
  );
  return items.sort();
});

/** A bare resource is within the same resource with permissions, never the reverse. */
export function isWithin(inner: Scope, outer: Scope): boolean {
  for (const [resource, permissions] of inner.resources) {
    const allowed = outer.resources.get(resource);
    if (!allowed) return false;
    for (const permission of permissions) if (!allowed.has(permission)) return false;
  }
  return true;
}

/** The part of `scope` within `limit`: narrowing an integration takes effect at once. Undefined if nothing remains. */
export function narrow(scope: Scope, limit: Scope): Scope | undefined {
  if (isWithin(scope, limit)) return scope;
  const entries: string[] = [];
  for (const [resource, permissions] of scope.resources) {
    const allowed = limit.resources.get(resource);
    if (!allowed) continue;
    const kept = [...permissions].filter((permission) => allowed.has(permission));
    if (kept.length > 0) entries.push(`${resource}:${kept.join(',')}`);
    else if (permissions.size === 0) entries.push(resource);
  }
  return parseScope(entries.join(';'));
}

/** The part of `scope` that concerns these resources. Undefined if nothing remains. */
export function narrowToResources(scope: Scope, resources: ReadonlySet<string>): Scope | undefined {
  const kept = [...scope.resources.keys()].filter((resource) => resources.has(resource));
  if (kept.length === scope.resources.size) return scope;
  return parseScope(kept.map((resource) => entryText(resource, scope.resources.get(resource))).join(';'));
}

function entryText(resource: string, permissions: ReadonlySet<string> | undefined): string {
  return permissions?.size ? `${resource}:${[...permissions].join(',')}` : resource;
}
